internal import Core
internal import Foundation

/// Validates e-mail addresses, passwords, names and ids of accounts. Pure: no store, no clock.
enum AccountRules {
    /// RFC 5321 §4.5.3.1.3: a path has at most 256 bytes, and two of them are the angle brackets around the address.
    static let maxEmailByteCount = 254
    static let passwordByteCounts = 8...1_024
    static let maxNameLength = 200

    /// Normalises an e-mail address to the form that is stored and looked up: trimmed, composed (NFC), in lower case, and with plain dots.
    ///
    /// Only the syntax is checked, not whether the address exists.
    /// - Throws: `.invalid` naming `email`.
    static func email(_ text: String) throws -> String {
        let wrong = Problem(.invalid, "email must be an e-mail address of at most \(maxEmailByteCount) bytes.", field: "email")
        let trimmed = try TextRules.line(text, field: "email", max: maxEmailByteCount)
        // Composed once more: lower-casing can separate a letter from its accent.
        let email = trimmed.precomposedStringWithCanonicalMapping.lowercased().precomposedStringWithCanonicalMapping
        guard email.utf8.count <= maxEmailByteCount, !email.unicodeScalars.contains(where: \.isInvisible) else { throw wrong }
        let sides = email.split(separator: "@", omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty else { throw wrong }
        guard let domain = domain(sides[1]) else { throw wrong }
        let normal = sides[0] + "@" + domain
        guard normal.utf8.count <= maxEmailByteCount else { throw wrong }
        return String(normal)
    }

    /// Normalises a domain that can be written in several ways: with a dot at its end (RFC 1034 §3.1), and with the dots of other scripts
    /// (RFC 3490 §3.1). Otherwise one mailbox could have several accounts.
    private static func domain(_ text: Substring) -> String? {
        var labels = text.split(omittingEmptySubsequences: false) { ".\u{3002}\u{FF0E}\u{FF61}".contains($0) }
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        return labels.contains(where: \.isEmpty) ? nil : labels.joined(separator: ".")
    }

    /// An id that a client chooses for itself in a path: 1...128 ASCII letters, digits, `-`, `_` and `.`, but not `.` or `..`, which a path
    /// cannot contain (RFC 3986 §5.2.4).
    /// - Throws: `.invalid` naming `userId`.
    static func anonymousID(_ text: String) throws -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-_.".utf8.contains(byte)
            }
        }
        guard isPlain, (1...128).contains(text.utf8.count), text != ".", text != ".." else {
            throw Problem(.invalid, "A user id has 1 to 128 letters, digits, -, _ or . and nothing else.", field: "userId")
        }
        return text
    }

    /// Whether an issuer's id of a user can serve as an account's id. It must be composed (NFC): Swift compares texts as equal if they are
    /// equivalent in Unicode, for example the letter K and the kelvin sign, but the database compares bytes. Of several equivalent texts,
    /// only one is composed.
    static func canBeID(_ subject: String) -> Bool { subject.utf8.elementsEqual(subject.precomposedStringWithCanonicalMapping.utf8) }

    /// A new password. It is not trimmed: a space at its end is part of it.
    /// - Throws: `.invalid` naming the field, also for a common password.
    static func newPassword(_ text: String, field: String = "password") throws -> Secret<[UInt8]> {
        let password = try presentedPassword(text, field: field)
        guard password.exposed.count >= passwordByteCounts.lowerBound else {
            throw Problem(.invalid, "\(field) must have at least \(passwordByteCounts.lowerBound) bytes.", field: field)
        }
        guard !CommonPasswords.contains(text) else {
            throw Problem(
                .invalid, "\(field) is one of the 10,000 most common passwords, which attackers try first. Choose another.", field: field)
        }
        return password
    }

    /// A password that proves who sends it. A short or common one is not refused here: it is treated as wrong.
    /// - Throws: `.invalid` naming the field for what cannot be a password.
    static func presentedPassword(_ text: String, field: String = "password") throws -> Secret<[UInt8]> {
        let bytes = Array(text.utf8)
        guard bytes.count <= passwordByteCounts.upperBound else {
            throw Problem(.invalid, "\(field) must have at most \(passwordByteCounts.upperBound) bytes.", field: field)
        }
        guard !bytes.contains(0) else { throw Problem(.invalid, "\(field) must not contain a NUL character.", field: field) }
        return Secret(bytes)
    }

    /// - Returns: `nil` for an empty name, so that "" is never stored.
    /// - Throws: `.invalid` naming `name`.
    static func name(_ text: String?) throws -> String? {
        try TextRules.optionalLine(text, field: "name", max: maxNameLength)
    }

    /// - Returns: the name as responses show it: `UTC` for `GMT`.
    /// - Throws: `.invalid` naming `time_zone` unless the text is a name of the IANA database.
    static func timeZone(_ text: String) throws -> String {
        guard let zone = ZoneName.zone(named: text) else {
            throw Problem(.invalid, "time_zone must be an IANA name, for example Europe/Berlin, or UTC.", field: "time_zone")
        }
        return ZoneName.name(of: zone)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a space, a control character or a format character (zero-width joiners, direction marks). Addresses must not
    /// contain these: two addresses that look alike must not belong to two accounts.
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

// MARK: What an operator types to find an account

extension AccountRules {
    /// A phone number in E.164, from one in international form with spaces and punctuation.
    /// - Returns: `nil` for anything else.
    static func international(_ text: String) -> String? {
        let number = text.unicodeScalars.filter { !" -./()\u{A0}".unicodeScalars.contains($0) }
        guard number.first == "+", (4...16).contains(number.count), number.dropFirst().allSatisfy({ "0"..."9" ~= $0 }) else { return nil }
        return String(String.UnicodeScalarView(number))
    }

    /// The beginning of an e-mail address, normalised as `email` normalises a whole one.
    static func emailStart(_ text: String) -> String {
        text.precomposedStringWithCanonicalMapping.lowercased().precomposedStringWithCanonicalMapping
    }
}
