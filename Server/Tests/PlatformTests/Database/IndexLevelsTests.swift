import Database
import Foundation
import TestKit
import TestThreads
import Testing

@testable import SQLiteEngine

/// SQLite 3.40 treats a full-text index of more than 2,000 levels as damaged, and it never removes a level.
@Suite("Levels of full-text indexes", .blocksThreads)
struct IndexLevelsTests {
    private static let migration = Migration(
        "suite/001-word", ["CREATE TABLE thing (id BIGINT PRIMARY KEY NOT NULL)"],
        sqlite: ["CREATE VIRTUAL TABLE word USING fts5(tokens, tokenize = 'ascii', columnsize = 0)"], postgres: [])
    private static let tables = [TokenTable(rows: "thing", index: "word", forgotten: "thing")]

    private func structure(_ database: any Database) async throws -> FTS5Structure {
        let text: String = try await database.read { tx in
            try tx.row("SELECT hex(block) AS block FROM word_data WHERE id = 10")!.get("block")
        }
        let bytes = stride(from: 0, to: text.utf8.count, by: 2).map { UInt8(text.dropFirst($0).prefix(2), radix: 16)! }
        return try #require(FTS5Structure(bytes))
    }

    private func add(_ numbers: Range<Int>, _ database: any Database) async throws {
        for number in numbers {
            try await database.write { tx in
                try tx.run("INSERT INTO word (rowid, tokens) VALUES (\(number), \("all n\(number)"))")
            }
        }
    }

    private func count(_ word: String, _ database: any Database) async throws -> Int {
        try await database.read { tx in
            try tx.row("SELECT COUNT(*) AS n FROM word WHERE word MATCH \(word)")?.get("n", as: Int.self) ?? 0
        }
    }

    @Test("scrubs beside writes add no levels for good, and end")
    func scrubs() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase.open(path: folder.path + "/a.sqlite")
        try await database.migrate([Self.migration])
        for round in 0..<40 {
            try await add(round * 12..<round * 12 + 12, database)
            async let scrub: Void = database.scrub(Self.tables)
            try await add(10_000 + round * 5..<10_000 + round * 5 + 5, database)
            try await scrub
        }
        #expect(try await structure(database).levelCount <= 70)
        #expect(try await count("all", database) == 40 * 17)
        try await database.close()
    }

    @Test("an index that SQLite reads as damaged for its many levels works again when the database is opened")
    func repaired() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.sqlite"
        var database = try await SQLiteDatabase.open(path: path)
        try await database.migrate([Self.migration])
        // Merges as an earlier version of the server did. Each such merge adds levels.
        var kept = 0
        do {
            for number in 0..<3_000 {
                try await add(number..<number + 1, database)
                kept = number + 1
                try await database.write { tx in try tx.run("INSERT INTO word (word, rank) VALUES ('merge', -200)") }
            }
            Issue.record("The control: this version of SQLite accepts any number of levels.")
        } catch {}
        await #expect(throws: (any Error).self) { try await add(10_000..<10_001, database) }
        try await database.close()

        database = try await SQLiteDatabase.open(path: path)
        #expect(try await structure(database).levelCount < 10)
        #expect(try await count("all", database) >= kept)
        #expect(try await count("n7", database) == 1)
        try await add(10_000..<10_010, database)
        try await database.scrub(Self.tables)
        #expect(try await count("n10005", database) == 1)
        try await database.write { tx in try tx.run("INSERT INTO word (word) VALUES ('integrity-check')") }
        try await database.close()
    }

    @Test("a record of another form is left alone")
    func others() throws {
        #expect(FTS5Structure([]) == nil)
        #expect(FTS5Structure([0, 0, 0, 1, 0xFF, 0, 0, 1, 1, 0, 0, 0, 0]) == nil)
        // The first record states one more level than it has bytes for. The second has one byte too many.
        #expect(FTS5Structure([0, 0, 0, 1, 2, 0, 0, 0, 0]) == nil)
        #expect(FTS5Structure([0, 0, 0, 1, 1, 0, 0, 0, 0, 7]) == nil)
        var structure = try #require(FTS5Structure([0, 0, 0, 1, 4, 1, 5, 0, 0, 0, 0, 0, 1, 9, 1, 0x81, 0x00, 0, 0]))
        #expect(structure.levelCount == 4)
        structure.removeEmptyLevels()
        #expect(structure.bytes == [0, 0, 0, 1, 2, 1, 5, 0, 0, 0, 1, 9, 1, 0x81, 0x00])
    }
}
