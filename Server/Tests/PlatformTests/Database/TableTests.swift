import Core
import TestKit
import Testing

@testable import Database

@Suite("Table columns")
struct TableTests {
    fileprivate enum Color: String, CaseIterable, Sendable { case red, blue }

    fileprivate struct Sample: TableRow, Equatable {
        static let table = Table<Sample>("sample")

        var id: String
        var owner: String
        var text: String?
        var whole: Int64
        var maybeWhole: Int64?
        var number: Int
        var maybeNumber: Int?
        var flag: Bool
        var at: Timestamp
        var maybeAt: Timestamp?
        var bytes: [UInt8]
        var maybeBytes: [UInt8]?
        var texts: [String]
        var color: Color
    }

    private static let migration = Migration(
        "suite/001-sample",
        [
            """
            CREATE TABLE sample (
                id TEXT COLLATE "C" PRIMARY KEY NOT NULL, owner TEXT COLLATE "C" NOT NULL, words TEXT, whole BIGINT NOT NULL,
                maybe_whole BIGINT, number BIGINT NOT NULL, maybe_number BIGINT, flag SMALLINT NOT NULL, at BIGINT NOT NULL, maybe_at BIGINT,
                bytes BYTEA NOT NULL, maybe_bytes BYTEA, texts TEXT NOT NULL, color TEXT NOT NULL, extra TEXT, other BIGINT
            )
            """
        ])

    private static let full = Sample(
        id: "full", owner: "ada", text: "it's \"?\" naïve 日本語", whole: .min, maybeWhole: .max, number: -1, maybeNumber: 2, flag: true,
        at: Timestamp(microseconds: 7), maybeAt: Timestamp(microseconds: -7), bytes: [0, 255, 39], maybeBytes: [1], texts: ["a", "b\"c"],
        color: .blue)
    private static let empty = Sample(
        id: "empty", owner: "ada", text: nil, whole: 0, maybeWhole: nil, number: 0, maybeNumber: nil, flag: false,
        at: Timestamp(microseconds: 0), maybeAt: nil, bytes: [], maybeBytes: nil, texts: [], color: .red)

    private func withDatabase(_ engine: Engine, _ body: (any Database) async throws -> Void) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        try await database.migrate([Self.migration])
        try await body(database)
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    private func samples(_ database: any Database) async throws -> [Sample] {
        try await database.list("\(sql: Sample.table.select) ORDER BY id") { try Sample(&$0, of: "ada") }
    }

    @Test("Inserted rows are read back, for every kind of column, with and without a value", arguments: Engine.allCases)
    func roundTrip(_ engine: Engine) async throws {
        try await withDatabase(engine) { database in
            try await database.write { tx in
                try tx.run(Sample.table.insert(Self.full))
                try tx.run(Sample.table.insert(Self.empty))
            }
            #expect(try await samples(database) == [Self.empty, Self.full])
        }
    }

    @Test("One statement inserts many rows, also with columns beyond the row's own", arguments: Engine.allCases)
    func inserting(_ engine: Engine) async throws {
        try await withDatabase(engine) { database in
            let rows = ["a", "b", "c"].map { id in
                var row = Self.empty
                row.id = id
                return row
            }
            let none: String? = nil
            let count = try await database.write { tx in
                try tx.run(Sample.table.insert(Self.full, with: ["extra": "more", "other": 3]))
                try tx.run(Sample.table.insert(Self.empty, with: ["extra": none]))
                return try tx.run(Sample.table.insert(rows))
            }
            #expect(count == 3)
            #expect(try await samples(database) == rows + [Self.empty, Self.full])
            let others = try await database.list("SELECT extra, other FROM sample WHERE id IN ('empty', 'full') ORDER BY id") { row in
                [try row.next("extra") as String?, (try row.next("other") as Int64?).map { "\($0)" }]
            }
            #expect(others == [[nil, nil], ["more", "3"]])
        }
    }

