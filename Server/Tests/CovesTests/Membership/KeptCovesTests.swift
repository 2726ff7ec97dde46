import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

@Suite("Coves that have ended and are still kept")
struct KeptCovesTests {
    /// Adds coves that Ada created and that have ended. `member` is the only member of each.
    private static func addEnded(_ count: Int, member: String, _ home: EventHome) async throws {
        let (ada, now) = (home.ada.id, home.server.clock.now)
        try await home.server.backend.database.write { tx in
            let numbers: SQL = """
                WITH RECURSIVE numbers(n) AS (
                    SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < CAST(\(Int64(count)) AS BIGINT))
                """
            try tx.run(
                """
                \(sql: numbers) INSERT INTO cove (id, creator, name, location, member_count, created_at, ended_at)
                SELECT 'ended-' || CAST(n AS TEXT), \(ada), 'n', 'l', 1, CAST(\(now) AS BIGINT), CAST(\(now) AS BIGINT) FROM numbers
                """)
            try tx.run(
                """
                \(sql: numbers) INSERT INTO cove_member (id, cove, account, role, joined_at)
                SELECT 'member-' || CAST(n AS TEXT), 'ended-' || CAST(n AS TEXT), \(member), 'MEMBER', CAST(\(now) AS BIGINT) FROM numbers
                """)
        }
    }

    @Test("they count against a limit of memberships, and of coves that an account created", arguments: StoragePair.allCases)
    func limit(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (ada, bob) = (home.ada, home.bob)
            let (first, second) = (try await home.anotherCove("First", by: home.eve), try await home.anotherCove("Second", by: home.eve))
            // Together with the cove that Ada created and that Bob is in, this is one less than the limit.
            try await Self.addEnded(CoveRules.maxKept - 2, member: bob.id, home)
            try await home.join(bob, first)
            _ = try await home.anotherCove("The last one", by: ada)
            for person in [ada, bob] {
                let created = try await home.post("/create-cove", ["name": "n", "location": "l"], as: person)
                let joined = try await home.post("/join-cove", ["coveId": second], as: person)
                for refused in [created, joined] {
                    #expect(refused.status == 409 && refused.text.contains("\(CoveRules.maxKept)"), "\(refused.text)")
                }
            }
            // A membership that has ended no longer counts against the limit.
            try await home.leave(bob)
            try await home.join(bob, second)
        }
    }

    @Test(
        "closing, suspending and restoring an account does not change its memberships of them, which are erased in steps",
        arguments: StoragePair.allCases)
    func closed(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (database, bob) = (home.server.backend.database, home.bob.id)
            let store = home.server.backend.features[CovesFeature.self].store
            let second = try await home.anotherCove("Second", by: home.ada)
            try await home.join(home.bob, second)
            try await Self.addEnded(300, member: bob, home)
            let hidden: Int = try await database.write { tx in
                try store.suspend(bob, tx)
                return try tx.rows("SELECT id FROM cove_member WHERE account = \(bob) AND hidden = 1").count
            }
            #expect(hidden == 2)
            #expect(try await home.countsAreExact())
            let shown: Int = try await database.write { tx in
                try store.restore(bob, tx)
                return try tx.rows("SELECT id FROM cove_member WHERE account = \(bob) AND hidden = 0").count
            }
            #expect(shown == 302)
            let left: Int = try await database.write { tx in
                try store.close(bob, keepsCoves: false, tx)
                return try tx.rows("SELECT id FROM cove_member WHERE account = \(bob)").count
            }
            #expect(left == 300)
            let unchanged = try await database.read { tx in
                try tx.rows("SELECT id FROM cove WHERE ended_at IS NOT NULL AND member_count = 1").count
            }
            #expect(unchanged == 300)
            #expect(try await home.countsAreExact())
            var erased: [Int] = []
            repeat {
                erased.append(try await database.write { tx in try store.eraseSome(of: bob, limit: 100, tx) })
            } while erased.last != 0
            #expect(erased == [100, 100, 100, 0])
        }
    }
}
