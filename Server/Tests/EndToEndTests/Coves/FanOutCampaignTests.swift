import Database
import DatabaseEngines
import Foundation
import TestKit
import TestThreads
import Testing

/// `make campaign NAME=coves` has 100,000 members and five kills; the small form has 1,000 members and one kill.
@Suite("Campaign: coves, killed while members are told", .blocksThreads)
struct FanOutCampaignTests {
    @Test("each member of a large cove is told of an event once, although the server is killed meanwhile", arguments: Engine.allCases)
    func killed(_ engine: Engine) async throws {
        guard CampaignScale.runs("coves") else { return }
        let (members, kills) = CampaignScale.isFull("coves") ? (100_000, 5) : (1_000, 1)
        let installation = try Installation(StoragePair(engine))
        let ada = try installation.person()
        var node = try installation.node("coves")
        var client = CoveClient(port: node.port, person: ada)
        let cove = try await client.createCove("Everybody")
        let database = try await #require(DatabaseAddress(installation.database)).open()
        try await Self.add(members, to: cove, database)

        var events: [String] = []
        var killed = 0
        while killed < kills {
            try #require(events.count < 50, "the server is never killed in time")
            // The server has acknowledged the event, so every member must be told of it.
            if try await Self.progress(database) == nil { events.append(try await client.createEvent("Party", in: cove)) }
            try await Self.wait(batches: kills > 1 ? Int.random(in: 1...(members / 200 / (kills + 2))) : 0, database)
            node.killNow()
            if try await Self.progress(database) != nil { killed += 1 }
            node = try installation.node("coves")
            client = CoveClient(port: node.port, person: ada)
            CampaignScale.progress(killed, of: kills)
        }
        let end = ContinuousClock.now + .seconds(600)
        while try await Self.progress(database) != nil {
            try #require(ContinuousClock.now < end, "the announcement is not finished")
            try await Task.sleep(for: .milliseconds(50))
        }
        node.killNow()
        for event in events {
            let counts = try await Self.counts(#"{"coveId":"\#(cove)","eventId":"\#(event)"}"#, database)
            // The job told the members, and the host for the host's own devices.
            #expect(counts == Counts(accounts: members + 1, events: members + 1))
        }
        print("coves fan-out, \(engine): \(members) members, \(killed) kills, \(events.count) events")
        try await database.close()
    }

    private struct Counts: Equatable {
        let accounts: Int
        let events: Int
    }

    /// How many accounts were told of the event, and how many times in all.
    private static func counts(_ payload: String, _ database: any Database) async throws -> Counts {
        try await database.read { tx in
            let row = try #require(
                try tx.row(
                    """
                    SELECT COUNT(*) AS events, COUNT(DISTINCT account) AS accounts FROM event
                    WHERE kind = 'cove.event.added' AND payload = \(payload)
                    """))
            return Counts(accounts: try row.get("accounts"), events: try row.get("events"))
        }
    }

    /// The last member that the job has considered, empty at first; `nil` when no announcement is under way.
    private static func progress(_ database: any Database) async throws -> String? {
        try await database.read { tx in try tx.row("SELECT told FROM cove_announcement")?.get("told") }
    }

    /// Waits until the job has sent some batches, or has finished.
    private static func wait(batches: Int, _ database: any Database) async throws {
        var last = try await progress(database)
        var seen = 0
        let end = ContinuousClock.now + .seconds(60)
        while seen < batches, let known = last {
            try #require(ContinuousClock.now < end, "the job makes no progress")
            try await Task.sleep(for: .milliseconds(2))
            last = try await progress(database)
            if last != known { seen += 1 }
        }
    }

    private static func add(_ members: Int, to cove: String, _ database: any Database) async throws {
        let numbers: SQL = """
            WITH RECURSIVE numbers(n) AS (
                SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < \(Int64(members)))
            """
        let account: SQL = "'member-' || CAST(1000000 + n AS TEXT)"
        try await database.write { tx in
            try tx.run("\(sql: numbers) INSERT INTO account (id, created_at) SELECT \(sql: account), 1 FROM numbers")
            try tx.run(
                """
                \(sql: numbers) INSERT INTO cove_member (id, cove, account, role, joined_at)
                SELECT 'membership of ' || \(sql: account), \(cove), \(sql: account), 'MEMBER', n FROM numbers
                """)
            try tx.run("UPDATE cove SET member_count = member_count + \(members) WHERE id = \(cove)")
        }
    }
}
