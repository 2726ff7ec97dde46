import Foundation
import Intelligence
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
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
}
