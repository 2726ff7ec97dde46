/// Checks a client's JSON before it is decoded, because decoders hash the names of members (see `CombiningMarks`).
package enum UntrustedJSON {
    /// - Throws: `.invalid` unless the text is UTF-8 (RFC 8259 §8.1) without too many combining marks in a row, escaped ones included.
    package static func check(_ text: UnsafeRawBufferPointer) throws {
        // Foundation also reads UTF-16 and UTF-32, which it recognises by a byte order mark or by a zero among the first four bytes. The
        // scan below would not see their marks.
        guard (text.first ?? 0x20) < 0xFE, !text.prefix(4).contains(0) else { throw Problem(.invalid, "The JSON must be UTF-8.") }
        guard !CombiningMarks.areTooMany(inJSON: text) else { throw CombiningMarks.problem(in: "A text") }
    }

    package static func check(_ text: String) throws {
        var text = text
        try text.withUTF8 { try check(UnsafeRawBufferPointer($0)) }
    }
}
