/// A mail address `local@domain` (RFC 5321 §4.1.2) without quotes and comments, so that it cannot end a command or header and begin
/// another.
package struct MailAddress: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    package let text: String

    /// - Returns: `nil` for anything else: white space, control characters, brackets, commas, quotes, more or fewer than one `@`, a local
    ///   part of more than 64 bytes, or an address of more than 254 bytes.
    package init?(_ text: String) {
        let sides = text.split(separator: "@", omittingEmptySubsequences: false)
        guard sides.count == 2, (1...64).contains(sides[0].utf8.count), !sides[1].isEmpty, text.utf8.count <= 254,
            sides[0].unicodeScalars.allSatisfy(Self.isAtom), sides[1].unicodeScalars.allSatisfy(Self.isDomain),
            !sides[0].hasPrefix("."), !sides[0].hasSuffix("."), !sides[0].contains(".."),
            sides[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") })
        else { return nil }
        self.text = text
    }

    /// Whether every mail server supports the address. Any other address needs a server that announces SMTPUTF8 (RFC 6531).
    var isASCII: Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    var domain: Substring { text[text.lastIndex(of: "@")!...].dropFirst() }

    /// Redacted: an address is personal data and must not appear in logs.
    package var description: String { "•••" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    private static func isAtom(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return isLetterOrDigit(scalar) || "!#$%&'*+-/=?^_`{|}~.".unicodeScalars.contains(scalar) }
        return isVisible(scalar)
    }

    private static func isDomain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? isLetterOrDigit(scalar) || scalar == "-" || scalar == "." : isVisible(scalar)
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        "a"..."z" ~= scalar || "A"..."Z" ~= scalar || "0"..."9" ~= scalar
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }
}

/// The sender of a mail: `Keepsake <no-reply@example.org>`, or the address alone.
package struct MailSender: Sendable, Equatable {
    package let name: String?
    package let address: MailAddress

    package init?(_ text: String) {
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return nil }
        guard let open = text.lastIndex(of: "<") else {
            guard let address = MailAddress(text) else { return nil }
            (self.name, self.address) = (nil, address)
            return
        }
        guard text.hasSuffix(">"), let address = MailAddress(String(text[text.index(after: open)...].dropLast())) else { return nil }
        var name = text[..<open].drop(while: \.isWhitespace)
        while name.last?.isWhitespace == true { name.removeLast() }
        if name.count >= 2, name.hasPrefix("\""), name.hasSuffix("\"") { name = name.dropFirst().dropLast() }
        self.name = name.isEmpty ? nil : String(name)
        self.address = address
    }
}
