package import Core
package import Database

/// What a database knows about transfers: the installation that its rows belong to, whether it is the target of an unfinished copy or
/// restore, and when it was last backed up.
package struct TransferState: TableOwner {
    package static let migrations = [
        Migration(
            "transfer/001-transfer",
            [
                """
                CREATE TABLE installation (
                    one SMALLINT PRIMARY KEY NOT NULL CONSTRAINT installation_one CHECK (one = 1),
                    id TEXT COLLATE "C" NOT NULL
                )
                """,
                """
                CREATE TABLE transfer (
                    one SMALLINT PRIMARY KEY NOT NULL CONSTRAINT transfer_one CHECK (one = 1),
                    kind TEXT COLLATE "C" NOT NULL CONSTRAINT transfer_kind CHECK (kind IN ('copy', 'restore')),
                    source TEXT COLLATE "C" NOT NULL,
                    stage TEXT COLLATE "C" NOT NULL CONSTRAINT transfer_stage CHECK (stage IN ('loading', 'loaded', 'finished')),
                    at BIGINT NOT NULL
                )
                """,
            ]),
        Migration(
            "transfer/002-backup-record",
            [
                """
                CREATE TABLE backup_record (
                    one SMALLINT PRIMARY KEY NOT NULL CONSTRAINT backup_record_one CHECK (one = 1),
                    at BIGINT NOT NULL
                )
                """
            ], release: 2),
    ]

    /// Copies and backups leave out both tables: the target of a copy keeps its own transfer state, although it gets the installation's id
    /// from the source, and a copied or restored installation has no backup yet.
    package static var localTables: [String] { ["transfer", "backup_record"] }

    package enum Kind: String, Sendable { case copy, restore }

    package enum Stage: String, Sendable {
        /// Rows are missing, or differ from the source.
        case loading
        /// All rows are there; a restore has more to do.
        case loaded
        case finished
    }

    private let database: any Database
    private let clock: WallClock

    package init(database: any Database, clock: WallClock) {
        self.database = database
        self.clock = clock
    }

    /// - Returns: the id of the installation; `nil` when it has none yet.
    package func knownInstallation() async throws -> String? {
        try await database.read { tx in try tx.row("SELECT id FROM installation")?.get("id", as: String.self) }
    }

    /// The id of the installation, made at the first call.
    package func installation(candidate: String) async throws -> String {
        try await database.write { tx in
            try tx.run("INSERT INTO installation (one, id) VALUES (1, \(candidate)) ON CONFLICT (one) DO NOTHING")
            guard let row = try tx.row("SELECT id FROM installation") else { throw DatabaseError.column("installation.id") }
            return try row.get("id")
        }
    }

    /// Called by a server before it serves. A finished target becomes an installation of its own, so that no further copy overwrites it.
    /// - Throws: when a copy or restore into this database is not finished.
    package func beginServing() async throws {
        try await requireFinished()
        try await database.run("DELETE FROM transfer WHERE stage = 'finished'")
    }

    /// - Throws: when a copy or restore into this database is not finished.
    package func requireFinished() async throws {
        guard let stage = try await knownStage() else { return }
        switch (stage.kind, stage.stage) {
        case (_, .finished): break
        case (.copy, _):
            throw Problem(
                .unavailable,
                "this is an unfinished copy of another installation; stop that one and run keepsake copy again, without --prepare")
        case (.restore, _): throw Problem(.unavailable, "a restore of a backup has not finished; run keepsake restore again")
        }
    }

    /// Like `stage`. Also returns `nil` when the database has no table of transfers, because nothing or an older version has migrated
    /// the database.
    func knownStage() async throws -> (kind: Kind, source: String, stage: Stage)? {
        // `tables()` is not used: it reads all tables, and tables of a newer release may have forms that this release does not know.
        let isMigrated: Bool
        do {
            isMigrated = try await database.read { tx in
                try tx.row("SELECT name FROM schema_migration WHERE name = 'transfer/001-transfer'") != nil
            }
        } catch DatabaseError.engine {
            // An empty database does not have the table `schema_migration` either.
            isMigrated = false
        }
        return isMigrated ? try await stage() : nil
    }

    package func stage() async throws -> (kind: Kind, source: String, stage: Stage)? {
        try await database.read { tx in
            guard let row = try tx.row("SELECT kind, source, stage FROM transfer") else { return nil }
            guard let kind = Kind(rawValue: try row.get("kind")), let stage = Stage(rawValue: try row.get("stage")) else {
                throw DatabaseError.column("transfer.stage")
            }
            return (kind, try row.get("source"), stage)
        }
    }

    /// Declares the database the target of a transfer.
    /// - Parameters:
    ///   - source: what is copied; a later run must name the same source.
    ///   - confirm: runs before the first run begins; when it throws, the database is not a target.
    /// - Returns: the state that an earlier run reached.
    /// - Throws: when the database has rows that do not come from an earlier run with the same source.
    func begin(
        _ kind: Kind, from source: String, _ tables: [StoredTable], _ rules: TableRules, confirm: () async throws -> Void = {}
    ) async throws -> Stage {
        if let known = try await stage() {
            guard known.kind == kind, known.source == source else {
                if kind == .restore, known.kind == .restore {
                    throw TransferFailure(
                        .refused,
                        """
                        The target holds a restore of another snapshot, \(known.source), and this one is \(source). Empty the target's database \
                        and files (the data folder, with SQLite and local files), or name new ones. To continue the earlier restore, give \
                        --snapshot \(known.source).
                        """)
                }
                throw TransferFailure(
                    .refused, "The target is an earlier \(known.kind.rawValue) of something else. Use an empty database and an empty store."
                )
            }
            return known.stage
        }
        for table in tables where !rules.filled.contains(table.name) {
            guard try await database.read({ tx in try tx.row(table.statements.any) }) == nil else {
                // The message does not name the table, because its name says nothing to somebody who restores a backup.
                if kind == .restore {
                    throw TransferFailure(
                        .refused,
                        """
                        The target is not empty: it holds an installation that was in use, and restore never overwrites one. To replace \
                        it, stop its server, move its data folder away (with PostgreSQL or a bucket: name an empty database or bucket), \
                        and run the command again. To bring back single files, see "A damaged file" in docs/operations/backup.md.
                        """)
                }
                throw TransferFailure(
                    .refused,
                    """
                    The target is not empty: its table \(table.name) has rows. A copy continues only in a target that has an earlier copy \
                    of the same source, and that no server has used since. Use an empty database and an empty store.
                    """)
            }
        }
        try await confirm()
        try await database.write { [clock] tx in
            try tx.run(
                """
                INSERT INTO transfer (one, kind, source, stage, at)
                VALUES (1, \(kind.rawValue), \(source), \(Stage.loading.rawValue), \(clock.now))
                """)
        }
        return .loading
    }

    package func advance(to stage: Stage) async throws {
        try await database.run("UPDATE transfer SET stage = \(stage.rawValue), at = \(clock.now)")
    }

    /// - Parameter moment: when the rows of a snapshot without damaged files were read.
    func recordBackup(at moment: Timestamp) async throws {
        try await database.run(
            """
            INSERT INTO backup_record (one, at) VALUES (1, \(moment))
            ON CONFLICT (one) DO UPDATE SET at = excluded.at WHERE backup_record.at < excluded.at
            """)
    }

    /// When the rows of the newest snapshot without damaged files were read.
    /// - Returns: `nil` when this database has no such snapshot.
    package func lastBackup() async throws -> Timestamp? {
        try await database.read { tx in try tx.row("SELECT at FROM backup_record")?.get("at", as: Timestamp.self) }
    }
}
