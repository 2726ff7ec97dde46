package import Core
internal import Crypto

/// Brings a database's schema up to this program's version. Works with any engine whose transactions can lock each other out.
///
/// Each migration and its record are one transaction, so after a crash the next start completes the rest. A new database gets all
/// migrations in one transaction. Every transaction reads again which migrations have run, because another process may be migrating at the
/// same time.
///
/// A schema may be one release newer than the program: during an upgrade, a newer node migrates it while nodes of the previous release
/// still run.
package struct Migrator: Sendable {
    private let clock: WallClock
    /// Returns a migration's statements in the engine's own syntax.
    private let render: @Sendable (Migration) -> [String]

    package init(clock: WallClock, render: @escaping @Sendable (Migration) -> [String]) {
        self.clock = clock
        self.render = render
    }

    /// - Parameters:
    ///   - migrations: **all** migrations that this program knows, in the order for a new database. One that has not run yet may precede
    ///     some that have run, because each feature numbers its own migrations.
    ///   - release: the program's release; no migration is of a later one.
    package func migrate(_ database: some Database, _ migrations: [Migration], release: Int) async throws {
        let known = migrations.map { (migration: $0, checksum: Self.checksum($0)) }
        guard Set(migrations.map(\.name)).count == migrations.count else { preconditionFailure("two migrations have the same name") }
        precondition(migrations.allSatisfy { (1...release).contains($0.release) }, "a migration is of a later release than the program")
        let missing = try await database.write { tx in
            // Lock before anything else: on PostgreSQL, one of two processes that create the same table at the same time gets an error.
            try tx.lock(Self.lockKey)
            for table in render(Self.tables) { try tx.run(SQL(verbatim: table)) }
            return try Self.missing(of: known, release, tx)
        }
        // A new database needs one commit, and not one for each migration.
        let pending = known.filter { missing.contains($0.migration.name) }
        let steps = pending.count == known.count ? [pending] : pending.map { [$0] }
        for step in steps {
            try await patiently {
                try await database.write { [clock, render] tx in
                    try tx.lock(Self.lockKey)
                    // Another program may have migrated since, even one of a later release.
                    let missing = try Self.missing(of: known, release, tx)
                    for (migration, checksum) in step where missing.contains(migration.name) {
                        for statement in render(migration) { try tx.run(SQL(verbatim: statement)) }
                        try tx.run(
                            """
                            INSERT INTO schema_migration (name, checksum, applied_at)
                            VALUES (\(migration.name), \(checksum), \(clock.now))
                            """)
                        try tx.run("INSERT INTO schema_release (migration, release) VALUES (\(migration.name), \(migration.release))")
                    }
                }
            }
        }
    }

    /// Repeats a migration that could not get a table's lock in time, for at most ten minutes: other nodes serve requests meanwhile.
    private func patiently(_ body: () async throws -> Void) async throws {
        let end = ContinuousClock.now + .seconds(600)
        while true {
            do {
                return try await body()
            } catch DatabaseError.busy where ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    private static let lockKey = "schema_migration"

    /// `schema_release` is a table of its own because older programs created `schema_migration` without a release.
    private static let tables = Migration(
        "schema_migration",
        [
            """
            CREATE TABLE IF NOT EXISTS schema_migration (
                name TEXT PRIMARY KEY NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL
            )
            """,
            #"CREATE TABLE IF NOT EXISTS schema_release (migration TEXT COLLATE "C" PRIMARY KEY NOT NULL, release BIGINT NOT NULL)"#,
        ])

    /// The names of the migrations that have not run. Checks everything before any migration runs.
    private static func missing(
        of known: [(migration: Migration, checksum: String)], _ release: Int, _ tx: ReadTransaction
    ) throws -> Set<String> {
        var applied = try applied(tx)
        var missing: Set<String> = []
        for (migration, checksum) in known {
            guard let recorded = applied.removeValue(forKey: migration.name) else {
                missing.insert(migration.name)
                continue
            }
            guard recorded.checksum == checksum else { throw DatabaseError.migrationChanged(name: migration.name) }
        }
        // What remains is unknown to this program.
        if let schema = applied.values.map(\.release).max(), schema > release + 1 {
            throw DatabaseError.schemaTooNew(schema: schema, program: release)
        }
        // A later release contains all migrations of this one. If the database lacks one of these and has unknown migrations, the two
        // programs have no common history.
        if let unknown = applied.filter({ $0.value.release <= release || !missing.isEmpty }).keys.min() {
            throw DatabaseError.migrationUnknown(name: unknown)
        }
        return missing
    }

    private static func applied(_ tx: ReadTransaction) throws -> [String: (checksum: String, release: Int)] {
        // Migrations without a release are older than the table of releases, so they count as release 1.
        try tx.rows(
            """
            SELECT name, checksum, COALESCE(release, 1) AS release
            FROM schema_migration LEFT JOIN schema_release ON schema_release.migration = schema_migration.name
            """
        ).reduce(into: [:]) { applied, row in
            applied[try row.get("name")] = (try row.get("checksum", as: String.self), try row.get("release", as: Int.self))
        }
    }

    /// Hashes the text as written, not as rendered for an engine: the checksum must be the same on both.
    package static func checksum(_ migration: Migration) -> String {
        var hash = SHA256()
        func update(_ statements: [String]) {
            for statement in statements {
                hash.update(data: Array(statement.utf8))
                // A 0 ends each statement, because ["ab"] and ["a", "b"] are different migrations.
                hash.update(data: [0])
            }
        }
        update(migration.statements)
        // No statement is empty, so a second 0 cannot end one. A migration without engine-specific statements keeps the hash it always had.
        if !migration.sqlite.isEmpty || !migration.postgres.isEmpty {
            for own in [migration.sqlite, migration.postgres] {
                hash.update(data: [0])
                update(own)
            }
        }
        return Hex.encode(hash.finalize())
    }
}
