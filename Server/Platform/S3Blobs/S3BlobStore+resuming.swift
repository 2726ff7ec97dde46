import Blobs
import Core
import Crypto
import NIOCore

extension S3BlobStore {
    /// Continues where an earlier writer of this process made its last checkpoint.
    func resume(_ checkpoint: BlobCheckpoint, at position: S3BlobWriter.Position) async throws -> S3BlobWriter {
        let tail = try await tail(of: checkpoint)
        let writer = S3BlobWriter(
            key: checkpoint.key, stagedAt: checkpoint.stagedAt, isResumable: true, store: self, at: position)
        try await writer.takeTail(tail.bytes)
        return writer
    }

    /// Continues a blob of another process, which may still be writing it, under a new key.
    ///
    /// First, the multipart upload of the other process is completed with all parts that the store has. This ends the upload: the store
    /// accepts no more parts from the other process, and that process can no longer complete the blob. If it deletes the blob later, it
    /// does not harm the new one. Then the parts up to the checkpoint are copied within the store. If the other process had finished the
    /// blob before, its object has the same beginning and is the source.
    func takeOver(_ checkpoint: BlobCheckpoint) async throws -> S3BlobWriter {
        let key = newKey()
        guard checkpoint.byteCount > 0 else {
            return S3BlobWriter(key: key, stagedAt: checkpoint.stagedAt, isResumable: true, store: self)
        }
        let tail = try await tail(of: checkpoint)
        let complete = checkpoint.byteCount - Int64(tail.bytes.readableBytes)
        guard complete % Int64(S3BlobWriter.partByteCount) == 0 else { throw BlobError.truncated(checkpoint.key) }
        let count = Int(complete / Int64(S3BlobWriter.partByteCount))
        var position = S3BlobWriter.Position()
        position.byteCount = checkpoint.byteCount
        var leftovers = [S3Names.tail(checkpoint.key, at: checkpoint.byteCount)]
        if count == 0 {
            tail.bytes.withUnsafeReadableBytes { position.sha256?.update(bufferPointer: $0) }
        } else {
            // The bytes of an unfinished upload cannot be read. `finish` reads the whole blob once.
            position.sha256 = nil
            guard let old = tail.upload else { throw BlobError.missing(checkpoint.key) }
            let source = S3Names.blob(checkpoint.key)
            leftovers.append(source)
            (position.upload, position.parts) = try await mapped(checkpoint.key) {
                try await self.seal(source, old, count)
                let upload = try await self.client.createUpload(S3Names.blob(key))
                do {
                    return (upload, try await self.copy(source, to: S3Names.blob(key), upload, count))
                } catch {
                    self.inBackground { [client = self.client] in try await client.abortUpload(S3Names.blob(key), upload) }
                    throw error
                }
            }
        }
        let writer = S3BlobWriter(
            key: key, stagedAt: checkpoint.stagedAt, isResumable: true, store: self, at: position, leftovers: leftovers)
        try await writer.takeTail(tail.bytes)
        return writer
    }

    private func tail(of checkpoint: BlobCheckpoint) async throws -> (bytes: ByteBuffer, upload: String?) {
        let name = S3Names.tail(checkpoint.key, at: checkpoint.byteCount)
        let tail = try await mapped(checkpoint.key) { try await client.getWhole(name, maxByteCount: S3BlobWriter.partByteCount) }
        guard let tail else { throw BlobError.missing(checkpoint.key) }
        return tail
    }

    /// Makes an object that begins with the first `count` parts, unless the upload has ended. The object has all parts that the store
    /// lists, because radosgw refuses a completion that leaves out some. The other process may be sending more parts meanwhile, so this
    /// repeats.
    private func seal(_ name: String, _ upload: String, _ count: Int) async throws {
        var attempts = 0
        while true {
            do {
                let parts = try await client.listParts(name, upload)
                let wanted = parts.prefix(count)
                guard wanted.map(\.number) == Array(1...count), wanted.allSatisfy({ $0.byteCount == Int64(S3BlobWriter.partByteCount) })
                else { throw BlobError.missing(S3Names.key(ofBlob: name) ?? newKey()) }
                return try await client.sendComplete(name, upload, parts)
            } catch let error as S3Error where error.status == 404 {
                // The other process has completed the upload, or an earlier resumption has sealed it. If there is no object, copying it
                // fails.
                return
            } catch let error as S3Error where S3Client.isAboutParts(error) && attempts < 5 {
                attempts += 1
                try await client.pause(attempts)
            }
        }
    }

    private func copy(_ source: String, to name: String, _ upload: String, _ count: Int) async throws -> [S3Client.Part] {
        let size = Int64(S3BlobWriter.partByteCount)
        return try await withThrowingTaskGroup(of: S3Client.Part.self) { group in
            var parts: [S3Client.Part] = []
            for number in 1...count {
                if number > 4, let part = try await group.next() { parts.append(part) }
                group.addTask { [client] in
                    let start = Int64(number - 1) * size
                    return try await client.copyPart(name, upload, number: number, from: source, start..<start + size)
                }
            }
            for try await part in group { parts.append(part) }
            return parts.sorted { $0.number < $1.number }
        }
    }
}
