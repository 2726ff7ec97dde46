import Database
import SQLiteEngine
import Synchronization
import TestKit
import Testing

/// Records the name of each requirement that is called.
private final class NotingDatabase: Database {
    private let base: any Database
    private let noted = Mutex<[String]>([])

    init(_ base: any Database) { self.base = base }

    var calls: [String] { noted.withLock { $0 } }
    private func note(_ name: String) { noted.withLock { $0.append(name) } }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        note("read")
        return try await base.read(body)
    }
    func list<Element: Sendable>(
        _ sql: SQL, _ element: @escaping @Sendable (inout RowReader) throws -> Element
    ) async throws -> [Element] {
        note("list")
        return try await base.list(sql, element)
    }
    var threads: (any WorkThreads)? {
        note("threads")
        return base.threads
    }
    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        note("write")
        return try await base.write(body)
    }
    func run(_ sql: SQL) async throws -> Int {
        note("run")
        return try await base.run(sql)
    }
    func migrate(_ migrations: [Migration], release: Int) async throws {
        note("migrate")
        try await base.migrate(migrations, release: release)
    }
    var wakes: Wakes {
        note("wakes")
        return base.wakes
    }
    func scrub(_ tables: [TokenTable]) async throws {
        note("scrub")
        try await base.scrub(tables)
    }
    func releaseMemory() async {
        note("releaseMemory")
        await base.releaseMemory()
    }
    func tables() async throws -> [StoredTable] {
        note("tables")
        return try await base.tables()
    }
    func plan(_ sql: SQL) async throws -> [String] {
        note("plan")
        return try await base.plan(sql)
    }
    func close() async throws {
        note("close")
        try await base.close()
    }
}

/// Implements no requirement.
private struct PlainDecorator: DatabaseDecorator {
    let base: any Database
}

/// Implements only `read`.
private struct RefusingReads: DatabaseDecorator {
    let base: any Database

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T { throw DatabaseError.closed }
}

@Suite("Database decorators")
struct DatabaseDecoratorTests {
    @Test("A decorator that implements nothing forwards every requirement, including optional ones")
    func forwarding() async throws {
        let folder = try TemporaryFolder()
        let base = NotingDatabase(try await SQLiteDatabase.open(path: folder.path + "/a.sqlite"))
        let database: any Database = PlainDecorator(base: PlainDecorator(base: base))
        try await database.migrate([Migration("thing/001-thing", ["CREATE TABLE thing (id BIGINT PRIMARY KEY NOT NULL)"])])
        try await database.write { tx in try tx.run("INSERT INTO thing (id) VALUES (\(7))") }
        let ids = try await database.read { tx in try tx.rows("SELECT id FROM thing").map { try $0.get("id", as: Int.self) } }
        #expect(ids == [7])
        #expect(try await database.tables().contains { $0.name == "thing" && $0.key == ["id"] })
        _ = try await database.plan("SELECT id FROM thing")
        _ = database.wakes
        #expect(database.threads != nil)
        try await database.scrub([])
        await database.releaseMemory()
        try await database.close()
        #expect(base.calls == ["migrate", "write", "read", "tables", "plan", "wakes", "threads", "scrub", "releaseMemory", "close"])
        await #expect(throws: DatabaseError.closed) { try await database.read { _ in 0 } }
    }

    @Test("A list uses the decorator's own read")
    func lists() async throws {
        let folder = try TemporaryFolder()
        let base = try await SQLiteDatabase.open(path: folder.path + "/a.sqlite")
        let plain: any Database = PlainDecorator(base: base)
        let refusing: any Database = RefusingReads(base: base)
        let ones = try await plain.list("SELECT 1 AS one") { row in try row.next("one") as Int64 }
        #expect(ones == [1])
        await #expect(throws: DatabaseError.closed) {
            _ = try await refusing.list("SELECT 1 AS one") { row in try row.next("one") as Int64 }
        }
        try await base.close()
    }
}
