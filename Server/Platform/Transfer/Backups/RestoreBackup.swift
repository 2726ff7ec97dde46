package import Blobs
import Core
package import Database
import Synchronization

/// Restores a snapshot into an empty database and an empty store, of either engine. It can run again after it was killed.
package struct RestoreBackup: Sendable {
    private let repository: BackupRepository
    private let database: any Database
    private let store: any BlobStore
    private let rules: TableRules
    private let workFolder: String

    /// - Parameter database: an empty database, not migrated. The restore creates the schema that the rows had, inserts the rows, and
    ///   migrates them afterwards.
    package init(
        _ repository: BackupRepository, into database: any Database, _ store: any BlobStore, rules: TableRules, workFolder: String
    ) {
        self.repository = repository
        self.database = database
        self.store = store
        self.rules = rules
        self.workFolder = workFolder
    }

    package struct Report: Sendable {
        package let snapshot: Snapshot
        package let rows: Int64
        package let blobs: Int
        /// Files that are missing in the target, because the place has no intact copy of them; in the order of their keys.
        package let lost: [BlobKey]
        /// Files that are missing in the target, because they were damaged or deleted when the backup was made.
        package let absent: [BlobKey]
        /// Whether an earlier run finished this restore. If so, this run changed no rows, because a server may have written rows since
        /// then. It only restored missing files.
        package let wasFinished: Bool
        /// Accounts that were deleted after the snapshot, as later backups recorded, each once. The list may also have accounts that were
        /// deleted shortly before the snapshot, which no longer has these.
        package let deletions: [BackupRepository.Deletion]
    }

    /// Loads all rows and bytes. Afterwards the caller repeats the deletions, and then calls `finish`.
    /// - Parameters:
    ///   - id: the snapshot; `nil` for the newest.
    ///   - keepsSessions: whether sessions, and everything else that may have been revoked after the snapshot, are valid again.
    ///   - skipsLost: whether to leave out files that are missing or damaged in the place, and to restore everything else. Their rows are
    ///     restored nevertheless, like those of files that were damaged when the backup was made.
    ///   - prepare: further changes to the restored rows, before a server sees them. May run twice.
    package func run(
        _ id: String?, keepsSessions: Bool, skipsLost: Bool = false, progress: @escaping @Sendable (TransferStep) -> Void = { _ in },
        prepare: @Sendable (any Database) async throws -> Void
    ) async throws -> Report {
        let all = try await repository.snapshots()
        let isNewest = id == nil
        guard let id = id ?? all.last else {
            throw TransferFailure(.refused, "There is no complete snapshot in \(repository.place.description).")
        }
        let snapshot = try await repository.snapshot(id)
        guard !isNewest || snapshot.createdAt <= repository.clock.now + .hours(1) else {
            throw TransferFailure(
                .refused,
                """
                The last snapshot, \(id), is dated in the future, so another snapshot may be newer. Either this machine's clock is wrong, \
                or the clock of the machine that made the snapshot was. Correct this machine's clock, or name a snapshot with --snapshot; \
                keepsake backup list lists them.
                """)
        }
        let names = Set(rules.migrations.map(\.name))
        if let unknown = snapshot.migrations.first(where: { !names.contains($0) }) {
            throw TransferFailure(
                .refused, "The snapshot was made by a newer version of keepsake (\(snapshot.program)): it has \(unknown). Use that version."
            )
        }
        let state = TransferState(database: database, clock: repository.clock)
        let known = try await stage(of: snapshot, state)
        var rows: Int64 = 0
        var blobs = 0
        let missing = MissingBlobs(snapshot)
        if known == nil || known == .loading {
            // This creates the schema that the rows had.
            try await database.migrate(rules.migrations.filter { snapshot.migrations.contains($0.name) })
            _ = try await state.begin(.restore, from: snapshot.id, rules.tables(of: database), rules, confirm: requireEmptyStore)
            let folder = try await WorkFolder.make(in: workFolder, entropy: repository.entropy)
            let result: Result<SnapshotLoader.Counts, any Error>
            do {
                result = .success(try await load(snapshot, keepsSessions, folder.path, skipsLost: skipsLost, missing, progress))
            } catch {
                result = .failure(error)
            }
            await folder.remove()
            let counts = try result.get()
            rows = Int64(counts.rows.written)
            blobs = counts.blobs
        }
        if known != nil {
            let found = try await AbsentBlobs(database: database, store: store, open: open).bringBack()
            blobs += found.copied
            missing.replace(found.damaged + found.missing)
            // A restore that has finished has nothing to stop.
            if known == .loading, !skipsLost {
                if !found.damaged.isEmpty { throw damaged(found.damaged) }
                if !missing.lost.isEmpty { throw self.missing(missing.lost) }
            }
        }
        if known == nil || known == .loading {
            try await prepare(database)
            try await state.advance(to: .loaded)
        }
        try await database.migrate(rules.migrations)
        let deletions = try await repository.deletions(since: snapshot)
        return Report(
            snapshot: snapshot, rows: rows, blobs: blobs, lost: missing.lost, absent: missing.absent, wasFinished: known == .finished,
            deletions: deletions)
    }

    package func finish() async throws { try await TransferState(database: database, clock: repository.clock).advance(to: .finished) }

    /// Call it only before the first run: an interrupted run has stored files.
    private func requireEmptyStore() async throws {
        for try await _ in store.list(olderThan: nil) {
            throw TransferFailure(
                .refused,
                """
                The target's store has files already. Use an empty store: if another installation uses this one, each would delete the \
                other's files, because its own database does not list them.
                """)
        }
    }

    /// How far an earlier run with this snapshot came; `nil` if there was none.
    private func stage(of snapshot: Snapshot, _ state: TransferState) async throws -> TransferState.Stage? {
        guard let known = try await state.knownStage(), known.kind == .restore, known.source == snapshot.id else { return nil }
        return known.stage
    }

    private var open: @Sendable (BlobRow) async throws -> (any ByteSource)? {
        { [repository] blob in try await repository.place.read(BackupNames.blob(blob.key))?.bytes }
    }

    /// - Parameter found: gets the files that the place has no intact copy of.
    private func load(
        _ snapshot: Snapshot, _ keepsSessions: Bool, _ folder: String, skipsLost: Bool, _ found: MissingBlobs,
        _ progress: @escaping @Sendable (TransferStep) -> Void
    ) async throws -> SnapshotLoader.Counts {
        try await SnapshotFiles(repository).fetch(snapshot, into: folder)
        progress(.total(rows: snapshot.tables.reduce(0) { $0 + $1.rowCount }, bytes: snapshot.blobByteCount))
        return try await SnapshotLoader(
            snapshot: snapshot, folder: folder, database: database, store: store, rules: rules,
            emptied: rules.unrestored.union(keepsSessions ? [] : rules.revocable),
            open: open,
            damaged: { keys in
                guard skipsLost else { throw damaged(keys) }
                found.add(keys)
            },
            missing: { keys in
                let lost = found.add(keys)
                if !lost.isEmpty, !skipsLost { throw missing(lost) }
            },
            progress: progress
        ).load()
    }

    private func damaged(_ keys: [BlobKey]) -> TransferFailure {
        TransferFailure(
            .damaged,
            """
            The bytes of these files in the backup are not those that were stored: \(Self.list(keys)). Bring them back from a copy of the \
            backup, or restore everything else with --without-damaged.
            """)
    }

    private func missing(_ keys: [BlobKey]) -> TransferFailure {
        TransferFailure(
            .damaged,
            """
            These files are missing in the backup: \(Self.list(keys)). Restore another snapshot, or restore everything else with \
            --without-damaged.
            """)
    }

    private static func list(_ keys: [BlobKey]) -> String { keys.map(\.text).joined(separator: ", ") }
}

/// The files that a restore leaves out.
private final class MissingBlobs: Sendable {
    private let expected: Set<BlobKey>
    private let keys = Mutex<[BlobKey]>([])

    init(_ snapshot: Snapshot) { expected = Set(snapshot.missing + snapshot.damaged) }

    /// The missing files that the backup should have.
    var lost: [BlobKey] { keys.withLock { $0 }.filter { !expected.contains($0) }.sorted() }
    /// The missing files that the backup lacked from the beginning.
    var absent: [BlobKey] { keys.withLock { $0 }.filter { expected.contains($0) }.sorted() }

    /// - Returns: those of `more` that the backup should have.
    @discardableResult
    func add(_ more: [BlobKey]) -> [BlobKey] {
        keys.withLock { $0 += more }
        return more.filter { !expected.contains($0) }
    }

    func replace(_ all: [BlobKey]) { keys.withLock { $0 = all } }
}
