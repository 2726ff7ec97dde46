import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

/// No database stores U+0000, and JSON from a model may contain it.
@Suite("Answers that cannot be stored as they came", .blocksThreads)
struct UnstorableAnswerTests {
    @Test("an answer with U+0000 is shown and stored without it", arguments: Engine.allCases)
    func answer(_ engine: Engine) async throws {
        try await ChatStandIn.run(.writes(["One\u{0} ", "\u{0}", "two"])) { standIn in
            let url = standIn.url
            try await TestServer.run(engine) { settings in
                settings.answer(by: url)
            } _: { server in
                let ada = try await server.person()
                let answer = try await server.say("Count", endpoint: "openAI", as: ada)
                #expect(answer.responseMessage.text == "One two" && !answer.responseMessage.unfinished)
                let messages = try await server.messages(answer.conversation.conversationId, as: ada)
                #expect(messages.last?.text == "One two")
            }
        }
    }

    @Test("abandoned answers end, also behind one that holds U+0000 and one that cannot be read", arguments: Engine.allCases)
    func abandoned(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let store = server.backend.features[ChatFeature.self].store
            // Acts as a node that begins an answer, stores a piece, and then does nothing more.
            func begin(_ piece: String, _ person: TestServer.Person) async throws -> StoredMessage {
                let question = ChatRules.Question(
                    text: "Count", endpoint: "openAI", model: nil, messageID: nil, conversation: nil, files: [])
                let words = ChatStore.words(question.text)
                guard case .new(let begun) = try await store.begin(question, words, provider: "openai", model: "m-1", owner: person.id)
                else { throw CancellationError() }
                #expect(try await store.keep([piece], from: 1, of: begun.answer) == .going)
                server.clock.advance(by: .seconds(1))
                return begun.answer
            }
            let damaged = try await begin("Zero", ada)
            try await server.backend.database.write { tx in
                _ = try tx.run("UPDATE chat_piece SET texts = 'no JSON' WHERE message = \(damaged.id)")
            }
            let old = try await begin("One\u{0} ", ada)
            let last = try await begin("Two", eve)
            server.clock.advance(by: ChatStore.lease + .seconds(1))
            await #expect(throws: DatabaseError.self) { try await store.endAbandoned() }
            #expect(try await store.message(damaged.id, owner: ada.id)?.state == .writing)
            for (answer, owner, text) in [(old, ada.id, "One "), (last, eve.id, "Two")] {
                let ended = try await store.message(answer.id, owner: owner)
                #expect(ended?.state == .stopped && ended?.text == text)
            }
        }
    }
}
