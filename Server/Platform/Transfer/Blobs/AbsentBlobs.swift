import Blobs
import Database

/// Brings back the bytes that a target lacks although it has their rows. A restore that runs again finds these rows, so without this step
/// it would not copy their bytes.
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
        /// Files that are still missing in the target, because the bytes in the source are not those that were stored.
        var damaged: [BlobKey] = []
    }

    /// Looks up the bytes of every live row.
    func bringBack() async throws -> Found {
        let mover = BlobMover(open: open, target: store, expectsBytes: true) { _ in }
        var found = Found()
        var last = ""
        while true {
            // The statement reads only these columns: before the end of a restore, the schema is that of the snapshot.
            let rows = try await database.read { [last] tx in
                try tx.rows(
                    """
                    SELECT key, sha256, byte_count, state FROM blob WHERE state = 'live' AND key > \(last)
                    ORDER BY key LIMIT \(Self.pageCount)
                    """
                ).map { try BlobRow($0) }
            }
            guard let end = rows.last else { return found }
            last = end.key.text
            let moved = try await mover.move(rows)
            found.copied += moved.count
            found.missing += moved.missing
            found.damaged += moved.damaged
        }
    }
}
