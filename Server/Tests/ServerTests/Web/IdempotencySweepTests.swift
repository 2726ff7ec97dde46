import Core
import Database
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Web

@Suite("The sweep of idempotency keys")
struct IdempotencySweepTests {
    @Test("a write deletes at most 2 MB of stored responses, and at most 500 keys", arguments: Engine.allCases)
    func steps(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        try await database.migrate(IdempotencyStore.migrations)
        typealias Row = (answer: String?, rowBytes: Int64?)
        let long: Row = ("x", 900_000)
        // A key without a response is short. If a response was stored before the server recorded lengths, it may be long.
        let others: [Row] = [(nil, nil), (nil, nil), (nil, nil), ("x", nil)]
        let rows: [Row] = [Row](repeating: long, count: 5) + others + [Row](repeating: ("x", 600), count: 600)
        try await database.write { tx in
            for (number, row) in rows.enumerated() {
                try tx.send(
                    """
                    INSERT INTO idempotency (account, route, key, attempt, lease_until, fingerprint, answer, created_at, row_bytes)
                    VALUES ('a', 'r', \("k\(number)"), 1, 0, \(row.answer), \(row.answer), \(number), \(row.rowBytes))
                    """)
            }
        }
        let record = StatementRecord()
        let observed = ObservedDatabase(base: database, observe: record.add)
        try await IdempotencyStore(database: observed, clock: TestClock().wall).sweep()
        let steps = record.all.compactMap { statement -> Int64? in
            guard statement.text.hasPrefix("DELETE FROM idempotency ") else { return nil }
            guard case .integer(let count)? = statement.sql.values.last else { return nil }
            return count
        }
        #expect(steps == [2, 2, 4, 1, 500, 100])
        let left = try await database.read { tx in try tx.rows("SELECT key FROM idempotency").count }
        #expect(left == 0)
        try await database.close()
        withExtendedLifetime(stores) {}
    }
}
