/// A JSON object that was written ahead, for example while its row was the current one. Copying its bytes into a page costs less than
/// keeping the row's values until the page is written.
package struct JSONFragment: Sendable {
    let bytes: [UInt8]

    package var byteCount: Int { bytes.count }

    /// - Parameters:
    ///   - byteCount: the approximate length in bytes.
    ///   - write: writes the object's fields.
    /// - Throws: `JSONWriter.NotFinite`, and whatever `write` throws.
    package init(expecting byteCount: Int, _ write: (inout JSONWriter) throws -> Void) throws {
        bytes = try JSONWriter(capacity: max(byteCount, 64), write).withBytes { Array($0) }
    }
}
