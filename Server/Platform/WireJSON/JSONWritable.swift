/// A type that writes itself as a JSON object, without an encoder between: for the answers that are asked for most. What it writes means
/// the same as what its `encode(to:)` does; a test holds the two against each other.
package protocol JSONWritable: Encodable {
    /// Writes its fields, each by one call. Braces, commas and quotes are the writer's.
    func write(to json: inout JSONWriter)
}

extension JSONWritable {
    /// Hands its JSON (RFC 8259, UTF-8) to `body`, which copies what it keeps.
    /// - Parameter byteCount: about how long it will be: then nothing has to be moved while it grows.
    /// - Throws: `JSONWriter.NotFinite`, and whatever `body` throws.
    package func withJSON<Result>(
        expecting byteCount: Int = 4_096, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try JSONWriter(self, capacity: max(byteCount, 64)).withBytes(body)
    }
}