    @Test("SELECT and RETURNING name the columns that are read, INSERT also those only written; one shape is one statement")
    func names() {
        func text(_ sql: SQL) -> String { sql.text { "$\($0)" } }
        let columns = """
            sample.id, sample.words, sample.whole, sample.maybe_whole, sample.number, sample.maybe_number, sample.flag, sample.at, \
            sample.maybe_at, sample.bytes, sample.maybe_bytes, sample.texts, sample.color
            """
        #expect(text(Sample.table.columns) == columns)
        #expect(text(Sample.table.select) == "SELECT \(columns) FROM sample")
        let insert = Sample.table.insert(Self.full, with: ["extra": "e"])
        #expect(
            text(insert) == """
                INSERT INTO sample (owner, id, words, whole, maybe_whole, number, maybe_number, flag, at, maybe_at, bytes, maybe_bytes, texts, \
                color, extra) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
                """)
        #expect(insert.values.first == .text("ada") && insert.values.last == .text("e"))
        #expect(insert.pieces == Sample.table.insert(Self.empty, with: ["extra": "f"]).pieces)
    }

    @Test("An unknown enumeration value and a column of another type throw with the column's name", arguments: Engine.allCases)
    func wrong(_ engine: Engine) async throws {
        try await withDatabase(engine) { database in
            try await database.write { tx in
                try tx.run(Sample.table.insert(Self.full))
                try tx.run("UPDATE sample SET color = 'green'")
            }
            await #expect(throws: DatabaseError.column("color")) { try await samples(database) }
            try await database.write { tx in try tx.run("UPDATE sample SET color = 'red', flag = 2") }
            await #expect(throws: DatabaseError.column("flag")) { try await samples(database) }
            await #expect(throws: DatabaseError.column("whole")) {
                try await database.list("SELECT whole FROM sample") { try $0.next("whole") as [UInt8] }
            }
            await #expect(throws: DatabaseError.column("maybe_whole")) {
                try await database.list("SELECT maybe_whole FROM sample") { try $0.next("maybe_whole") as [UInt8]? }
            }
        }
    }

    @Test("A step deletes the selected rows of one owner that fit, and the ids continue after the last one", arguments: Engine.allCases)
    func deleting(_ engine: Engine) async throws {
        try await withDatabase(engine) { database in
            let rows = ["a", "b", "c", "d", "e"].map { id in
                var row = Self.empty
                (row.id, row.owner) = (id, id == "b" ? "eve" : "ada")
                return row
            }
            let (first, second, counts, rest) = try await database.write { tx in
                try tx.run(Sample.table.insert(rows))
                try tx.run("UPDATE sample SET other = CASE WHEN id = 'd' THEN \(DeletionStep.byteCount) ELSE 1 END")
                func ids(_ sql: SQL) throws -> [String] { try tx.list(sql) { try $0.next("id") } }
                let (first, second) = (
                    try ids(Sample.table.ids(after: "", limit: 2)), try ids(Sample.table.ids(after: "b", limit: 9))
                )
                var counts: [Int] = []
                for _ in 0..<2 {
                    let count = try Sample.table.deleteSome(of: "ada", limit: 4, tx) { limit in
                        "SELECT id, other AS row_bytes FROM sample WHERE owner <> '' AND id <> 'c' ORDER BY id LIMIT \(limit)"
                    }
                    counts.append(count)
                }
                return (first, second, counts, try ids(Sample.table.ids(after: "", limit: 9)))
            }
            #expect(first == ["a", "b"] && second == ["c", "d", "e"])
            // The second step selects another owner's row again, and does not delete it.
            #expect(counts == [2, 1] && rest == ["b", "c", "d", "e"])
        }
    }
}

extension TableTests.Sample {
    fileprivate init(_ row: inout RowReader, writing sample: Self?) throws {
        try self.init(&row, writing: sample, of: sample?.owner ?? "")
    }

    fileprivate init(_ row: inout RowReader, writing sample: Self? = nil, of owner: String) throws {
        self.owner = owner
        row.write("owner", owner)
        id = try row.next("id", sample?.id)
        text = try row.next("words", sample?.text)
        whole = try row.next("whole", sample?.whole)
        maybeWhole = try row.next("maybe_whole", sample?.maybeWhole)
        number = try row.next("number", sample?.number)
        maybeNumber = try row.next("maybe_number", sample?.maybeNumber)
        flag = try row.next("flag", sample?.flag)
        at = try row.next("at", sample?.at)
        maybeAt = try row.next("maybe_at", sample?.maybeAt)
        bytes = try row.next("bytes", sample?.bytes)
        maybeBytes = try row.next("maybe_bytes", sample?.maybeBytes)
        texts = try row.nextTexts("texts", sample?.texts)
        color = try row.next("color", sample?.color)
    }
}
