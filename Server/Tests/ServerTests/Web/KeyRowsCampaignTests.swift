import Core
import Database
import Foundation
import SQLiteEngine
import TestKit
import Testing

@testable import Web

/// The cost of idempotency keys: work for each request, and bytes for each key. `make campaign NAME=rows` measures with ten million keys.
@Suite("Campaign: rows of idempotency keys", .serialized)
struct KeyRowsCampaignTests {
    /// How many times more work a statement may take with many keys. Each statement reads or writes a few rows by an index, and
    /// PostgreSQL's indexes become one or two levels deeper.
    private static let bar = 2.0

    @Test("a creation and the sweep cost the same however many keys are stored", arguments: CampaignScale.engines)
    func rows(_ engine: Engine) async throws {
        guard CampaignScale.runs("rows") else { return }
        let many = CampaignScale.isFull("rows") ? 10_000_000 : 25_000
        let stores = try TestStores(engine)
        let database = try await stores.open()
        try await database.migrate(IdempotencyStore.migrations)
        var crowd = KeyCrowd(database)
        try await crowd.grow(to: 5_000)
        let before = try await work(database)
        try await crowd.grow(to: many) { CampaignScale.progress($0, of: many) }
        let after = try await work(database)
        print("rows campaign, \(engine), \(engine == .sqlite ? "VM steps" : "buffers") among 5,000 and \(many) keys:")
        for (few, lots) in zip(before, after) {
            print("  \(few.name): \(few.work) → \(lots.work)")
            #expect(Double(lots.work) <= Self.bar * Double(few.work) + 8, "\(few.name) on \(engine)")
        }
        let byteCount = try await Self.byteCount(database)
        print("  \(byteCount / Int64(many)) bytes a key with tables and indexes, of which the response has \(KeyCrowd.response.utf8.count)")
        // Without its response, a key takes less space than three times the bytes that count toward the quota for its rows.
        #expect(byteCount / Int64(many) < 3 * IdempotencyStore.rowBytes + Int64(KeyCrowd.response.utf8.count))
        // Control: without an index, a search reads all rows.
        let unsorted = try await EngineWork.measure("SELECT key FROM idempotency WHERE answer = 'x'", on: database)
        #expect(unsorted > 10 * (after.map(\.work).max() ?? 0))
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    private func work(_ database: any Database) async throws -> [(name: String, work: Int)] {
        let name = KeyCrowd.name(7)
        let resource = CreatedResource(kind: "mood", id: KeyCrowd.resource(7))
        let statements: [(String, SQL)] = [
            ("look up a key", IdempotencyStore.entry(name)),
            ("find the responses to a resource", IdempotencyStore.answers(to: resource, of: name.account)),
            ("count an account's keys", IdempotencyStore.countKeys(of: name.account, upTo: 50)),
            ("find nothing to sweep", IdempotencyStore.sizes(before: Timestamp(microseconds: 0), limit: 500)),
        ]
        var work: [(String, Int)] = []
        for (name, sql) in statements { work.append((name, try await EngineWork.measure(sql, on: database))) }
        return work
    }

    private static func byteCount(_ database: any Database) async throws -> Int64 {
        try await database.read { tx in
            if database is SQLiteDatabase {
                let pages: Int64 = try tx.row("PRAGMA page_count")!.get("page_count")
                let size: Int64 = try tx.row("PRAGMA page_size")!.get("page_size")
                return pages * size
            }
            return try tx.row(
                "SELECT pg_total_relation_size('idempotency') + pg_total_relation_size('idempotency_resource') AS n")!.get("n")
        }
    }
}

/// Generates the keys of many accounts with SQL: a hundred keys for each account, spread over 30 days.
private struct KeyCrowd {
    /// The response to the creation of a mood with one photo.
    static let response =
        #"{"success":true,"mood":{"id":"01900000-0000-7000-8000-000000000000","mood":"calm","note":"A good day by the lake","voiceNote":null,"#
        + #""voiceNoteDuration":null,"reason":null,"tags":["summer"],"interests":[],"moodIntensity":7,"createdAt":1700000000000},"imageUrls":["#
        + #""https://keepsake.example.org/api/users/user/01900000-0000-7000-8000-000000000000/multimedia/files/01900000-0000-7000-8000-"#
        + #"000000000000?expires=1700000000&signature=0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"]}"#
    private static let route = "POST /api/users/user/{userId}/moods/swift"

    let database: any Database
    private var count = 0

    init(_ database: any Database) { self.database = database }

    static func name(_ number: Int) -> IdempotencyStore.Name {
        .init(account: "01900000-0000-7000-8000-\(twelve(number / 100))", route: route, key: key(number))
    }

    static func resource(_ number: Int) -> String { "01900000-0000-7000-9000-\(twelve(number))" }

    private static func twelve(_ number: Int) -> String { String(String(1_000_000_000_000 + number).dropFirst()) }

    /// Keys are random, because random keys cost an index more than ascending ones.
    private static func key(_ number: Int) -> String {
        String(String(10_000_000_000 + number * 2_654_435_761 % 4_294_967_296).dropFirst()) + "-" + twelve(number) + "-key-of-a-"
    }

    mutating func grow(to total: Int, progress: (Int) -> Void = { _ in }) async throws {
        let isSQLite = database is SQLiteDatabase
        let patience: SQL = isSQLite ? "PRAGMA cache_size = -4000000" : "SET LOCAL statement_timeout = 0"
        let batch = isSQLite ? max(50_000, total / 20) : 50_000
        while count < total {
            let (from, to) = (count, min(total, count + batch))
            try await database.write { tx in
                try tx.run(patience)
                try tx.run(Self.keys(from, to))
                try tx.run(Self.resources(from, to))
            }
            count = to
            progress(to)
        }
        if !isSQLite { try await database.write { tx in _ = try tx.run("ANALYZE") } }
    }

    private static func keys(_ from: Int, _ to: Int) -> SQL {
        """
        \(sql: numbers(from, to)) INSERT INTO idempotency
            (account, route, key, attempt, lease_until, fingerprint, answer, created_at, row_bytes, resources_left)
        SELECT \(sql: account), \(route), \(sql: key), 1, 0, \(String(repeating: "5", count: 64)), \(response), 1 + n * 259200,
            \(512 + response.utf8.count), 1 FROM numbers
        """
    }

    private static func resources(_ from: Int, _ to: Int) -> SQL {
        """
        \(sql: numbers(from, to)) INSERT INTO idempotency_resource (account, route, key, kind, resource)
        SELECT \(sql: account), \(route), \(sql: key), 'mood', '01900000-0000-7000-9000-' || \(sql: twelve("n")) FROM numbers
        """
    }

    // MARK: SQL expressions that compute the same values as the functions above

    private static let account: SQL = "'01900000-0000-7000-8000-' || \(sql: twelve("n / 100"))"

    private static let key: SQL =
        "substr(CAST(10000000000 + n * 2654435761 % 4294967296 AS TEXT), 2) || '-' || \(sql: twelve("n")) || '-key-of-a-'"

    private static func twelve(_ number: SQL) -> SQL { "substr(CAST(1000000000000 + (\(sql: number)) AS TEXT), 2)" }

    private static func numbers(_ from: Int, _ to: Int) -> SQL {
        """
        WITH RECURSIVE numbers(n) AS (
            SELECT CAST(\(Int64(from)) AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < \(Int64(to)))
        """
    }
}
