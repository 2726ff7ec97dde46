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
        check("A value of every kind is read as it was bound", everyKind) { database in
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
        check("A timestamp keeps its microseconds", everyKind) { database in
            let moment = Timestamp(microseconds: 1_700_000_000_123_457)
            let read: Timestamp? = try await database.write { tx in
                try tx.row("INSERT INTO kind (id, whole) VALUES ('t', \(moment)) RETURNING whole")?.get("whole")
            }
            try expectEqual(read, moment)
        },
        check("A text with U+0000 is rejected, never truncated", everyKind) { database in
            let error = try await expectThrows {
                try await database.write { tx in try tx.run("INSERT INTO kind (id, words) VALUES ('z', \("a\u{0}b"))") }
            }
            try expectEqual(error as? DatabaseError, .nulInText)
            let row = try await database.read { tx in try tx.row("SELECT id FROM kind") }
            try expect(row == nil, "a row was kept")
        },
        check("A list reads values of every kind in column order, in its own or a given transaction", everyKind) { database in
            let words: [String?] = ["", "it's ? \"quoted\"", "naïve 日本語", String(repeating: "long ", count: 5_000), nil]
            try await database.write { tx in
                for (index, words) in words.enumerated() {
                    let whole: Int64? = index == 1 ? nil : Int64.min + Int64(index)
                    try tx.run(
                        """
                        INSERT INTO kind (id, whole, words, flag) VALUES (\("\(index)"), \(whole), \(words), \(index == 2))
                        """)
                    try tx.run(
                        "INSERT INTO kind (id, words) VALUES (\("list \(index)"), \(TextList.encode(words.map { [$0, "b"] } ?? [])))")
                }
            }
            struct Kind: Equatable {
                var (id, whole, words, flag) = ("", Int64?.none, String?.none, false)
                init(_ row: inout RowReader) throws {
                    (id, whole, words, flag) = (
                        try row.next("id"), try row.next("whole"), try row.next("words"), try row.next("flag")
                    )
                }
            }
            let statement: SQL = "SELECT id, whole, words, flag FROM kind WHERE flag IS NOT NULL ORDER BY id"
            let alone = try await database.list(statement) { try Kind(&$0) }
            try expectEqual(alone.map(\.words), words)
            try expectEqual(alone.map(\.id), words.indices.map { "\($0)" })
            try expectEqual(alone.map(\.whole), words.indices.map { $0 == 1 ? nil : Int64.min + Int64($0) })
            try expectEqual(alone.map(\.flag), words.indices.map { $0 == 2 })
            try expectEqual(try await database.read { tx in try tx.list(statement) { try Kind(&$0) } }, alone)
            try expectEqual(try await database.write { tx in try tx.list(statement) { try Kind(&$0) } }, alone)
            let lists = try await database.list("SELECT words FROM kind WHERE flag IS NULL ORDER BY id") { try $0.nextTexts("words") }
            try expectEqual(lists, words.map { $0.map { [$0, "b"] } ?? [] })
        },
        check("A list ends when its reader throws, and its statement can be run again", everyKind) { database in
            try await database.write { tx in
                for index in 0..<3 { try tx.run("INSERT INTO kind (id, whole) VALUES (\("\(index)"), \(index == 1 ? nil : 7))") }
            }
            let statement: SQL = "SELECT id, whole FROM kind ORDER BY id"
            for _ in 0..<2 {
                let error = try await expectThrows {
                    try await database.list(statement) { row in (try row.next("id") as String, try row.next("whole") as Int64) }
                }
                try expectEqual(error as? DatabaseError, .column("whole"))
                try expectEqual(try await database.list(statement) { try $0.next("id") as String }, ["0", "1", "2"])
            }
            for wrong: @Sendable (inout RowReader) throws -> Void in [
                { _ = try $0.next("id") as Int64 }, { _ = try $0.nextTexts("id") }, { _ = try $0.next("id") as Timestamp? },
            ] {
                _ = try await expectThrows { try await database.list(statement) { try wrong(&$0) } }
            }
        },
        check("A statement that runs again while its rows are read starts from the beginning", everyKind) { database in
            try await database.write { tx in
                for index in 0..<3 { try tx.run("INSERT INTO kind (id) VALUES (\("\(index)"))") }
            }
            let counts = try await database.read { tx in
                let statement: SQL = "SELECT id FROM kind WHERE id >= \("0") ORDER BY id"
                return try tx.list(statement) { outer in
                    let inner = try tx.list(statement) { try $0.next("id") as String }
                    return "\(try outer.next("id") as String) \(inner.count)"
                }
            }
            try expectEqual(counts, ["0 3", "1 3", "2 3"])
        },
        check("Reading a missing column, or one of another kind, throws an error with its name", everyKind) { database in
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
        check("Text is compared by its bytes", everyKind) { database in
            let ids = ["a", "B", "Z", "_", "é", "z", "0", "aa"]
            let sorted = try await database.write { tx in
                for id in ids { try tx.run("INSERT INTO kind (id) VALUES (\(id))") }
                return try tx.rows("SELECT id FROM kind ORDER BY id").map { try $0.get("id", as: String.self) }
            }
            try expectEqual(sorted, ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        },
    ]
}
