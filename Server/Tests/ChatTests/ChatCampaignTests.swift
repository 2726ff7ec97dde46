import Core
import Database
import TestKit
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

/// A page's cost depends on the page, not on the number of conversations or messages. `make campaign NAME=chat` measures with a million
/// messages, every other run with 25,000.
@Suite("Campaign: chat", .serialized)
struct ChatCampaignTests {
    private static let now = Timestamp(seconds: 1_795_348_800)
    /// The number of messages of each conversation except the first, which has half of all messages.
    private static let usual = 20

    /// Adds rows of one account.
    private struct Crowd {
        let database: any Database
        let owner: String
        var messages = 0

        /// Puts half of the messages into one conversation, and the others into conversations of twenty messages.
        mutating func grow(to count: Int) async throws {
            while messages < count {
                let (first, end) = (messages, min(messages + 2_000, count))
                let owner = owner
                try await database.write { tx in
                    for number in first..<end {
                        let isLarge = number.isMultiple(of: 2)
                        let position = isLarge ? number / 2 + 1 : number / 2 % usual + 1
                        let conversation = isLarge ? "large" : "c\(number / 2 / usual)"
                        if position == 1 {
                            try tx.send(
                                """
                                INSERT INTO chat_conversation (owner, id, title, is_renamed, endpoint, last_position, created_at,
                                    updated_at, row_bytes)
                                VALUES (\(owner), \(conversation), 't', 0, 'google', 1, \(now), \(now + .minutes(Int64(number))), 1)
                                """)
                        }
                        let question: String? = position.isMultiple(of: 2) ? "q\(number)" : nil
                        try tx.send(
                            """
                            INSERT INTO chat_message (owner, id, conversation, position, question, text, endpoint, state, is_unfinished,
                                attempt, stopping, frame_count, created_at, updated_at, row_bytes)
                            VALUES (\(owner), \("m\(number)"), \(conversation), \(position), \(question), 'some words', 'google',
                                'done', 0, 1, 0, 0, \(now), \(now), 1)
                            """)
                    }
                }
                messages = end
                CampaignScale.progress(messages, of: count)
            }
        }
    }

    private static func pages(of owner: String) -> [(name: String, statement: SQL)] {
        [
            ("first page of conversations", ChatStore.conversations(owner: owner, after: nil, limit: 26)),
            (
                "later page of conversations",
                ChatStore.conversations(owner: owner, after: TimeKey(at: now + .minutes(4_000), id: "x"), limit: 26)
            ),
            ("lengths of the latest messages", ChatStore.lengths(of: "large", owner: owner, before: .max, limit: 20, in: .bytes)),
            ("a page of messages", ChatStore.messages(of: "large", owner: owner, from: 4_000, before: 4_020)),
            ("the latest answer", ChatStore.latestAnswer(in: "large", owner: owner)),
        ]
    }

    /// The highest ratio of costs that passes. On PostgreSQL, each look-up descends one more tree level for every hundredfold growth, so it
    /// reads at most 4 buffers instead of 3.
    private static func bar(_ pair: StoragePair) -> Double { pair == .embedded ? 1.1 : 1.34 }

    @Test("pages of conversations and messages cost the same however many there are", arguments: CampaignScale.pairs)
    func pages(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("chat") else { return }
        let many = CampaignScale.isFull("chat") ? 1_000_000 : 25_000
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let database = server.backend.database
            var crowd = Crowd(database: database, owner: ada.id)
            let sorted: SQL = "SELECT id FROM chat_message WHERE owner = \(ada.id) ORDER BY text, id LIMIT 20"
            try await crowd.grow(to: 10_000)
            if pair != .embedded { try await database.write { tx in try tx.run("ANALYZE") } }
            let before = try await Self.costs(ada.id, database)
            let unsorted = try await EngineWork.measure(sorted, on: database)
            try await crowd.grow(to: many)
            if pair != .embedded { try await database.write { tx in try tx.run("ANALYZE") } }
            print("chat campaign, \(pair), \(pair == .embedded ? "VM steps" : "buffers") among 10,000 and \(many) messages:")
            for (few, lots) in zip(before, try await Self.costs(ada.id, database)) {
                print("  \(few.name): \(few.work) → \(lots.work)")
                #expect(Double(lots.work) <= Double(few.work) * Self.bar(pair) + 2, "\(few.name) on \(pair)")
            }
            // Control: the cost of a sort without an index grows with the number of rows.
            #expect(try await EngineWork.measure(sorted, on: database) > 2 * unsorted)
        }
    }

    private static func costs(_ owner: String, _ database: any Database) async throws -> [(name: String, work: Int)] {
        var costs: [(name: String, work: Int)] = []
        for page in pages(of: owner) { costs.append((page.name, try await EngineWork.measure(page.statement, on: database))) }
        return costs
    }
}
