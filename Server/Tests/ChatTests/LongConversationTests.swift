import Core
import Database
import Foundation
import Intelligence
import KeepsakeWire
import TestKit
import TestThreads
import Testing
import Web

@testable import Chat
@testable import FeatureTestKit
@testable import Search
@testable import keepsake

@Suite("Long conversations", .blocksThreads)
struct LongConversationTests {
    /// 400 KB: a character of four bytes, repeated.
    private static let text = "attic " + String(repeating: "🌊", count: 99_000)

    private func run(_ engine: Engine, _ test: @Sendable (TestServer) async throws -> Void) async throws {
        try await ChatStandIn.run(.writes(["Fine."])) { standIn in
            let url = standIn.url
            try await TestServer.run(engine) { settings in
                settings.answer(by: url)
            } _: { server in
                try await test(server)
            }
        }
    }

    @Test("a title is the beginning of the text, without its white space")
    func titles() {
        #expect(
            ChatRules.title(of: " \n\u{3000}sea\n\n and  sun " + Self.text, firstFile: nil) == "sea and sun attic "
                + String(repeating: "🌊", count: 42))
        #expect(ChatRules.title(of: " \n", firstFile: "plan.txt") == "plan.txt" && ChatRules.title(of: "", firstFile: nil) == "New Chat")
    }

    @Test("deleting a long conversation takes several writes, and leaves nothing")
    func deleted() async throws {
        try await run(.sqlite) { server in
            let ada = try await server.person()
            let conversation = try await server.say(Self.text, as: ada).conversation.conversationId
            for _ in 0..<2 { _ = try await server.say(Self.text, in: conversation, as: ada) }
            let answer = try await server.sendJSON("DELETE", "/api/chat/convos", ["arg": ["conversationId": conversation]], as: ada)
            #expect(answer.status == 200, "\(answer.text)")
            let rows = try await server.backend.database.read { tx in try tx.rows("SELECT id FROM chat_message") }
            #expect(rows.isEmpty)
            let found = try await server.send("GET", "/api/chat/search?q=attic", as: ada).chat(ChatSearchPage.self)
            #expect(found.messages.isEmpty)
        }
    }

    @Test("the length of a page of a search is known, so that a short page needs no turn, unless there are files in it")
    func lengths() async throws {
        try await run(.sqlite) { server in
            let ada = try await server.person()
            let store = server.backend.features[ChatFeature.self].store
            let short = try await server.say("attic", as: ada).requestMessage.messageId
            let long = try await server.say(Self.text, as: ada).requestMessage.messageId
            let hits = [short, long].map { SeparateSearch.Hit(kind: StoredMessage.kind, id: $0) }
            let one = try await store.fitting([hits[0]], owner: ada.id)
            #expect(one.count == 1 && one.byteCount ?? Int64.max <= 1_024)
            let both = try await store.fitting(hits, owner: ada.id)
            #expect(both.count == 2 && both.byteCount ?? 0 > LongWork.byteCount)
            let withFile = try await store.fitting(hits + [SeparateSearch.Hit(kind: "chat_file", id: "f")], owner: ada.id)
            #expect(withFile.count == 3 && withFile.byteCount == nil)
            let none = try await store.fitting([], owner: ada.id)
            #expect(none.count == 0 && none.byteCount == 0)
        }
    }

    @Test("a response holds at most 2 MB of texts, counted in bytes, and the rest follows", arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        try await run(engine) { server in
            let ada = try await server.person()
            let first = try await server.say(Self.text, as: ada)
            let conversation = first.conversation.conversationId
            for _ in 0..<6 { _ = try await server.say(Self.text, in: conversation, as: ada) }

            let latest = try await server.messages(conversation, as: ada)
            #expect(latest.filter(\.isCreatedByUser).count == 5)
            let before = try #require(latest.first?.messageId)
            let older = try await server.send("GET", "/api/chat/messages/\(conversation)?before=\(before)", as: ada).chat(
                [ChatMessage].self)
            #expect(older.filter(\.isCreatedByUser).count == 2 && older.first?.messageId == first.requestMessage.messageId)
            #expect(latest.count + older.count == 14)

            var found: [String] = []
            var cursor: String?
            repeat {
                let next = cursor.flatMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) }.map { "&cursor=" + $0 } ?? ""
                let page = try await server.send("GET", "/api/chat/search?q=attic" + next, as: ada).chat(ChatSearchPage.self)
                #expect(page.messages.count <= 5 && !page.messages.isEmpty)
                found += page.messages.map(\.messageId)
                cursor = page.nextCursor
            } while cursor != nil && found.count < 20
            #expect(found.count == 7 && Set(found).count == 7)
        }
    }

    @Test("long frames of a stream are made again for each of their pieces, and are whole", arguments: Engine.allCases)
    func streams(_ engine: Engine) async throws {
        let question = String(repeating: "🌊", count: 30_000)
        let words = String(repeating: "Wave 🌊. ", count: 4_000)
        try await ChatStandIn.run(.writes([words, words, "End."])) { standIn in
            let url = standIn.url
            try await TestServer.run(engine) { settings in
                settings.answer(by: url)
            } _: { server in
                try await streams(server, question: question, answer: words + words + "End.")
            }
        }
    }

    private func streams(_ server: TestServer, question: String, answer: String) async throws {
        let ada = try await server.person()
        let stream = try await server.stream(
            "POST", "/api/chat/agents/chat/openAI", TestServer.body(question, id: "m-1"), as: ada)
        // Compares outside of `#expect`, which would print the long texts.
        let first = (stream.frames.first?.object["message"] as? [String: Any])?["text"] as? String == question
        let final = try #require(stream.final)
        let hasAll = final.responseMessage.text == answer && final.requestMessage.text == question
        let isSent = stream.words == final.responseMessage.text
        #expect(first && hasAll && isSent && stream.frames.count > 12, "\(first) \(hasAll) \(isSent) \(stream.frames.count)")
        // The stream has all of the text in one frame, and then the whole answer.
        let again = try await server.resume(final.conversation.conversationId, after: nil, as: ada)
        let isSame = again.words == stream.words && again.final == final
        #expect(again.frames.count == 2 && isSame)
        let file = try await server.send("GET", "/api/chat/convos/\(final.conversation.conversationId)/export", as: ada)
        let isWhole = file.text.contains("\n\n\(question)\n") && file.text.hasSuffix("End.\n")
        #expect(file.status == 200 && isWhole && file.text.components(separatedBy: "\n## ").count == 3)
    }

    @Test("a response whose characters need escapes in JSON has fewer messages, and the rest follows", arguments: Engine.allCases)
    func escapes(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            // A response contains each text twice, so a message takes 720 KB as JSON. Six of them are more than the 4 MiB of one account.
            try await Self.fill(ada.id, 8, String(repeating: "\u{1}", count: 60_000), server)
            var pages: [[String]] = []
            var before = ""
            repeat {
                let answer = try await server.send("GET", "/api/chat/messages/c" + before, as: ada)
                #expect(answer.body.count <= 4 << 20)
                pages.append(try answer.chat([ChatMessage].self).map(\.messageId))
                before = "?before=" + (pages.last?.first ?? "")
            } while pages.last?.isEmpty == false && pages.count < 10
            #expect(pages.reversed().flatMap { $0 } == (1...8).map { "m\($0)" } && pages.count == 3, "\(pages)")
        }
    }

    /// Inserts a conversation of messages with the same text.
    private static func fill(_ owner: String, _ count: Int, _ text: String, _ server: TestServer) async throws {
        let now = Timestamp(seconds: 1_795_348_800)
        try await server.backend.database.write { tx in
            try tx.send(
                """
                INSERT INTO chat_conversation (owner, id, title, is_renamed, endpoint, last_position, created_at, updated_at, row_bytes)
                VALUES (\(owner), 'c', 't', 0, 'google', \(count), \(now), \(now), 1)
                """)
            for position in 1...count {
                let id = "m\(position)"
                try tx.send(
                    """
                    INSERT INTO chat_message (owner, id, conversation, position, text, endpoint, state, is_unfinished, attempt,
                        stopping, frame_count, created_at, updated_at, row_bytes)
                    VALUES (\(owner), \(id), 'c', \(position), \(text), 'google', 'done', 0, 0, 0, 0, \(now), \(now),
                        \(StoredMessage.countedBytes(text)))
                    """)
            }
        }
    }

    @Test("files count against the length of a response: the same twenty in every message", arguments: Engine.allCases)
    func files(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            var files: [String] = []
            for number in 0..<20 { files.append(try await server.uploadChatFile("\(number).txt", Data("words".utf8), as: ada).fileId) }
            try await Self.fill(ada.id, 250, "words", server)
            try await server.backend.database.write { [files] tx in
                for position in 1...250 {
                    let id = "m\(position)"
                    for (place, file) in files.enumerated() {
                        try tx.send(
                            """
                            INSERT INTO chat_message_file (owner, message, file, position) VALUES (\(ada.id), \(id), \(file), \(place))
                            """)
                    }
                }
            }
            // A message takes 20,805 bytes, so 100 of them fit.
            var pages: [[String]] = []
            var before = ""
            repeat {
                let answer = try await server.send("GET", "/api/chat/messages/c" + before, as: ada)
                let page = try answer.chat([ChatMessage].self)
                #expect(answer.body.count < 2 << 20 && page.allSatisfy { $0.files.count == 20 })
                pages.append(page.map(\.messageId))
                before = "?before=" + (page.first?.messageId ?? "")
            } while pages.last?.isEmpty == false && pages.count < 5
            #expect(pages.map(\.count) == [100, 100, 50, 0])
            #expect(pages.reversed().flatMap { $0 } == (1...250).map { "m\($0)" })
        }
    }
}
