internal import Core
internal import Foundation

/// What an account may be called and what opens it. Pure: no store, no clock.
enum AccountRules {
    /// RFC 5321 §4.5.3.1.3 gives a path 256 octets, two of them angle brackets.
    static let maxEmailByteCount = 254
    static let passwordByteCounts = 8...1_024
    static let maxNameLength = 200

    /// The one spelling an e-mail address is kept and looked up under: trimmed, composed (NFC) and lower case.
    ///
    /// Only the shape is asked: whether anybody reads mail there is not to be had from the text.
    /// - Throws: `.invalid` naming `email`.
    static func email(_ text: String) throws -> String {
        let wrong = Problem(.invalid, "email must be an e-mail address of at most \(maxEmailByteCount) bytes.", field: "email")
        let trimmed = try TextRules.line(text, field: "email", max: maxEmailByteCount)
        // Composed once more: lower-casing may leave a letter and its accent apart.
        let email = trimmed.precomposedStringWithCanonicalMapping.lowercased().precomposedStringWithCanonicalMapping
        guard email.utf8.count <= maxEmailByteCount, !email.unicodeScalars.contains(where: \.isInvisible) else { throw wrong }
        let sides = email.split(separator: "@", omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else { throw wrong }
        return email
    }

    /// An id that somebody gives themselves in a path: 1...128 ASCII letters, digits, `-`, `_` and `.`, but not `.` or `..`, which a path
    /// cannot carry (RFC 3986 §5.2.4).
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

    /// A password being chosen. Untrimmed: a space at its end is part of it.
    /// - Throws: `.invalid` naming `password`.
    static func newPassword(_ text: String) throws -> Secret<[UInt8]> {
        let password = try presentedPassword(text)
        guard password.exposed.count >= passwordByteCounts.lowerBound else {
            throw Problem(.invalid, "password must have at least \(passwordByteCounts.lowerBound) bytes.", field: "password")
        }
        return password
    }

    /// A password being tried. A short one is not refused here: it is wrong like any other wrong one.
    /// - Throws: `.invalid` naming `password` for what can be nobody's password.
    static func presentedPassword(_ text: String) throws -> Secret<[UInt8]> {
        let bytes = Array(text.utf8)
        guard bytes.count <= passwordByteCounts.upperBound else {
            throw Problem(.invalid, "password must have at most \(passwordByteCounts.upperBound) bytes.", field: "password")
        }
        guard !bytes.contains(0) else { throw Problem(.invalid, "password must not contain a NUL character.", field: "password") }
        return Secret(bytes)
    }

    /// - Returns: `nil` for an empty name: what is unknown is not kept as "".
    /// - Throws: `.invalid` naming `name`.
    static func name(_ text: String?) throws -> String? {
        try TextRules.optionalLine(text, field: "name", max: maxNameLength)
    }
}

extension Unicode.Scalar {
    /// Spaces, controls and what only steers the letters around it (zero-width joiners, direction marks): two addresses that look alike
    /// must not be two accounts.
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
