/// Checks a client's JSON before it is decoded, because decoders hash the names of members (see `CombiningMarks`), and because they use
/// much more memory and time for many short values than for a few long ones.
package enum UntrustedJSON {
    /// The most values, names of members included. A decoder uses up to 80 bytes and some microseconds for each. The longest lists in
    /// requests have some thousand.
    package static let valueLimit = 20_000

    /// - Throws: `.invalid` unless the text is UTF-8 (RFC 8259 §8.1) with at most `valueLimit` values and without too many combining marks
    ///   in a row, escaped ones included.
    package static func check(_ text: UnsafeRawBufferPointer) throws {
        // Foundation also reads UTF-16 and UTF-32, which it recognises by a byte order mark or by a zero among the first four bytes. The
        // scan below would not see their marks.
        guard (text.first ?? 0x20) < 0xFE, !text.prefix(4).contains(0) else { throw Problem(.invalid, "The JSON must be UTF-8.") }
        guard !CombiningMarks.areTooMany(inJSON: text) else { throw CombiningMarks.problem(in: "A text") }
        guard !areValuesTooMany(in: text) else { throw Problem(.invalid, "Send JSON with at most \(valueLimit) values.") }
    }

    /// Counts what comes before each value but the first: a comma, a colon, or the beginning of an array or object.
    private static func areValuesTooMany(in text: UnsafeRawBufferPointer) -> Bool {
        guard text.count > valueLimit else { return false }
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        var count = 1
        var isInText = false
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            if isInText {
                if byte == quote { isInText = false } else if byte == backslash { index += 1 }
                continue
            }
            switch byte {
            case quote: isInText = true
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "{"):
                count += 1
                if count > valueLimit { return true }
            default: break
            }
        }
        return false
    }

    package static func check(_ text: String) throws {
        var text = text
        try text.withUTF8 { try check(UnsafeRawBufferPointer($0)) }
    }
}
