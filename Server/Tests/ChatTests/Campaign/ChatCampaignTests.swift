import Core
import Database
import FeatureKit
import TestKit
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

/// A page's cost depends on the page, not on the number of conversations and messages. `make campaign NAME=chat` measures with a million
/// messages.
@Suite("Campaign: chat", .serialized)
struct ChatCampaignTests {
    private struct Measured: Sendable {
        let name: String
        /// - Returns: the number of rows.
        let read: @Sendable (ChatStore) async throws -> Int
    }

    private static let pages = [
        Measured(name: "first page of conversations") { store in try await conversations(store, after: nil) },
        Measured(name: "later page of conversations") { store in
            // The 300th of the first ten thousand messages.
            try await conversations(store, after: TimeKey(at: Timestamp(microseconds: 1_700_000_300_000_000), id: "small 300"))
        },
        Measured(name: "latest messages of a large conversation") { store in try await messages(store, ChatCrowd.large, before: nil) },
        Measured(name: "earlier messages of a large conversation") { store in try await messages(store, ChatCrowd.large, before: "4000") },
        Measured(name: "messages of a conversation of ten") { store in try await messages(store, "small 7", before: nil) * 2 },
        Measured(name: "the answer that a client may resume") { store in
            // It ended long ago, so there is none; the latest one was looked for.
            try await store.resumable(ChatCrowd.large, owner: ChatCrowd.person) == nil ? 20 : 0
        },
    ]

    private static func conversations(_ store: ChatStore, after key: TimeKey?) async throws -> Int {
        try await store.conversations(owner: ChatCrowd.person, PageRequest(after: key, limit: 20)).rows.count
    }

    private static func messages(_ store: ChatStore, _ conversation: String, before: String?) async throws -> Int {
        let found = try await store.messages(of: conversation, owner: ChatCrowd.person, before: before, limit: 20)
        return found?.count ?? 0
    }

    /// On PostgreSQL, each look-up descends one more tree level for every hundredfold growth: at most 4 buffers instead of 3.
    private static func bar(_ pair: StoragePair) -> Double { pair == .embedded ? 1.1 : 1.34 }

    @Test("pages of conversations and of messages cost the same however many there are", arguments: CampaignScale.pairs)
    func pages(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("chat") else { return }
        let many = CampaignScale.isFull("chat") ? 1_000_000 : 40_000
        try await TestServer.run(pair) { server in
            let database = server.backend.database
            var crowd = ChatCrowd(database)
            try await crowd.grow(to: 10_000)
            let before = try await Self.costs(server)
            let unsorted = try await EngineWork.measure(Self.byText, on: database)
            try await crowd.grow(to: many) { CampaignScale.progress($0, of: many) }
            let after = try await Self.costs(server)
            print("chat campaign, \(pair), \(pair == .embedded ? "VM steps" : "buffers") of a page of 20 among 10,000 and \(many) messages:")
            for (few, lots) in zip(before, after) {
                let ratio = Double(lots.work) / Double(few.work)
                print("  \(few.name): \(few.work) → \(lots.work), \((ratio * 1_000).rounded() / 1_000) ×")
                #expect(ratio <= Self.bar(pair), "\(few.name) on \(pair)")
            }
            // Control: a sort without an index costs as much as there are rows.
            let sorted = try await EngineWork.measure(Self.byText, on: database)
            #expect(sorted > 2 * unsorted)
        }
    }

    private static let byText: SQL = """
        SELECT id FROM chat_message WHERE owner = \(ChatCrowd.person) AND conversation = \(ChatCrowd.large) ORDER BY text, model LIMIT 21
        """

    /// The work of all statements of each page.
    private static func costs(_ server: TestServer) async throws -> [(name: String, work: Int)] {
        let database = server.backend.database
        let recording = RecordingDatabase(database)
        let own = server.backend.features[ChatFeature.self].store
        let store = ChatStore(
            database: recording, library: own.library, files: own.files, events: own.events, identifiers: own.identifiers)
        var costs: [(String, Int)] = []
        for page in pages {
            let count = try await page.read(store)
            try #require(count == 20, "\(page.name) has \(count)")
            var work = 0
            for statement in recording.statements() { work += try await EngineWork.measure(statement, on: database) }
            costs.append((page.name, work))
        }
        return costs
    }
}
