import Blobs
import NIOCore

/// Copies the bytes of blobs into a store, under the same keys.
struct BlobMover: Sendable {
    /// A smaller blob is sent to a remote store without asking first whether the store has it: the request would take as long as sending
    /// the blob again.
    private static let askedByteCount: Int64 = 1 << 20

    /// Opens the bytes of a blob; `nil` when they do not exist.
    let open: @Sendable (BlobRow) async throws -> (any ByteSource)?
    let target: any BlobStore
    /// Whether the target probably has the bytes of most blobs. If so, the target is asked about every blob. `false` for a copy: its target
    /// has only the bytes of the batch in which an earlier run was killed.
    var expectsBytes = false
    /// Whenever this number of bytes has been copied, and at the end of a batch, the copied blobs are published. In a local store, the next
    /// run finds only published blobs. If a batch were published only as a whole, its copies would be lost when the run is killed, or when
    /// the batch takes longer than `BlobLimits.publishing`.
    var publishedByteCount: Int64 = 64 << 20
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

    /// Why the source does not have the bytes. Only errors of the source become one of these. An error of the target, such as
    /// `BlobError.missing`, means something else, for example that the upload is missing.
    private enum Unreadable: Error {
        case missing
        case damaged
    }

    /// Returns once the bytes are durable under their keys. Bytes that the target has already are not copied again, except those of small
    /// blobs in a remote store.
    func move(_ blobs: [BlobRow]) async throws -> Moved {
        var moved = Moved()
        var staged: [StagedBlob] = []
        var stagedByteCount: Int64 = 0
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
                case .staged(let copy):
                    moved.count += 1
                    staged.append(copy)
                    stagedByteCount += copy.byteCount
                    guard stagedByteCount >= publishedByteCount else { break }
                    try await target.publish(staged)
                    (staged, stagedByteCount) = ([], 0)
                case .missing(let key): moved.missing.append(key)
                case .damaged(let key): moved.damaged.append(key)
                }
            }
        }
        try await target.publish(staged)
        return moved
    }

    /// - Parameter asks: whether the target is asked first whether it has the bytes.
    private func stage(_ blob: BlobRow, asks: Bool) async throws -> Outcome {
        if asks, try await exists(blob) {
            progress(Int(blob.byteCount))
            return .there
        }
        do {
            return try await copy(blob)
        } catch BlobError.refused(let reason) {
            // Perhaps another program, such as one that copies buckets, has stored an object of this name.
            guard let isRight = try await isIntact(blob) else { throw BlobError.refused(reason) }
            if isRight { return .there }
            try await target.delete(blob.key)
            return try await copy(blob)
        }
    }

    private func copy(_ blob: BlobRow) async throws -> Outcome {
        let source: (any ByteSource)?
        do {
            source = try await open(blob)
        } catch let error as BlobError where error.isUnreadable {
            return .damaged(blob.key)
        }
        guard let source else { return .missing(blob.key) }
        let checked = CheckedBlob(blob, source, progress: progress)
        let writer = try await target.stage(as: blob.key)
        do {
            while let piece = try await Self.next(of: checked) { try await writer.append(piece) }
            return .staged(try await writer.finish())
        } catch {
            await writer.abort()
            switch error {
            case Unreadable.missing: return .missing(blob.key)
            case Unreadable.damaged: return .damaged(blob.key)
            case BlobError.full:
                throw TransferFailure(.unavailable, "No space is left for the target's files. Free some and run the command again.")
            case BlobError.missing:
                throw TransferFailure(
                    .unavailable, "The target's store lost the file \(blob.key.text) while it was sent. Run the command again.")
            default: throw error
            }
        }
    }

    private static func next(of source: CheckedBlob) async throws -> ByteBuffer? {
        do {
            return try await source.next()
        } catch BlobError.missing {
            throw Unreadable.missing
        } catch BlobError.truncated {
            throw Unreadable.damaged
        } catch is CheckedBlob.Mismatch {
            throw Unreadable.damaged
        } catch let error as BlobError where error.isUnreadable {
            throw Unreadable.damaged
        } catch let failure as TransferFailure where failure.kind == .damaged {
            // The disk of the backups cannot read the file.
            throw Unreadable.damaged
        }
    }

    /// Reads the target's bytes.
    /// - Returns: whether they are those of the row; `nil` when there are none.
    private func isIntact(_ blob: BlobRow) async throws -> Bool? {
        do {
            let checked = CheckedBlob(blob, BlobBytes(try await target.open(blob.key))) { _ in }
            while try await checked.next() != nil {}
            return true
        } catch is CheckedBlob.Mismatch {
            return false
        } catch BlobError.missing {
            return nil
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
