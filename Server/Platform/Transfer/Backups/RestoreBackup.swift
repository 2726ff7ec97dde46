package import Blobs
import Core
package import Database
import Synchronization

/// Restores a snapshot into an empty database and an empty store, of either engine. It can run again after it was killed.
package struct RestoreBackup: Sendable {
    private let shelf: BackupShelf
    private let database: any Database
    private let store: any BlobStore
    private let rules: TableRules
    private let workFolder: String

    /// - Parameter database: not migrated: the rows are stored in the schema that they had, which is migrated afterwards.
    package init(
        _ shelf: BackupShelf, into database: any Database, _ store: any BlobStore, rules: TableRules, workFolder: String
    ) {
        self.shelf = shelf
        self.database = database
        self.store = store
        self.rules = rules
        self.workFolder = workFolder
    }

    package struct Report: Sendable {
        package let snapshot: Snapshot
        package let rows: Int64
        package let blobs: Int
        /// Files that this run left out, because the place has no intact copy of them; in the order of their keys.
        package let lost: [BlobKey]
        /// Accounts that were deleted after the snapshot, as later backups recorded, and some that the snapshot no longer has.
        package let deletions: [BackupShelf.Deletion]
    }

    /// Loads all rows and bytes. Afterwards the caller repeats the deletions, and then calls `finish`.
    /// - Parameters:
    ///   - id: the snapshot; `nil` for the newest.
    ///   - keepsSessions: whether sessions, and everything else that may have been revoked after the snapshot, are valid again.
    ///   - skipsLost: whether to leave out files that are missing or damaged in the place, and to restore everything else. Their rows are
    ///     restored, as those of files that were damaged when the backup was made.
    ///   - prepare: further changes to the restored rows, before a server sees them. May run twice.
    package func run(
        _ id: String?, keepsSessions: Bool, skipsLost: Bool = false, progress: @escaping @Sendable (TransferStep) -> Void = { _ in },
        prepare: @Sendable (any Database) async throws -> Void
    ) async throws -> Report {
        let all = try await shelf.snapshots()
        guard let id = id ?? all.last else {
            throw TransferFailure(.refused, "There is no complete snapshot in \(shelf.place.description).")
        }
        let snapshot = try await shelf.snapshot(id)
        let names = Set(rules.migrations.map(\.name))
        if let unknown = snapshot.migrations.first(where: { !names.contains($0) }) {
            throw TransferFailure(
                .refused, "The snapshot was made by a newer version of keepsake (\(snapshot.program)): it has \(unknown). Use that version."
            )
        }
        let state = TransferState(database: database, clock: shelf.clock)
        var rows: Int64 = 0
        var blobs = 0
        let lost = LostBlobs()
        if try await !isLoaded(snapshot, state) {
            // The schema that the rows had.
            try await database.migrate(rules.migrations.filter { snapshot.migrations.contains($0.name) })
            _ = try await state.begin(.restore, from: snapshot.id, rules.tables(of: database), rules, confirm: requireEmptyStore)
            let folder = try await WorkFolder.make(in: workFolder, entropy: shelf.entropy)
            let result: Result<SnapshotLoader.Counts, any Error>
            do {
                result = .success(try await load(snapshot, keepsSessions, folder.path, skipsLost ? lost : nil, progress))
            } catch {
                result = .failure(error)
            }
            await folder.remove()
            let counts = try result.get()
            rows = Int64(counts.rows.written)
            blobs = counts.blobs
            try await prepare(database)
            try await state.advance(to: .loaded)
        }
        try await database.migrate(rules.migrations)
        let deletions = try await shelf.deletions(after: snapshot.createdAt - BackupShelf.Deletion.overlap)
        return Report(snapshot: snapshot, rows: rows, blobs: blobs, lost: lost.keys, deletions: deletions)
    }

    package func finish() async throws { try await TransferState(database: database, clock: shelf.clock).advance(to: .finished) }

    /// Only before the first run: an interrupted one has stored files.
    private func requireEmptyStore() async throws {
        for try await _ in store.list(olderThan: nil) {
            throw TransferFailure(
                .refused,
                """
                The target's store has files already. Use an empty store: if another installation uses this one, each would delete the other's                 files as files without a row.
                """)
        }
    }

    /// Whether an earlier run loaded this snapshot, and was killed later.
    private func isLoaded(_ snapshot: Snapshot, _ state: TransferState) async throws -> Bool {
        guard try await database.tables().contains(where: { $0.name == "transfer" }), let known = try await state.stage() else {
            return false
        }
        return known.kind == .restore && known.source == snapshot.id && known.stage == .loaded
    }

    /// - Parameter lost: gets the files that the place has no intact copy of; `nil` to stop at the first ones.
    private func load(
        _ snapshot: Snapshot, _ keepsSessions: Bool, _ folder: String, _ lost: LostBlobs?,
        _ progress: @escaping @Sendable (TransferStep) -> Void
    ) async throws -> SnapshotLoader.Counts {
        try await SnapshotFiles(shelf).fetch(snapshot, into: folder)
        progress(.total(rows: snapshot.tables.reduce(0) { $0 + $1.rowCount }, bytes: snapshot.blobByteCount))
        let absent = Set(snapshot.missing + snapshot.damaged)
        return try await SnapshotLoader(
            snapshot: snapshot, folder: folder, database: database, store: store, rules: rules,
            emptied: rules.unrestored.union(keepsSessions ? [] : rules.revocable),
            open: { [shelf] blob in try await shelf.place.read(BackupNames.blob(blob.key))?.bytes },
            damaged: { keys in
                if let lost { return lost.add(keys) }
                throw TransferFailure(
                    .damaged,
                    """
                    The bytes of these files in the backup are not those that were stored: \(Self.list(keys)). Bring them back from a copy of \
                    the backup, or restore everything else with --without-damaged.
                    """)
            },
            missing: { keys in
                let missing = keys.filter { !absent.contains($0) }
                guard !missing.isEmpty else { return }
                if let lost { return lost.add(missing) }
                throw TransferFailure(
                    .damaged,
                    """
                    These files are missing in the backup: \(Self.list(missing)). Restore another snapshot, or restore everything else with \
                    --without-damaged.
                    """)
            },
            progress: progress
        ).load()
    }

    private static func list(_ keys: [BlobKey]) -> String { keys.map(\.text).joined(separator: ", ") }
}

/// The files that a restore leaves out.
private final class LostBlobs: Sendable {
    private let list = Mutex<[BlobKey]>([])

    var keys: [BlobKey] { list.withLock { $0 }.sorted() }
    func add(_ more: [BlobKey]) { list.withLock { $0 += more } }
}
