package import Core
internal import Crypto

/// Brings a database's schema up to this program's version. Works with any engine whose transactions can lock each other out.
///
/// Each migration and its record are one transaction, so after a crash the next start completes the rest. Every transaction reads
/// again which migrations have run, because another process may be migrating at the same time.
package struct Migrator: Sendable {
    private let clock: WallClock
    /// Returns a migration's statements in the engine's own syntax.
    private let render: @Sendable (Migration) -> [String]

    package init(clock: WallClock, render: @escaping @Sendable (Migration) -> [String]) {
        self.clock = clock
        self.render = render
    }

    /// - Parameter migrations: **all** that this program knows, in the order for a new database. One that has not run yet may precede some
    ///   that have, because each feature numbers its own migrations.
    package func migrate(_ database: some Database, _ migrations: [Migration]) async throws {
        let known = migrations.map { (migration: $0, checksum: Self.checksum($0)) }
        guard Set(migrations.map(\.name)).count == migrations.count else { preconditionFailure("two migrations have the same name") }
        let missing = try await database.write { tx in
            // Lock before anything else: on PostgreSQL, two processes that create the same table at once collide.
            try tx.lock(Self.lockKey)
            try tx.run(
                """
                CREATE TABLE IF NOT EXISTS schema_migration (
                    name TEXT PRIMARY KEY NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL
                )
                """)
            var applied = try Self.applied(tx)
            // Check everything before any migration runs.
            let missing = try known.filter { try !Self.hasRun($0.migration.name, $0.checksum, applied) }.map(\.migration.name)
            for one in known { applied[one.migration.name] = nil }
            if let unknown = applied.keys.min() { throw DatabaseError.migrationUnknown(name: unknown) }
            return Set(missing)
        }
        for (migration, checksum) in known where missing.contains(migration.name) {
            try await database.write { [clock, render] tx in
                try tx.lock(Self.lockKey)
                guard try !Self.hasRun(migration.name, checksum, Self.applied(tx)) else { return }
                for statement in render(migration) { try tx.run(SQL(verbatim: statement)) }
                try tx.run(
                    """
                    INSERT INTO schema_migration (name, checksum, applied_at)
                    VALUES (\(migration.name), \(checksum), \(clock.now))
                    """)
            }
        }
    }

    private static let lockKey = "schema_migration"

    private static func applied(_ tx: ReadTransaction) throws -> [String: String] {
        try tx.rows("SELECT name, checksum FROM schema_migration").reduce(into: [:]) { applied, row in
            applied[try row.get("name")] = try row.get("checksum", as: String.self)
        }
    }

    private static func hasRun(_ name: String, _ checksum: String, _ applied: [String: String]) throws -> Bool {
        guard let recorded = applied[name] else { return false }
        guard recorded == checksum else { throw DatabaseError.migrationChanged(name: name) }
        return true
    }

    /// Hashes the text as written, not as rendered for an engine: the checksum must be the same on both.
    private static func checksum(_ migration: Migration) -> String {
        var hash = SHA256()
        func update(_ statements: [String]) {
            for statement in statements {
                hash.update(data: Array(statement.utf8))
                // ["ab"] and ["a", "b"] are different migrations.
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
