import Blobs

/// Copies the bytes of blobs into a store, under the same keys.
struct BlobMover: Sendable {
    /// A smaller blob is sent to a remote store without asking first whether the store has it: the request would take as long as sending
    /// the blob again.
    private static let askedByteCount: Int64 = 1 << 20

    /// Opens the bytes of a blob; `nil` when they do not exist.
    let open: @Sendable (BlobRow) async throws -> (any ByteSource)?
    let target: any BlobStore
    /// Whether the target probably has the bytes, so that it is asked about every blob. A copy only finds those of the batch in which an
    /// earlier run was killed.
    var expectsBytes = false
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

    /// Returns once the bytes are durable under their keys. Bytes that the target has already are not copied again, except those of small
    /// blobs in a remote store.
    func move(_ blobs: [BlobRow]) async throws -> Moved {
        var moved = Moved()
        var staged: [StagedBlob] = []
        try await withThrowingTaskGroup(of: (BlobRow, Outcome).self) { group in
            var window = BlobWindow(blobs.filter(\.isLive))
            while true {
                while let blob = window.next() {
                    let asks = expectsBytes || !target.isRemote || blob.byteCount >= Self.askedByteCount
                    group.addTask { (blob, try await stage(blob, asks: asks)) }
                }
                guard let (blob, outcome) = try await group.next() else { break }
                window.ended(blob)
                switch outcome {
                case .there: break
                case .staged(let copy): staged.append(copy)
                case .missing(let key): moved.missing.append(key)
                case .damaged(let key): moved.damaged.append(key)
                }
            }
        }
        try await target.publish(staged)
        moved.count = staged.count
        return moved
    }

    /// - Parameter asks: whether the target is asked first whether it has the bytes.
    private func stage(_ blob: BlobRow, asks: Bool) async throws -> Outcome {
        if asks, try await exists(blob) {
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
            // The store has this key with bytes that it cannot compare, because another program brought them. `abort` has deleted them.
            case BlobError.refused where !asks: return try await stage(blob, asks: true)
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
