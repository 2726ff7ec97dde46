import Blobs
import Database

/// Brings back the bytes that a target lacks although it has their rows: a run of a restore that is repeated finds these rows, and so would
/// not copy their bytes again.
struct AbsentBlobs: Sendable {
    private static let pageCount = 256

    let database: any Database
    let store: any BlobStore
    /// Opens the bytes of a blob in the source; `nil` when they do not exist.
    let open: @Sendable (BlobRow) async throws -> (any ByteSource)?

    struct Found: Sendable {
        /// Files that were brought back.
        var copied = 0
        /// Files that are still missing in the target, because the source has none of their bytes.
        var missing: [BlobKey] = []
        /// The same, because the bytes of the source are not those that were stored.
        var damaged: [BlobKey] = []
    }

    /// Looks up the bytes of every live row.
    func bringBack() async throws -> Found {
        let mover = BlobMover(open: open, target: store) { _ in }
        var found = Found()
        var last = ""
        while true {
            let entries = try await database.read { [last] tx in
                try tx.list(BlobLedger.live(after: last, count: Self.pageCount), BlobLedger.Entry.init)
            }
            guard let end = entries.last else { return found }
            last = end.key.text
            let moved = try await mover.move(entries.map { BlobRow($0) })
            found.copied += moved.count
            found.missing += moved.missing
            found.damaged += moved.damaged
        }
    }
}
