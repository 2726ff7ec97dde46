import Blobs
import Core
import Database

/// Brings a snapshot's rows, and the bytes that they name, into a database and a store.
struct SnapshotLoader: Sendable {
    /// The most tables whose rows are hashed at the same time, each in its own read: while one waits for the database, the other hashes.
    private static let tablesAtOnce = 2
    /// The most files that are deleted at the same time. An object store takes two requests for each.
    private static let deletionsAtOnce = 8

    let snapshot: Snapshot
    /// The folder with the row files.
    let folder: String
    let database: any Database
    let store: any BlobStore
    let rules: TableRules
    /// Tables that stay or become empty.
    let emptied: Set<String>
    let open: @Sendable (BlobRow) async throws -> (any ByteSource)?
    /// Called with blobs that are not stored, because their bytes are not those of their rows. Throws to stop the load.
    let damaged: @Sendable ([BlobKey]) async throws -> Void
    /// Called with blobs whose bytes are missing. Throws to stop the load.
    let missing: @Sendable ([BlobKey]) async throws -> Void
    let progress: @Sendable (TransferStep) -> Void

    struct Counts: Sendable {
        var rows = RowLoader.Counts()
        var blobs = 0
    }

    /// - Returns: what was changed.
    /// - Throws: `TransferFailure` with `.damaged` when the rows afterwards are not those of the snapshot.
    func load() async throws -> Counts {
        let tables = try await rules.tables(of: database)
        try compare(tables)
        let mover = BlobMover(open: open, target: store) { [progress] in progress(.bytes($0)) }
        let blobs = Tally()
        let loader = RowLoader(
            database: database, rules: rules,
            beforeBlobs: { [damaged, missing] rows in
                let moved = try await mover.move(rows)
                if !moved.damaged.isEmpty { try await damaged(moved.damaged) }
                if !moved.missing.isEmpty { try await missing(moved.missing) }
                blobs.add(moved.count)
            },
            beforeBlobDeletion: { [store] keys in
                _ = try await together(keys, atMost: Self.deletionsAtOnce) { try await store.delete($0) }
            },
            progress: { [progress] in progress(.rows($0)) })
        let rows = try await loader.load(tables) { [folder, emptied] table in
            emptied.contains(table.name) ? nil : Snapshot.path(of: table.name, in: folder)
        }
        try await verify(tables)
        return Counts(rows: rows, blobs: blobs.count)
    }

    private func compare(_ tables: [StoredTable]) throws {
        let names = Set(tables.map(\.name)), given = Set(snapshot.tables.map(\.name))
        if let odd = names.symmetricDifference(given).min() {
            throw TransferFailure(.refused, "The table \(odd) exists on one side only. Both sides need the same version of keepsake.")
        }
        for table in tables {
            guard let given = snapshot.tables.first(where: { $0.name == table.name }), given.fits(table) else {
                throw TransferFailure(
                    .refused, "The columns of \(table.name) differ between source and target. Both sides need the same version of keepsake."
                )
            }
        }
    }

    private func verify(_ tables: [StoredTable]) async throws {
        try await together(tables.filter { !emptied.contains($0.name) }, atMost: Self.tablesAtOnce) { try await verify($0) }
    }

    private func verify(_ table: StoredTable) async throws {
        let found = try await Snapshot.hash(table, of: database)
        guard let wanted = snapshot.tables.first(where: { $0.name == table.name }), found == wanted else {
            throw TransferFailure(
                .damaged,
                """
                The target's \(found.rowCount) rows of \(table.name) differ from the source's. Perhaps a server used the target meanwhile; \
                start with an empty target.
                """)
        }
        progress(.verified(Int(found.rowCount)))
    }
}

/// The progress of a running transfer since its previous report.
package enum TransferStep: Sendable {
    /// Rows and bytes in total; reported once.
    case total(rows: Int64, bytes: Int64)
    case rows(Int)
    case bytes(Int)
    /// Rows compared after everything was written.
    case verified(Int)
}
