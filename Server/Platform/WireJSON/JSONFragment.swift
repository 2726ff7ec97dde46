/// A JSON object that is encoded before the response that contains it, for example as soon as its row has been read. Copying its bytes into
/// the response costs less than keeping the row's values until then.
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
