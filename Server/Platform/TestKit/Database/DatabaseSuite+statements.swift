internal import Database

extension DatabaseSuite {
    private static let schema = [
        """
        CREATE TABLE owner (id TEXT PRIMARY KEY NOT NULL COLLATE "C", name TEXT NOT NULL, email TEXT)
        """,
        "CREATE UNIQUE INDEX owner_email ON owner (email, name)",
        """
        CREATE TABLE thing (
            id TEXT PRIMARY KEY NOT NULL COLLATE "C",
            owner TEXT NOT NULL COLLATE "C" REFERENCES owner (id) ON DELETE CASCADE,
            stars BIGINT,
            CONSTRAINT thing_stars CHECK (stars BETWEEN 0 AND 5)
        )
        """,
        "CREATE INDEX thing_by_owner ON thing (owner, id)",
        "INSERT INTO owner (id, name, email) VALUES ('o1', 'Ada', 'ada@example.org')",
    ]

    static let statements: [Check] = [
        check("run counts the rows it changed, and no others", schema) { database in
            let counts = try await database.write { tx in
                [
                    try tx.run("INSERT INTO thing (id, owner, stars) VALUES ('a', 'o1', 1), ('b', 'o1', 2), ('c', 'o1', NULL)"),
                    try tx.run("UPDATE thing SET stars = 3 WHERE stars < 3"),
                    try tx.run("UPDATE thing SET stars = 3 WHERE id = 'nobody'"),
                    try tx.run("CREATE TABLE another (id BIGINT)"),
                    try tx.run("DELETE FROM owner WHERE id = 'o1'"),
                    try tx.run("DELETE FROM thing WHERE id = 'a'"),
                ]
            }
            // The foreign key's cascade also deletes things; it does not count.
            try expectEqual(counts, [3, 2, 0, 0, 1, 0])
        },
        check("A statement that runs alone is committed, counts the rows it changed, and leaves nothing when it fails", schema) {
            database in
            let counts = [
                try await database.run("INSERT INTO thing (id, owner, stars) VALUES ('a', 'o1', 1), ('b', 'o1', \(2))"),
                try await database.run("INSERT INTO thing (id, owner, stars) VALUES ('a', 'o1', 1) ON CONFLICT DO NOTHING"),
                try await database.run("UPDATE thing SET stars = 3 WHERE id = 'nobody'"),
            ]
            try expectEqual(counts, [2, 0, 0])
            let error = try await expectThrows {
                try await database.run("INSERT INTO thing (id, owner, stars) VALUES ('c', 'o1', 1), ('d', 'o1', 6)")
            }
            try expectEqual(error as? DatabaseError, .checkViolation(constraint: "thing_stars"))
            let ids = try await database.list("SELECT id FROM thing ORDER BY id") { try $0.next("id") as String }
            try expectEqual(ids, ["a", "b"])
        },
        check("Statements sent without waiting run in the order of the calls, before later ones and before the commit", schema) {
            database in
            let seen = try await database.write { tx in
                for number in 0..<200 { try tx.send("INSERT INTO thing (id, owner, stars) VALUES (\(String(number)), 'o1', 0)") }
                try tx.send("UPDATE thing SET stars = 1", expecting: 200, otherwise: DatabaseError.full)
                let seen = try tx.row("SELECT COUNT(*) AS n FROM thing WHERE stars = 1")?.get("n", as: Int.self)
                try tx.send("UPDATE thing SET stars = 5 WHERE id = \("7")", expecting: 1, otherwise: DatabaseError.full)
                try tx.send("DELETE FROM thing WHERE stars = 1")
                return seen
            }
            try expectEqual(seen, 200)
            let ids = try await database.list("SELECT id FROM thing") { try $0.next("id") as String }
            try expectEqual(ids, ["7"])
        },
        check("A statement sent without waiting fails its transaction with its own error, even if the closure catches it", schema) {
            database in
            let failing: [(DatabaseError, @Sendable (WriteTransaction) throws -> Void)] = [
                (.uniqueViolation(constraint: "thing.id"), { tx in try tx.send("INSERT INTO thing (id, owner) VALUES ('a', 'o1')") }),
                (.foreignKeyViolation, { tx in try tx.send("INSERT INTO thing (id, owner) VALUES ('b', 'nobody')") }),
                (.checkViolation(constraint: "thing_stars"), { tx in try tx.send("UPDATE thing SET stars = \(6)") }),
                (.full, { tx in try tx.send("UPDATE thing SET stars = 1 WHERE id = 'b'", expecting: 1, otherwise: DatabaseError.full) }),
            ]
            for (expected, fail) in failing {
                let asLast: @Sendable (WriteTransaction) throws -> Void = { tx in
                    try tx.send("INSERT INTO thing (id, owner) VALUES ('a', 'o1')")
                    try? fail(tx)
                }
                let beforeOthers: @Sendable (WriteTransaction) throws -> Void = { tx in
                    try asLast(tx)
                    try? tx.send("INSERT INTO thing (id, owner) VALUES ('c', 'o1')")
                    _ = try? tx.row("SELECT id FROM thing")
                    _ = try? tx.run("INSERT INTO thing (id, owner) VALUES ('d', 'o1')")
                }
                for body in [asLast, beforeOthers] {
                    let error = try await expectThrows { try await database.write(body) }
                    try expectEqual(error as? DatabaseError, expected)
                    let ids = try await database.list("SELECT id FROM thing") { try $0.next("id") as String }
                    try expectEqual(ids, [])
                }
            }
        },
        check("RETURNING yields the rows after the change", schema) { database in
            let stars: [Int] = try await database.write { tx in
                try tx.run("INSERT INTO thing (id, owner, stars) VALUES ('a', 'o1', 1), ('b', 'o1', 2)")
                return try tx.rows("UPDATE thing SET stars = stars + \(1) WHERE owner = \("o1") RETURNING stars").map {
                    try $0.get("stars")
                }
            }
            try expectEqual(stars.sorted(), [2, 3])
        },
        check("ON CONFLICT DO NOTHING RETURNING yields a row only for the first insert", schema) { database in
            let insert: @Sendable (String) async throws -> Bool = { id in
                try await database.write { tx in
                    try tx.row("INSERT INTO thing (id, owner) VALUES (\(id), 'o1') ON CONFLICT DO NOTHING RETURNING id") != nil
                }
            }
            let answers = [try await insert("x"), try await insert("x"), try await insert("y")]
            try expectEqual(answers, [true, false, true])
        },
        check("ON CONFLICT DO UPDATE RETURNING counts up", schema) { database in
            let numbers: [Int] = try await database.write { tx in
                try tx.run("CREATE TABLE head (id BIGINT PRIMARY KEY, seq BIGINT NOT NULL)")
                return try (1...3).map { n in
                    let sql: SQL = """
                        INSERT INTO head (id, seq) VALUES (1, \(n)) ON CONFLICT (id) DO UPDATE SET seq = head.seq + \(n) RETURNING seq
                        """
                    guard let row = try tx.row(sql) else { throw Failure(description: "no row") }
                    return try row.get("seq")
                }
            }
            try expectEqual(numbers, [1, 3, 6])
        },
        check("NULLS LAST puts nulls last", schema) { database in
            let ids: [String] = try await database.write { tx in
                try tx.run("INSERT INTO thing (id, owner, stars) VALUES ('n', 'o1', NULL), ('a', 'o1', 1), ('b', 'o1', 5)")
                return try tx.rows("SELECT id FROM thing ORDER BY stars DESC NULLS LAST").map { try $0.get("id") }
            }
            try expectEqual(ids, ["b", "a", "n"])
        },
        check("A constraint violation names the constraint's kind and no values", schema) { database in
            let broken: @Sendable (SQL) async throws -> DatabaseError? = { sql in
                let error = try await expectThrows { try await database.write { tx in try tx.run(sql) } }
                try expect(!"\(error)".contains("canary"), "the error shows a bound value: \(error)")
                return error as? DatabaseError
            }
            try await database.write { tx in try tx.run("INSERT INTO owner (id, name, email) VALUES ('canary', 'canary', 'canary')") }
            if case .uniqueViolation(let what)? = try await broken("INSERT INTO owner (id, name) VALUES (\("canary"), 'x')") {
                try expect(what.contains("owner"), "\(what) does not name the table")
            } else {
                throw Failure(description: "a duplicate primary key threw no error")
            }
            let twice: SQL = "INSERT INTO owner (id, name, email) VALUES ('c2', \("canary"), \("canary"))"
            if case .uniqueViolation(let what)? = try await broken(twice) {
                try expect(what.contains("owner") && what.contains("email"), "\(what) does not name the columns")
            } else {
                throw Failure(description: "a duplicate in a unique index threw no error")
            }
            try expectEqual(try await broken("INSERT INTO thing (id, owner) VALUES ('t', \("no canary"))"), .foreignKeyViolation)
            try expectEqual(
                try await broken("INSERT INTO thing (id, owner, stars) VALUES (\("canary"), 'o1', \(6))"),
                .checkViolation(constraint: "thing_stars"))
            if case .engine? = try await broken("INSERT INTO owner (id, name) VALUES (\("canary 2"), \(nil as String?))") {
            } else {
                throw Failure(description: "a NULL in a NOT NULL column threw no error")
            }
        },
        check("An invalid statement throws an error that shows no values", schema) { database in
            let error = try await expectThrows {
                try await database.read { tx in try tx.rows("SELECT nothing FROM nowhere WHERE a = \("canary")") }
            }
            guard case .engine? = error as? DatabaseError else { throw Failure(description: "\(error)") }
            try expect(!"\(error)".contains("canary"), "the error shows a bound value")
        },
        check("The query plan names the index that a query uses", schema) { database in
            let plan = try await database.plan("SELECT id FROM thing WHERE owner = \("o1") ORDER BY id")
            try expect(plan.contains { $0.contains("thing_by_owner") }, "\(plan)")
        },
    ]
}
