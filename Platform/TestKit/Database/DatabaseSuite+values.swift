internal import Core
internal import Database

extension DatabaseSuite {
    private static let everyKind = [
        """
        CREATE TABLE kind (
            id TEXT PRIMARY KEY NOT NULL COLLATE "C", whole BIGINT, fraction DOUBLE PRECISION, words TEXT, raw BYTEA, flag SMALLINT
        )
        """
    ]

    static let values: [Check] = [
        check("Every kind of value comes back as it was bound", everyKind) { database in
            let wholes: [Int64?] = [.min, -1, 0, 1, .max, nil]
            let fractions: [Double?] = [-1.5, 0, 3, 1e300, .leastNonzeroMagnitude, nil]
            let words: [String?] = [
                "", "plain", "it's \"quoted\" ? $1 :a @b", "naïve 日本語 👩‍👩‍👧", String(repeating: "long ", count: 5_000), nil,
            ]
            let raw: [[UInt8]?] = [[], [0], Array(0...255), Array(repeating: 7, count: 100_000), [0xFF, 0xFE], nil]
            let flags: [Bool?] = [true, false, true, false, nil, nil]
            for index in wholes.indices {
                let (w, f, s, r, b) = (wholes[index], fractions[index], words[index], raw[index], flags[index])
                let row = try await database.write { tx in
                    try tx.run(
                        "INSERT INTO kind (id, whole, fraction, words, raw, flag) VALUES (\("\(index)"), \(w), \(f), \(s), \(r), \(b))")
                    return try tx.row("SELECT whole, fraction, words, raw, flag FROM kind WHERE id = \("\(index)")")
                }
                guard let row else { throw Failure(description: "row \(index) is missing") }
                try expectEqual(try row.get("whole"), w)
                try expectEqual(try row.get("fraction"), f)
                try expectEqual(try row.get("words"), s)
                try expectEqual(try row.get("raw"), r)
                try expectEqual(try row.get("flag"), b)
            }
        },
        check("A moment keeps its microseconds", everyKind) { database in
            let moment = Timestamp(microseconds: 1_700_000_000_123_457)
            let read: Timestamp? = try await database.write { tx in
                try tx.row("INSERT INTO kind (id, whole) VALUES ('t', \(moment)) RETURNING whole")?.get("whole")
            }
            try expectEqual(read, moment)
        },
        check("A text with U+0000 is refused, never cut short", everyKind) { database in
            _ = try await expectThrows {
                try await database.write { tx in try tx.run("INSERT INTO kind (id, words) VALUES ('z', \("a\u{0}b"))") }
            }
            let row = try await database.read { tx in try tx.row("SELECT id FROM kind") }
            try expect(row == nil, "a row was kept")
        },
        check("A column read as another kind, or missing, throws with its name", everyKind) { database in
            try await database.write { tx in try tx.run("INSERT INTO kind (id, words) VALUES ('k', 'text')") }
            for column in ["words", "whole", "absent"] {
                let error = try await expectThrows {
                    try await database.read { tx in
                        try tx.row("SELECT words, whole FROM kind")?.get(column, as: Int.self)
                    }
                }
                try expectEqual(error as? DatabaseError, .column(column))
            }
        },
        check("Text compares by its bytes", everyKind) { database in
            let ids = ["a", "B", "Z", "_", "é", "z", "0", "aa"]
            let sorted = try await database.write { tx in
                for id in ids { try tx.run("INSERT INTO kind (id) VALUES (\(id))") }
                return try tx.rows("SELECT id FROM kind ORDER BY id").map { try $0.get("id", as: String.self) }
            }
            try expectEqual(sorted, ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        },
    ]
}
