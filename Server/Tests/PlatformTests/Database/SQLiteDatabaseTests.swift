import Core
import Database
import Foundation
import SQLiteEngine
import TestKit
import TestThreads
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder for one test's databases, deleted with the last reference to it. It is a class, because a suite and its `WriteStorm` share it.
final class DatabaseFolder: Sendable {
    let path: String

    /// - Parameter inMemory: uses a RAM disk where there is one, for tests that inject the disk's faults themselves and sync thousands of
    ///   times.
    init(inMemory: Bool = false) throws {
        let memory = "/dev/shm/"
        let parent = inMemory && FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        path = parent + "keepsake-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}

@Suite("SQLite", .blocksThreads)
struct SQLiteDatabaseTests {
    let folder: DatabaseFolder

    init() throws { folder = try DatabaseFolder() }

    @Test("SQLite passes every check of the database suite", arguments: DatabaseSuite.checks)
    func conforms(_ check: DatabaseSuite.Check) async throws {
        try await check.run { [folder] store in try await SQLiteDatabase.open(path: folder.file(store + ".sqlite")) }
    }

    @Test("A commit is synced: synchronous reads back as FULL on the writing connection")
    func synchronous() async throws {
        let database = try await SQLiteDatabase.open(path: folder.file("a.sqlite"))
        let answer = try await database.write { tx in
            [
                try tx.row("PRAGMA synchronous")?.get("synchronous", as: Int.self),
                try tx.row("PRAGMA foreign_keys")?.get("foreign_keys", as: Int.self),
            ]
        }
        #expect(answer == [2, 1])
        try await database.close()
    }

    @Test(
        "A durability setting that does not take effect stops the start, and the error names it",
        arguments: [
            ("PRAGMA synchronous = NORMAL", "synchronous is 1, not 2"), ("PRAGMA foreign_keys = OFF", "foreign_keys is 0, not 1"),
            ("PRAGMA journal_mode = DELETE", "journal_mode is delete, not wal"),
        ] as [(SQL, String)])
    func tampered(_ pragma: SQL, _ words: String) async throws {
        var options = SQLiteDatabase.Options()
        options.tampering = [pragma]
        await #expect(throws: DatabaseError.notDurable(words)) {
            try await SQLiteDatabase.open(path: folder.file("tampered.sqlite"), options: options)
        }
    }

    @Test("The plan of a statement does not depend on the values bound to it, so SQLite does not plan it again at every run")
    func plansAreKept() async throws {
        let database = try await SQLiteDatabase.open(path: folder.file("plans.sqlite"))
        try await database.migrate([
            Migration("a/001", ["CREATE TABLE a (n BIGINT, kind TEXT)", "CREATE INDEX only_events ON a (n) WHERE kind = 'event'"])
        ])
        let event = "event"
        // The first run of the bound statement would show the plan from before the value was bound.
        let bound: SQL = "EXPLAIN QUERY PLAN SELECT n FROM a WHERE kind = \(event)"
        let written: SQL = "EXPLAIN QUERY PLAN SELECT n FROM a WHERE kind = 'event'"
        @Sendable func plans(_ statements: [SQL], _ tx: ReadTransaction) throws -> [String] {
            try statements.flatMap { try tx.rows($0).map { try $0.get("detail", as: String.self) } }
        }
        let writing = try await database.write { tx in try plans([bound, bound, written], tx) }
        let reading = try await database.read { tx in try plans([bound, bound], tx) }
        #expect(writing.count == 3 && (writing[0...1] + reading).allSatisfy { $0 == "SCAN a" }, "\(writing), \(reading)")
        #expect(writing.last?.contains("only_events") == true)
        try await database.close()
    }

    @Test("A read of one row stops at the first one; a statement that writes runs to its end")
    func firstRow() async throws {
        let database = try await SQLiteDatabase.open(path: folder.file("first.sqlite"))
        try await database.migrate([
            Migration(
                "a/001",
                ["CREATE TABLE a (n BIGINT PRIMARY KEY)", "CREATE TABLE b (n BIGINT REFERENCES a (n))", "INSERT INTO a VALUES (1)"])
        ])
        // The absolute value in the second row exceeds the largest number.
        let reading: SQL = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2) SELECT abs(-9223372036854775806 - i) AS x FROM n
            """
        for _ in 0..<2 {
            let first = try await database.read { tx in try tx.row(reading)?.get("x", as: Int64.self) }
            #expect(first == Int64.max)
        }
        await #expect(throws: DatabaseError.self) { try await database.read { tx in try tx.rows(reading).count } }
        await #expect(throws: DatabaseError.foreignKeyViolation) {
            try await database.write { tx in try tx.row("INSERT INTO b VALUES (1), (2) RETURNING n") != nil }
        }
        let left = try await database.write { tx in
            let first = try tx.row("INSERT INTO b VALUES (1), (1) RETURNING n")?.get("n", as: Int64.self)
            return (first: first, count: try tx.rows("SELECT n FROM b").count)
        }
        #expect(left.first == 1 && left.count == 2)
        try await database.close()
    }

    @Test("Only its user can read the database, its log and its shared-memory file")
    func modes() async throws {
        let path = folder.file("private.sqlite")
        let database = try await SQLiteDatabase.open(path: path)
        try await database.migrate([Migration("a/001", ["CREATE TABLE a (n BIGINT)"])])
        for suffix in ["", "-wal", "-shm"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path + suffix)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(suffix)")
        }
        try await database.close()
    }

    @Test("Writes without pause keep the log bounded, and its pages reach the file", .timeLimit(.minutes(2)))
    func logIsCopied() async throws {
        let path = folder.file("log.sqlite")
        let database = try await SQLiteDatabase.open(path: path)
        try await database.migrate([Migration("a/001", ["CREATE TABLE a (n BIGINT, text TEXT)"])])
        func size(_ suffix: String) throws -> Int {
            try FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int ?? 0
        }
        let text = String(repeating: "x", count: 100_000)
        // 16 writers write 80 MB.
        func writeMuch() async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        for _ in 0..<50 { try await database.write { tx in try tx.run("INSERT INTO a VALUES (\(number), \(text))") } }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await writeMuch()
        // The log may have 64 MB, and transactions may commit more while a copy runs.
        #expect(try size("-wal") < 80 * 1_048_576)
        // Most pages have reached the file, or will reach it when the running copy ends.
        while try size("") < 60_000_000 { try await Task.sleep(for: .milliseconds(20)) }
        let count = try await database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM a")!.get("n", as: Int.self) }
        #expect(count == 800)
        try await database.close()
        // Closing copies the rest and deletes the log.
        #expect(try size("") > 80_000_000)
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test("A file that is no database is named, and the error says what to do")
    func noDatabase() async throws {
        let path = folder.file("photo.sqlite")
        try Data(repeating: 7, count: 8_192).write(to: URL(filePath: path))
        let error = await #expect(throws: DatabaseError.self) { try await SQLiteDatabase.open(path: path) }
        #expect(
            error
                == .engine(
                    code: 26, message: "\(path) is no SQLite database; correct the path, or restore a backup (file is not a database)"))
    }

    @Test("An error names why a database cannot be created")
    func absentFolder() async throws {
        await #expect(throws: DatabaseError.self) { try await SQLiteDatabase.open(path: folder.file("absent/a.sqlite")) }
    }

    @Test(
        "On a full disk, the first connection says that the disk is full: SQLite cannot create the index of its log",
        .enabled(if: geteuid() == 0, "only root can mount a small file system"))
    func fullDisk() async throws {
        let disk = try SmallDisk(megabytes: 4)
        defer { withExtendedLifetime(disk) {} }
        let path = disk.path + "/a.sqlite"
        try await SQLiteDatabase.open(path: path).close()
        #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
        let filling = try disk.fill()
        await #expect(throws: DatabaseError.full) { try await SQLiteDatabase.open(path: path) }
        try FileManager.default.removeItem(atPath: filling)
        try await SQLiteDatabase.open(path: path).close()
    }

    @Test("A cancelled read stops in the middle of its query; concurrent statements continue")
    func cancelledRead() async throws {
        let database = try await SQLiteDatabase.open(path: folder.file("a.sqlite"))
        // Takes minutes, one row at a time.
        let endless: SQL =
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(400_000_000)) SELECT MAX(i) AS most FROM n"
        let (hasBegun, maker) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await database.read { tx in
                maker.finish()
                return try tx.rows(endless).count
            }
        }
        let limited: SQL =
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(300_000)) SELECT MAX(i) AS most FROM n"
        for await _ in hasBegun {}
        // SQLite ignores an interrupt that comes before the statement's first step, so the test waits for that step.
        try await Task.sleep(for: .milliseconds(300))
        async let neighbour = database.read { tx in try tx.row(limited)?.get("most", as: Int.self) }
        async let writer = database.write { tx in try tx.row(limited)?.get("most", as: Int.self) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await neighbour == 300_000)
        #expect(try await writer == 300_000)
        // The interrupted connection serves the next statement.
        for _ in 0..<8 { #expect(try await database.read { tx in try tx.rows("SELECT 1 AS one").count } == 1) }
        try await database.close()
    }

    @Test("A cancelled read stops, whenever the cancellation comes", .timeLimit(.minutes(1)))
    func cancelledReads() async throws {
        let database = try await SQLiteDatabase.open(path: folder.file("a.sqlite"))
        for round in 0..<200 {
            let endless: SQL = """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) AS most FROM n WHERE i > \(round)
                """
            let (hasBegun, maker) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await database.read { tx in
                    maker.finish()
                    return try tx.rows(endless).count
                }
            }
            for await _ in hasBegun {}
            if round % 2 == 0 { usleep(UInt32(round)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        try await database.close()
    }

    @Test("A cancelled list stops too, and its connection serves the next one", .timeLimit(.minutes(1)))
    func cancelledLists() async throws {
        let database = try await SQLiteDatabase.open(path: folder.file("a.sqlite"))
        for round in 0..<100 {
            let endless: SQL = """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) AS most FROM n WHERE i > \(round)
                """
            let task = Task { try await database.list(endless) { try $0.next("most") as Int64? } }
            usleep(UInt32(10 * round))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await database.list("SELECT \(round) AS one") { try $0.next("one") as Int64 } == [Int64(round)])
        }
        try await database.close()
    }

    @Test("More statements than the cache holds all run, and the database closes")
    func manyStatements() async throws {
        let database = try await SQLiteDatabase.open(path: folder.file("a.sqlite"))
        var sum: SQL = "SELECT 0"
        for count in 1...600 {
            sum = sum + " + \(count)"
            let statement = sum + " AS sum"
            let found = try await database.list(statement) { try $0.next("sum") as Int64 }
            #expect(found == [Int64(count * (count + 1) / 2)])
            let written = try await database.write { tx in try tx.row(statement)?.get("sum", as: Int64.self) }
            #expect(written == found.first)
        }
        // Closing fails if a statement was not finalized.
        try await database.close()
    }

    @Test("A statement is read to its end, although others replace it in the cache meanwhile")
    func replacedWhileRead() async throws {
        let database = try await SQLiteDatabase.open(path: folder.file("a.sqlite"))
        let found = try await database.read { tx in
            try tx.list("SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3") { (row: inout RowReader) -> Int64 in
                var ones: SQL = "SELECT 1"
                for _ in 0..<600 {
                    ones = ones + " + 1"
                    _ = try tx.row(ones + " AS sum")
                }
                return try row.next("n")
            }
        }
        #expect(found == [1, 2, 3])
        try await database.close()
    }

    @Test("A page by index costs the engine the same in 100 rows as in 10,000")
    func work() async throws {
        let database = try await SQLiteDatabase.open(path: folder.file("a.sqlite"))
        try await database.migrate([
            Migration("a/001", ["CREATE TABLE a (owner BIGINT, at BIGINT)", "CREATE INDEX a_page ON a (owner, at)"])
        ])
        var steps: [Int] = []
        var scans: [Int] = []
        for rows in [100, 9_900] {
            try await database.write { tx in
                for n in 0..<rows { try tx.run("INSERT INTO a (owner, at) VALUES (\(n % 2), \(rows + n))") }
            }
            steps.append(try await database.work("SELECT at FROM a WHERE owner = \(1) ORDER BY at DESC LIMIT \(20)"))
            scans.append(try await database.work("SELECT COUNT(*) AS n FROM a WHERE at % 7 = \(1)"))
        }
        #expect(steps[0] == steps[1] && steps[0] > 20)
        #expect(scans[1] > scans[0] * 50)
        try await database.close()
    }

    @Test("More statements than the cache holds all run in one transaction")
    func manyTexts() async throws {
        let database = try await SQLiteDatabase.open(path: folder.file("a.sqlite"))
        let sums = try await database.read { tx in
            var ones: SQL = "SELECT 1"
            var sums: [Int?] = []
            for _ in 1...700 {
                sums.append(try tx.row("\(sql: ones) AS sum")?.get("sum", as: Int.self))
                ones = "\(sql: ones) + \(1)"
            }
            return sums
        }
        #expect(sums == Array(1...700))
        try await database.close()
    }

    @Test("A migration is recorded with the time of the given clock")
    func clock() async throws {
        let moment = Timestamp(milliseconds: 1_700_000_000_000)
        let database = try await SQLiteDatabase.open(path: folder.file("a.sqlite"), clock: WallClock { moment })
        try await database.migrate([Migration("a/001", ["CREATE TABLE a (n BIGINT)"])])
        let recorded = try await database.read { tx in
            try tx.row("SELECT applied_at FROM schema_migration")?.get("applied_at", as: Timestamp.self)
        }
        #expect(recorded == moment)
        try await database.close()
    }
}
