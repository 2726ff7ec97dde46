import Core

/// A complete file of an upload, before it is published, as its examiner reads it.
package struct StagedFile: Sendable {
    let blob: StagedBlob
    let store: any BlobStore
    let spool: BlobSpool?
    let files: BlobFiles?

    /// Calls `body` with a descriptor of a local file that holds all bytes. The descriptor is closed when `body` returns.
    /// - Parameter isLong: whether `body` may take seconds.
    /// - Throws: as `BlobFiles.withFile`.
    package func withDescriptor<Value>(isLong: Bool, _ body: (CInt) async throws -> Value) async throws -> Value {
        if let file = await spool?.finish(byteCount: blob.byteCount) {
            let value = try await body(file.descriptor)
            withExtendedLifetime(file) {}
            return value
        }
        if let files { return try await files.withFile(of: blob.key, in: store, isStaged: true, isLong: isLong, body) }
        guard let descriptor = try await store.openStaged(blob.key).duplicateDescriptor() else { throw BlobError.missing(blob.key) }
        defer { Disk.close(descriptor) }
        return try await body(descriptor)
    }
}
