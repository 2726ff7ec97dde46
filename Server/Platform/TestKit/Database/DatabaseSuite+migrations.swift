internal import Database

extension DatabaseSuite {
    private static let first = Migration("alpha/001-first", [#"CREATE TABLE alpha (id TEXT PRIMARY KEY NOT NULL COLLATE "C")"#])
    private static let second = Migration(
        "beta/001-second",
        [
            "CREATE TABLE beta (n BIGINT NOT NULL)", "INSERT INTO beta (n) VALUES (1)", "CREATE INDEX beta_n ON beta (n)",
        ])

    private static func rows(_ database: any Database, _ table: String) async throws -> Int? {
        let sql: SQL = table == "alpha" ? "SELECT COUNT(*) AS n FROM alpha" : "SELECT COUNT(*) AS n FROM beta"
        return try? await database.read { tx in try tx.row(sql)?.get("n") }
    }

    private static func record(_ database: any Database) async throws -> [String] {
        try await database.read { tx in try tx.rows("SELECT name FROM schema_migration ORDER BY name").map { try $0.get("name") } }
    }

    /// A check that opens its own handles. All of them are closed at its end.
    private static func check(
        _ description: String, _ body: @escaping @Sendable (_ open: @Sendable () async throws -> any Database) async throws -> Void
    ) -> Check {
        Check(description) { open, store in
            let handles = Handles()
            do {
                try await body {
                    let database = try await open(store)
                    await handles.add(database)
                    return database
                }
            } catch {
                try? await handles.close()
                throw error
            }
            try await handles.close()
        }
    }

    private actor Handles {
        private var all: [any Database] = []
        func add(_ database: any Database) { all.append(database) }
        func close() async throws { for database in all { try await database.close() } }
    }

    static let migrations: [Check] = [
        check("Migrations run once, in order, on a fresh store and not again on a later start") { open in
            let database = try await open()
            try await database.migrate([first, second])
            try await database.migrate([first, second])
            let restarted = try await open()
            try await restarted.migrate([first, second])
            try expectEqual(try await rows(restarted, "beta"), 1)
            try expectEqual(try await record(restarted), [first.name, second.name])
        },
        check("A migration whose text has changed is refused before anything runs") { open in
            let database = try await open()
            try await database.migrate([first])
            let changed = Migration(first.name, first.statements + ["INSERT INTO alpha (id) VALUES ('x')"])
            let error = try await expectThrows { try await database.migrate([second, changed]) }
            try expectEqual(error as? DatabaseError, .migrationChanged(name: first.name))
            try expectEqual(try await rows(database, "beta"), nil)
            try expectEqual(try await rows(database, "alpha"), 0)
        },
        check("A store written by a newer program is refused before anything runs") { open in
            let database = try await open()
            try await database.migrate([first])
            let error = try await expectThrows { try await database.migrate([second]) }
            try expectEqual(error as? DatabaseError, .migrationUnknown(name: first.name))
            try expectEqual(try await rows(database, "beta"), nil)
        },
        check("A store that is one release newer is used as it is, and one that is two releases newer is refused") { open in
            let database = try await open()
            let next = Migration("beta/002-next", ["ALTER TABLE beta ADD COLUMN m BIGINT"], release: 2)
            try await database.migrate([first, second, next])
            let older = try await open()
            try await older.migrate([first, second], release: 1)
            try expectEqual(try await record(older), [first.name, second.name, next.name].sorted())
            try await older.write { tx in try tx.run("INSERT INTO beta (n) VALUES (2)") }
            try expectEqual(try await rows(older, "beta"), 2)
            let last = Migration("beta/003-last", ["CREATE TABLE gamma (n BIGINT)"], release: 3)
            try await database.migrate([first, second, next, last])
            let error = try await expectThrows { try await older.migrate([first, second], release: 1) }
            try expectEqual(error as? DatabaseError, .schemaTooNew(schema: 3, program: 1))
            try await older.migrate([first, second, next], release: 2)
        },
        check("A newer store without one of this program's migrations is refused") { open in
            let database = try await open()
            try await database.migrate([first, Migration("gamma/001", ["CREATE TABLE gamma (n BIGINT)"], release: 2)])
            let error = try await expectThrows { try await database.migrate([first, second], release: 1) }
            try expectEqual(error as? DatabaseError, .migrationUnknown(name: "gamma/001"))
            try expectEqual(try await rows(database, "beta"), nil)
        },
        check("A store from before releases were recorded is of release 1") { open in
            let database = try await open()
            try await database.migrate([first, second])
            try await database.write { tx in try tx.run("DROP TABLE schema_release") }
            let error = try await expectThrows { try await database.migrate([first], release: 1) }
            try expectEqual(error as? DatabaseError, .migrationUnknown(name: second.name))
            try await database.migrate([first, second], release: 2)
            try expectEqual(try await rows(database, "beta"), 1)
        },
        check("A new migration may stand before one that has run") { open in
            let database = try await open()
            try await database.migrate([second])
            try await database.migrate([first, second])
            try expectEqual(try await rows(database, "alpha"), 0)
            try expectEqual(try await rows(database, "beta"), 1)
        },
        check("A failing statement rolls back its migration, keeps earlier ones, and the next start continues") { open in
            let database = try await open()
            let broken = Migration(second.name, second.statements + ["INSERT INTO nowhere (n) VALUES (1)"])
            try await database.migrate([first])
            _ = try await expectThrows { try await database.migrate([first, broken]) }
            try expectEqual(try await rows(database, "alpha"), 0)
            try expectEqual(try await rows(database, "beta"), nil)
            try expectEqual(try await record(database), [first.name])
            try await database.migrate([first, second])
            try expectEqual(try await rows(database, "beta"), 1)
        },
        check("A failing statement leaves a new database empty, and the next start creates everything") { open in
            let database = try await open()
            let broken = Migration(second.name, second.statements + ["INSERT INTO nowhere (n) VALUES (1)"])
            _ = try await expectThrows { try await database.migrate([first, broken]) }
            try expectEqual(try await rows(database, "alpha"), nil)
            try expectEqual(try await record(database), [])
            try await database.migrate([first, second])
            try expectEqual(try await rows(database, "beta"), 1)
        },
        check("Statements for one engine run after the shared ones, and only on that engine") { open in
            let database = try await open()
            let own = Migration(
                "own/001", ["CREATE TABLE own (n BIGINT)"], sqlite: ["CREATE INDEX own_n ON own (n)", "INSERT INTO own (n) VALUES (1)"],
                postgres: ["INSERT INTO own (n) VALUES (1)", "ALTER TABLE own ALTER COLUMN n SET NOT NULL"])
            try await database.migrate([own])
            let count = try await database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM own")?.get("n", as: Int.self) }
            try expectEqual(count, 1)
            // The checksum covers the statements of both engines: a change for one engine is a change of the migration.
            for changed in [
                Migration(own.name, own.statements, sqlite: ["SELECT 1"], postgres: own.postgres),
                Migration(own.name, own.statements, sqlite: own.sqlite, postgres: own.postgres + ["SELECT 1"]),
                Migration(own.name, own.statements, sqlite: own.postgres, postgres: own.sqlite),
                Migration(own.name, own.statements + own.sqlite + own.postgres),
            ] {
                let error = try await expectThrows { try await database.migrate([changed]) }
                try expectEqual(error as? DatabaseError, .migrationChanged(name: own.name))
            }
        },
        check("A migration without statements for one engine keeps the checksum it had before those existed") { open in
            let database = try await open()
            try await database.migrate([first])
            let mark = try await database.read { tx in try tx.row("SELECT checksum FROM schema_migration")?.get("checksum", as: String.self)
            }
            try expectEqual(mark, "dd96ca6f25a40e84620ca1ed5060d7f39b21f88ff0a93351eee68d97d20dec32")
        },
        check("Two programs that start at the same time migrate once") { open in
            let many = (1...10).map {
                Migration("many/\($0)", ["CREATE TABLE many\($0) (n BIGINT)", "INSERT INTO many\($0) (n) VALUES (1)"])
            }
            let handles = [try await open(), try await open(), try await open()]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for handle in handles { group.addTask { try await handle.migrate(many) } }
                try await group.waitForAll()
            }
            try expectEqual(try await record(handles[0]).count, 10)
            let rows = try await handles[2].read { tx in try tx.rows("SELECT n FROM many10").count }
            try expectEqual(rows, 1)
        },
    ]
}
