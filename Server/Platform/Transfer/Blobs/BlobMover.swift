import Blobs

/// Copies the bytes of blobs into a store, under the same keys.
struct BlobMover: Sendable {
    /// Blobs that are copied at the same time.
    private static let concurrency = 8

    /// Opens the bytes of a blob; `nil` when they do not exist.
    let open: @Sendable (BlobRow) async throws -> (any ByteSource)?
    let target: any BlobStore
    /// Called with the number of bytes copied since the last call.
    let progress: @Sendable (Int) -> Void

    struct Moved: Sendable {
        var count = 0
        var missing: [BlobKey] = []
        var damaged: [BlobKey] = []
    }

    private enum Outcome: Sendable {
        case there
        case staged(StagedBlob)
        case missing(BlobKey)
        case damaged(BlobKey)
    }

    /// Returns once the bytes are durable under their keys. Bytes that the target has already are not copied again.
    func move(_ blobs: [BlobRow]) async throws -> Moved {
        var moved = Moved()
        var staged: [StagedBlob] = []
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            var rest = blobs.filter(\.isLive)[...]
            for blob in rest.prefix(Self.concurrency) { group.addTask { try await stage(blob) } }
            rest = rest.dropFirst(Self.concurrency)
            while let outcome = try await group.next() {
                switch outcome {
                case .there: break
                case .staged(let blob): staged.append(blob)
                case .missing(let key): moved.missing.append(key)
                case .damaged(let key): moved.damaged.append(key)
                }
                if let blob = rest.popFirst() { group.addTask { try await stage(blob) } }
            }
        }
        try await target.publish(staged)
        moved.count = staged.count
        return moved
    }

    private func stage(_ blob: BlobRow) async throws -> Outcome {
        if try await exists(blob) {
            progress(Int(blob.byteCount))
            return .there
        }
        guard let source = try await open(blob) else { return .missing(blob.key) }
        let checked = CheckedBlob(blob, source, progress: progress)
        let writer = try await target.stage(as: blob.key)
        do {
            while let piece = try await checked.next() { try await writer.append(piece) }
            return .staged(try await writer.finish())
        } catch {
            await writer.abort()
            switch error {
            case is CheckedBlob.Differs, BlobError.truncated: return .damaged(blob.key)
            case BlobError.missing(let key) where key == blob.key: return .missing(blob.key)
            case BlobError.full:
                throw TransferFailure(.unavailable, "No space is left for the target's files. Free some and run the command again.")
            default: throw error
            }
        }
    }

    /// Bytes are published whole and never changed, so comparing their number is enough.
    private func exists(_ blob: BlobRow) async throws -> Bool {
        do {
            return try await target.open(blob.key).byteCount == blob.byteCount
        } catch BlobError.missing {
            return false
        }
    }
}
