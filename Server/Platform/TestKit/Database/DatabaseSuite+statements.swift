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
