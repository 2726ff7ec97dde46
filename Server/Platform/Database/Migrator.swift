package import Core
internal import Crypto

/// Brings a database's schema up to this program's. Any engine: it needs only transactions that hold each other off.
///
/// Each migration and its record are one transaction, so a start that was killed anywhere is completed by the next. Every
/// transaction asks again what has run: another process may be migrating at the same time.
package struct Migrator: Sendable {
    private let clock: WallClock
    /// The engine's statements of a migration, in its spelling.
    private let render: @Sendable (Migration) -> [String]

    package init(clock: WallClock, render: @escaping @Sendable (Migration) -> [String]) {
        self.clock = clock
        self.render = render
    }

    /// - Parameter migrations: **all** that this program knows, in the order a fresh database takes them. One that has not run
    ///   yet may stand before some that have: rooms number their migrations each for itself.
    package func migrate(_ database: some Database, _ migrations: [Migration]) async throws {
        let known = migrations.map { (migration: $0, checksum: Self.checksum($0)) }
        guard Set(migrations.map(\.name)).count == migrations.count else { preconditionFailure("two migrations of one name") }
        let missing = try await database.write { tx in
            // First of all: two processes that create the same table at once collide on PostgreSQL.
            try tx.lock(Self.lockKey)
            try tx.run(
                """
                CREATE TABLE IF NOT EXISTS schema_migration (
                    name TEXT PRIMARY KEY NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL
                )
                """)
            var applied = try Self.applied(tx)
            // Everything is checked before anything runs.
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

    /// Of the text as it was written, not as it was rendered: it must not change with the engine.
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
        // No statement is empty, so a second 0 cannot be one's end. What all engines share hashes as it always did.
        if !migration.sqlite.isEmpty || !migration.postgres.isEmpty {
            for own in [migration.sqlite, migration.postgres] {
                hash.update(data: [0])
                update(own)
            }
        }
        return Hex.encode(hash.finalize())
    }
}
