import Blobs
import Core

/// Stores the bytes that a snapshot names and the place does not have. Compares two sorted lists, so it needs no memory for either.
struct BackupBlobs: Sendable {
    /// The most blobs that are stored at the same time.
    private static let concurrency = 8

    let source: TransferSource
    let repository: BackupRepository
    let progress: @Sendable (TransferStep) -> Void
    /// The most files that may be missing or damaged. The description of the snapshot lists these files, and it must fit in memory.
    var mostAbsent = 1_000_000

    struct Counts: Sendable {
        var blobs = 0
        var bytes: Int64 = 0
        var newBlobs = 0
        var newBytes: Int64 = 0
        var missing: [BlobKey] = []
        var damaged: [BlobKey] = []
    }

    private enum Outcome: Sendable {
        case stored(BlobRow)
        case missing(BlobKey)
        case damaged(BlobKey)
    }

    func store(_ snapshot: Snapshot, in folder: String) async throws -> Counts {
        var counts = Counts()
        var total: Int64 = 0
        var sizes = try BlobRows(snapshot, in: folder)
        while case let page = try sizes.page(512), !page.isEmpty { total += page.reduce(0) { $0 + $1.byteCount } }
        progress(.total(rows: 0, bytes: total))

        var rows = try BlobRows(snapshot, in: folder)
        let stored = StoredBlobs(repository.place)
        while case let page = try rows.page(256), !page.isEmpty {
            var new: [BlobRow] = []
            for blob in page {
                counts.blobs += 1
                counts.bytes += blob.byteCount
                if try await stored.byteCount(of: blob.key) == blob.byteCount {
                    progress(.bytes(Int(blob.byteCount)))
                } else {
                    new.append(blob)
                }
            }
            try await store(new, &counts)
            guard counts.missing.count + counts.damaged.count <= mostAbsent else {
                throw TransferFailure(
                    .damaged,
                    """
                    More than \(mostAbsent) files are missing or damaged at the source, so no snapshot was made. Check that the settings \
                    name the right folder or bucket, and that its disk is mounted; then run the command again.
                    """)
            }
        }
        return counts
    }

    private func store(_ blobs: [BlobRow], _ counts: inout Counts) async throws {
        for outcome in try await together(blobs, atMost: Self.concurrency, { try await store($0) }) {
            switch outcome {
            case .stored(let blob):
                counts.newBlobs += 1
                counts.newBytes += blob.byteCount
            case .missing(let key): counts.missing.append(key)
            case .damaged(let key): counts.damaged.append(key)
            }
        }
    }

    private func store(_ blob: BlobRow) async throws -> Outcome {
        do {
            guard let bytes = try await source.open(blob) else { return .missing(blob.key) }
            let checked = CheckedBlob(blob, bytes) { [progress] in progress(.bytes($0)) }
            try await repository.place.write(BackupNames.blob(blob.key), byteCount: blob.byteCount, checked)
            return .stored(blob)
        } catch let error as CheckedBlob.Mismatch {
            return .damaged(error.key)
        } catch BlobError.missing(let key) where key == blob.key {
            return .missing(key)
        } catch BlobError.truncated {
            return .damaged(blob.key)
        } catch let error as BlobError where error.isUnreadable {
            return .damaged(blob.key)
        }
    }
}

/// The blobs that a place has, looked up in ascending order.
///
/// Only one task uses it.
final class StoredBlobs {
    private let place: any BackupPlace
    private let listing: any BackupListing
    private var entries: [(key: BlobKey, byteCount: Int64)] = []
    private var position = 0
    private var isAtEnd = false

    init(_ place: any BackupPlace) {
        self.place = place
        listing = place.list(BackupNames.blobs)
    }

    /// - Parameter key: a key after that of the last call.
    /// - Returns: `nil` when the place does not have it.
    func byteCount(of key: BlobKey) async throws -> Int64? {
        while let next = try await peek(), next.key < key { position += 1 }
        guard let next = try await peek(), next.key == key else { return nil }
        return next.byteCount
    }

    /// Returns the next blob and advances; `nil` at the end.
    func next() async throws -> BlobKey? {
        let next = try await peek()
        position += 1
        return next?.key
    }

    private func peek() async throws -> (key: BlobKey, byteCount: Int64)? {
        while position >= entries.count {
            guard !isAtEnd else { return nil }
            let listed = try await listing.next()
            isAtEnd = listed.isEmpty
            entries = []
            position = 0
            for entry in listed {
                if let key = BackupNames.key(ofBlob: entry.name) {
                    entries.append((key, entry.byteCount))
                } else if BackupNames.isUnfinished(entry.name) {
                    try await place.delete(entry.name)
                }
            }
        }
        return entries[position]
    }
}
