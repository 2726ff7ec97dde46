/// A type that writes itself as a JSON object without an encoder, for the most frequent responses.
package protocol JSONSource {
    /// Writes the type's fields, each with one call. The writer adds braces, commas and quotes.
    func write(to json: inout JSONWriter)
}

/// A wire type that writes itself. The JSON is equivalent to that of `encode(to:)`; a test compares the two.
package protocol JSONWritable: JSONSource, Encodable {}

extension JSONSource {
    /// Passes the JSON (RFC 8259, UTF-8) to `body`, which must copy what it keeps.
    /// - Parameters:
    ///   - byteCount: the approximate length in bytes, which saves moving the buffer while it grows.
    ///   - most: maximum length in bytes. Longer JSON needs hardly more memory than this.
    /// - Throws: `JSONWriter.NotFinite`; `JSONWriter.TooLong`; whatever `body` throws.
    package func withJSON<Result>(
        expecting byteCount: Int = 4_096, most: Int = .max, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try JSONWriter(self, capacity: max(byteCount, 64), most: most).withBytes(body)
    }
}
