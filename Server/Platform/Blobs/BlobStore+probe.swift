package import Core
import NIOCore

extension BlobStore {
    /// Writes a small blob, publishes it, reads it back and deletes it, for `keepsake doctor`.
    /// - Throws: `BlobError.unfaithful` when other bytes come back, or the error of the step that failed.
    package func probe(entropy: Entropy = .system) async throws {
        let bytes = ByteBuffer(bytes: entropy.bytes(4096))
        let writer = try await stage()
        do {
            try await writer.append(bytes)
            try await publish([try await writer.finish()])
            var read = ByteBuffer()
            let reader = try await open(writer.key)
            for try await chunk in reader.chunks(in: 0..<reader.byteCount) { read.writeImmutableBuffer(chunk) }
            guard read == bytes else { throw BlobError.unfaithful }
            try await delete(writer.key)
        } catch {
            await writer.abort()
            try? await delete(writer.key)
            throw error
        }
    }
}
