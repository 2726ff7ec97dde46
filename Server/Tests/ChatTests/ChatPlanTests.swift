import Core
import Database
import Foundation
import KeepsakeWire
import Outbound
import TestKit
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

@Suite("Query plans of chats")
struct ChatPlanTests {
    private static let now = Timestamp(seconds: 1_795_348_800)
    private static let key = TimeKey(at: now, id: "x")

    /// The statements that read a page. PostgreSQL sorts when a table is small and the page contains all of it, so these statements need
    /// rows.
    private static func pages(of owner: String) -> [SQL] {
        [
            ChatStore.conversations(owner: owner, after: nil, limit: 26), ChatStore.conversations(owner: owner, after: key, limit: 26),
            ChatStore.lengths(of: "c0", owner: owner, before: .max, limit: 32, in: .bytes),
            ChatStore.lengths(of: "c0", owner: owner, before: 900, limit: 32, in: .characters),
            ChatStore.messages(of: "c0", owner: owner, from: 10, before: 20), ChatStore.latestAnswer(in: "c0", owner: owner),
        ]
    }

    private static let others: [SQL] = [
        ChatStore.conversation("c", owner: "o"), ChatStore.conversations(["a", "b"], owner: "o"), ChatStore.message("m", owner: "o"),
        ChatStore.messages(["a", "b"], owner: "o"), ChatStore.sizes(["a", "b"], owner: "o"), ChatStore.files(of: ["a", "b"], owner: "o"),
        ChatStore.holders(of: ["a", "b"], owner: "o"), ChatStore.answer(to: "m", owner: "o"), ChatStore.writing(in: "c", owner: "o"),
        ChatStore.pieces(of: "m", owner: "o", from: 3), ChatStore.abandoned(before: now), ChatStore.ended(before: now, limit: 9),
        ChatStore.deletedConversations(before: now), ChatStore.unheld(["a", "b"]), ChatStore.full(["a", "b"]),
        ChatStore.unheld(["a"], besides: 2),
        ChatStore.firstMessages(of: "o", limit: 9), ChatStore.firstConversations(of: "o", limit: 9),
        ChatStore.someMessages(of: "c", owner: "o", limit: 9), ChatStore.someFiles(of: "m", owner: "o", limit: 9),
        ChatStore.keepIDs(of: ["a", "b"], owner: "o", until: now), ChatStore.tombstone(of: "m", owner: "o", now),
        ChatStore.tombstone(at: 10, of: "o"),
        ChatStore.erasure(ofTombstonesOf: "o", limit: 9),
    ]

    private static func fill(_ owner: String, _ server: TestServer, _ engine: Engine, conversations: Int64, messages: Int64) async throws {
        try await server.backend.database.write { tx in
            for number in 0..<conversations {
                try tx.send(
                    """
                    INSERT INTO chat_conversation (owner, id, title, is_renamed, endpoint, last_position, created_at, updated_at, row_bytes)
                    VALUES (\(owner), \("c\(number)"), 't', 0, 'google', \(messages), \(now), \(now + .minutes(number)), 1)
                    """)
            }
            for position in 1...messages {
                let question: String? = position.isMultiple(of: 2) ? "m\(position - 1)" : nil
                try tx.send(
                    """
                    INSERT INTO chat_message (owner, id, conversation, position, question, text, endpoint, state, is_unfinished, attempt,
                        stopping, frame_count, created_at, updated_at, row_bytes)
                    VALUES (\(owner), \("m\(position)"), 'c0', \(position), \(question), 'words', 'google', 'done', 0, 1, 0, 0,
                        \(now), \(now), 1)
                    """)
            }
            if engine == .postgres { try tx.run("ANALYZE") }
        }
    }

    @Test("each page walks an index and sorts nothing, wherever it begins", arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: nil) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, server, engine, conversations: 1_000, messages: 2_000)
            for statement in Self.pages(of: ada.id) {
                let plan = try await QueryPlan(statement, on: server.backend.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
        }
    }

    @Test("each other statement finds its rows by an index", arguments: Engine.allCases)
    func others(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: nil) { server in
            for statement in Self.others {
                let plan = try await QueryPlan(statement, on: server.backend.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
            let sweep = try await QueryPlan(ChatStore.expiredTombstones(before: Self.now, limit: 500), on: server.backend.database)
            #expect(sweep.uses("chat_tombstone_by_age"), "\(sweep)")
        }
    }

    /// SQLite, which knows no statistics, prefers an index on the owner if the statement allows it.
    @Test("files and the messages that hold them are found by the files' ids, not among all of the account", arguments: Engine.allCases)
    func ids(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: nil) { server in
            for count in [1, 4, 21] {
                let ids = (0..<count).map { "f\($0)" }
                for statement in [ChatFileStore.some(ids, owner: "o"), ChatFileStore.pending(among: ids, owner: "o")] {
                    let files = try await QueryPlan(statement, on: server.backend.database)
                    #expect(files.faults.isEmpty && !files.uses("chat_file_by_owner"), "\(files)")
                }
                for statement in [ChatStore.holders(of: ids, owner: "o"), ChatStore.unheld(ids), ChatStore.full(ids)] {
                    let plan = try await QueryPlan(statement, on: server.backend.database)
                    #expect(plan.faults.isEmpty && plan.uses("chat_message_file_by_file") && !plan.uses("chat_file_by_owner"), "\(plan)")
                }
            }
        }
    }

    @Test("the latest files of a conversation are read along its messages, without a sort", arguments: Engine.allCases)
    func latestFiles(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: nil) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, server, engine, conversations: 10, messages: 2_000)
            let file = try await server.uploadChatFile("a.txt", Data("words".utf8), as: ada)
            try await server.backend.database.write { tx in
                try tx.send(
                    """
                    INSERT INTO chat_message_file (owner, message, file, position)
                    SELECT owner, id, \(file.fileId), 0 FROM chat_message WHERE owner = \(ada.id) AND question IS NULL
                    """)
                if engine == .postgres { try tx.run("ANALYZE") }
            }
            let statement = ChatStore.latestFiles(in: "c0", owner: ada.id, upTo: 1_900, limit: 20)
            let plan = try await QueryPlan(statement, on: server.backend.database)
            #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            let rows = try await server.backend.database.read { tx in try tx.rows(statement).count }
            #expect(rows == 20)
        }
    }

    @Test("what was sent outside is summed over the rows of one account and of the days asked for alone", arguments: Engine.allCases)
    func usage(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: nil) { server in
            // The rows belong to many accounts. With the rows of one account only, PostgreSQL could as well use the index without the
            // owner.
            try await server.backend.database.write { tx in
                for number in Int64(0)..<2_000 {
                    try tx.send(
                        """
                        INSERT INTO engine_call (id, owner, at, engine, purpose, model, host, sent_bytes, outcome)
                        VALUES (\("call\(number)"), \("o\(number % 200)"), \(Self.now - .minutes(number)), 'openai', 'chat', 'm', 'h', 1, 'ok')
                        """)
                }
                if engine == .postgres { try tx.run("ANALYZE") }
            }
            let statement = CallLedger.use(by: "o1", from: Self.now - .days(30), to: Self.now)
            let plan = try await QueryPlan(statement, on: server.backend.database)
            // The sum itself may be sorted: it has a row for each day and model.
            #expect(plan.uses("engine_call_owner") && !plan.steps.contains { $0.contains("SCAN") || $0.contains("Seq Scan") }, "\(plan)")
            #expect(plan.steps.contains { $0.contains("at>?") || $0.contains("at >= ") }, "\(plan)")
        }
    }
}
