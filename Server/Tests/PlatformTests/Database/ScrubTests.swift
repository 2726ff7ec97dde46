import Database
import Foundation
import SQLiteEngine
import TestKit
import TestThreads
import Testing

@Suite("Scrubbing deleted rows", .blocksThreads)
struct ScrubTests {
    /// Fills a table with rows of two owners; one owner's rows are deleted later. Rows of many lengths make the trees rebalance all the
    /// time.
    private func fill(_ database: any Database, seed: UInt64) async throws {
        // Ten rows per write: each write makes one segment of the full-text index.
        for first in stride(from: 0, to: 1_500, by: 10) {
            try await database.write { tx in
                var random = SplitMix64(seed: seed + UInt64(first))
                for number in first..<(first + 10) {
                    let owner = number % 10 < 3 ? "ada" : "eve"
                    let word = (owner == "ada" ? "canary" : "other") + "\(number)"
                    // Some notes are longer than a page.
                    let note = String(repeating: word, count: (Int(random.next() % 20) + 1) * (random.next() % 40 == 0 ? 40 : 1))
                    try tx.run("INSERT INTO thing (id, owner, at, note) VALUES (\("\(random.next())"), \(owner), \(number), \(note))")
                    try tx.run("INSERT INTO word (rowid, tokens) VALUES (\(number), \("\(word) x\(word)"))")
                    guard random.next() % 3 == 0 else { continue }
                    let (changed, length) = (Int(random.next() % 1_500), Int(random.next() % 300) + 10)
                    try tx.run(
                        """
                        UPDATE thing SET note = substr(note, 1, \(length)) WHERE owner = \(changed % 10 < 3 ? "ada" : "eve") AND at = \(changed)
                        """)
                }
            }
        }
        for first in stride(from: 0, to: 1_500, by: 50) {
            try await database.write { tx in
                for number in first..<(first + 50) where number % 10 < 3 {
                    try tx.run("DELETE FROM thing WHERE owner = 'ada' AND at = \(number)")
                    try tx.run("DELETE FROM word WHERE rowid = \(number)")
                }
            }
        }
    }

    static let migration = Migration(
        "suite/001-thing",
        [
            #"CREATE TABLE thing (id TEXT COLLATE "C" PRIMARY KEY NOT NULL, owner TEXT NOT NULL, at BIGINT NOT NULL, note TEXT NOT NULL)"#,
            "CREATE INDEX thing_by_owner ON thing (owner, at, id)", "CREATE INDEX thing_by_note ON thing (owner, note)",
        ], sqlite: ["CREATE VIRTUAL TABLE word USING fts5(tokens, tokenize = 'ascii', columnsize = 0)"], postgres: [])

    /// How often ada's texts occur in the file and its log.
    static func canaries(_ path: String) throws -> Int {
        try ["", "-wal"].reduce(0) { count, suffix in
            guard FileManager.default.fileExists(atPath: path + suffix) else { return count }
            return count
                + Self.count(of: Array("canary".utf8), in: try Data(contentsOf: URL(filePath: path + suffix), options: .mappedIfSafe))
        }
    }

    static let tables = [TokenTable(rows: "thing", index: "word", forgotten: "thing")]

    @Test("control: without clearing pages some bytes stay; with it, none stay or return with later writes")
    func cleared() async throws {
        var left = 0
        for seed in 10..<15 as Range<UInt64> {
            let folder = try TemporaryFolder()
            let path = folder.path + "/a.sqlite"
            var options = SQLiteDatabase.Options()
            options.clearsPages = false
            let old = try await SQLiteDatabase.open(path: path, options: options)
            try await old.migrate([Self.migration])
            try await fill(old, seed: seed)
            try await old.scrub(Self.tables)
            if try Self.canaries(path) > 0 { left += 1 }
            try await old.close()

            let database = try await SQLiteDatabase.open(path: path)
            try await database.scrub(Self.tables)
            #expect(try Self.canaries(path) == 0, "\(seed)")
            for number in 0..<200 {
                try await database.write { tx in
                    try tx.run("INSERT INTO thing (id, owner, at, note) VALUES (\("n\(number * 7_919 % 200)"), 'eve', \(number), 'new')")
                }
            }
            #expect(try Self.canaries(path) == 0, "\(seed)")
            let check = try await database.read { tx in try tx.row("PRAGMA integrity_check")?.get("integrity_check", as: String.self) }
            #expect(check == "ok")
            try await database.close()
            #expect(try Self.canaries(path) == 0, "\(seed)")
        }
        #expect(left > 0, "the control found nothing")
    }

    @Test("after scrubbing, neither the file nor its log holds deleted bytes, and other rows are complete", arguments: [1, 2] as [UInt64])
    func scrubbed(_ seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.sqlite"
        let database = try await SQLiteDatabase.open(path: path)
        try await database.migrate([Self.migration])
        try await fill(database, seed: seed)
        // Control: before scrubbing, ada's texts are found.
        #expect(try Self.canaries(path) > 0)
        try await database.scrub(Self.tables)
        #expect(try Self.canaries(path) == 0)
        let log = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        #expect(log == 0)
        let kept = try await database.read { tx in
            (
                try tx.row("SELECT COUNT(*) AS n FROM thing")?.get("n", as: Int.self) ?? 0,
                try tx.row("SELECT COUNT(*) AS n FROM word WHERE word MATCH 'other0 OR other1 OR other2 OR other3 OR other4'")?.get(
                    "n", as: Int.self) ?? 0,
                try tx.row("PRAGMA integrity_check")?.get("integrity_check", as: String.self)
            )
        }
        #expect(kept.0 > 900 && kept.1 > 0 && kept.2 == "ok")
        try await database.close()
    }

    @Test("writes continue during scrubbing, and none is lost")
    func writing() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase.open(path: folder.path + "/a.sqlite")
        try await database.migrate([Self.migration])
        try await fill(database, seed: 3)
        let before = try await database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM thing")?.get("n", as: Int.self) ?? 0 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await database.scrub([TokenTable(rows: "thing", index: "word", forgotten: "thing")]) }
            for number in 0..<200 {
                group.addTask {
                    try await database.write { tx in
                        try tx.run("INSERT INTO thing (id, owner, at, note) VALUES (\("n\(number)"), 'eve', \(number), 'n')")
                        try tx.run("INSERT INTO word (rowid, tokens) VALUES (\(10_000 + number), 'late')")
                    }
                }
            }
            try await group.waitForAll()
        }
        let counts = try await database.read { tx in
            try ["SELECT COUNT(*) AS n FROM thing" as SQL, "SELECT COUNT(*) AS n FROM word WHERE word MATCH 'late'"].map {
                try tx.row($0)?.get("n", as: Int.self) ?? 0
            }
        }
        #expect(counts == [before + 200, 200])
        try await database.close()
    }

    /// Uses C's memchr for the first byte: Foundation's search takes minutes for some megabytes in a debug build.
    private static func count(of needle: [UInt8], in data: Data) -> Int {
        data.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            var (count, start) = (0, 0)
            while start + needle.count <= bytes.count,
                let found = memchr(base + start, CInt(needle[0]), bytes.count - start - needle.count + 1)
            {
                if memcmp(found, needle, needle.count) == 0 { count += 1 }
                start = UnsafeRawPointer(found) - base + 1
            }
            return count
        }
    }
}
