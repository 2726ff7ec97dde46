import Core
import Database
import Foundation
import Intelligence
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

/// How answers and deletions use the database's writer, which all accounts share.
@Suite("Chats beside the writes of others", .blocksThreads)
struct AnswerTurnsTests {
    @Test("an answer is begun and ended in the turns of the account that asked, not in those of the server")
    func turns() async throws {
        let record = StatementRecord()
        let people = try await TestServer.run(.embedded, record: record) { server in
            let people = [try await server.person(), try await server.person("eve")]
            for person in people { _ = try await server.say("Where is the lighthouse?", as: person) }
            return people
        }
        let accounts = Set(people.map { Requester.Share.account($0.id) })
        for beginning in ["INSERT INTO chat_message ", "UPDATE chat_message SET state"] {
            let shares = record.all.filter { $0.text.hasPrefix(beginning) }.map(\.requester.share)
            #expect(!shares.isEmpty && Set(shares) == accounts, "\(beginning): \(shares)")
        }
    }

    @Test("while an answer waits, it holds only the beginning of its message")
    func message() async throws {
        let text = String(repeating: "\u{20000}", count: 20_000)
        try await TestServer.run(.embedded) { server in
            let ada = try await server.person()
            let said = try await server.say(text, as: ada)
            #expect(said.requestMessage.text == text)
            let store = server.backend.features[ChatFeature.self].store
            let exchange = try #require(try await store.exchange(answer: said.responseMessage.messageId, owner: ada.id))
            let requester = Requester(account: ada.id, network: nil)
            let share = try SharedBudget(.init(total: 1, perAccount: 1, perNetwork: 1)).share(1, of: requester)
            let work = AnswerWriter.Work(exchange: exchange, choice: .local(.chosen), share: share, requester: requester)
            #expect(work.exchange.question.message.text == text.prefix(1_000))
        }
        // One character.
        let accents = "e" + String(repeating: "\u{301}", count: 20_000)
        #expect(ChatRules.questionText(of: accents).utf8.count < 8_000)
    }

    @Test("a long answer is split into words in a turn, and is stored afterwards")
    func words() async throws {
        // 20 KB.
        let pieces = [String](repeating: String(repeating: "sea ", count: 250), count: 20)
        try await ChatStandIn.run(.writes(pieces)) { standIn in
            let url = standIn.url
            try await TestServer.run(.sqlite) { settings in
                settings.answer(by: url)
            } _: { server in
                let ada = try await server.person()
                let splitting = server.backend.features[ChatFeature.self].writer.splitting
                var held: [FairSemaphore.Permit] = []
                for number in 0..<FileQuotes.limits(processors: ProcessInfo.processInfo.activeProcessorCount).permits {
                    held.append(try await splitting.turn(Requester(account: "other\(number)", network: nil)))
                }
                let asked = Task { try await server.say("Count", endpoint: "openAI", as: ada) }
                try await eventually { splitting.counts.waiting == 1 }
                for permit in held { permit.release() }
                let message = try await asked.value.responseMessage
                #expect(message.text.utf8.count >= 19_999 && !message.unfinished)
                #expect(splitting.counts == (0, 0))
            }
        }
    }

    @Test("an answer that this node still writes is not taken for abandoned when its lease has ended")
    func lease() async throws {
        try await ChatStandIn.run(.hangs(after: ["One "])) { standIn in
            let url = standIn.url
            try await TestServer.run(.sqlite) { settings in
                settings.answer(by: url)
                settings.chat.limits.silence = .seconds(90)
            } _: { server in
                let ada = try await server.person()
                let (store, writer) = (server.backend.features[ChatFeature.self].store, server.backend.features[ChatFeature.self].writer)
                let stream = try await server.stream(
                    "POST", "/api/chat/agents/chat/openAI", TestServer.body("Count"), frames: 2, as: ada)
                #expect(stream.words == "One ")
                server.clock.advance(by: ChatStore.lease + .seconds(1))
                let expired = try await store.database.list(ChatStore.abandoned(before: server.clock.now), StoredMessage.init)
                let ended = try await store.endAbandoned { writer.writing($0) != nil }
                #expect(expired.count == 1 && ended == 0)
            }
        }
    }

    @Test("a write removes at most 256 KB of texts of a deleted conversation")
    func deletion() async throws {
        let record = StatementRecord()
        // One word of 66 KB. Three such texts fit in one write.
        let text = String(repeating: "a", count: 66_000)
        let sizes = try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            let conversation = try await server.say(text, as: ada).conversation.conversationId
            for _ in 0..<5 { _ = try await server.say(text, in: conversation, as: ada) }
            var sizes: [String: Int] = [:]
            for message in try await server.messages(conversation, as: ada) { sizes[message.messageId] = message.text.utf8.count }
            let answer = try await server.sendJSON("DELETE", "/api/chat/convos", ["arg": ["conversationId": conversation]], as: ada)
            #expect(answer.status == 200, "\(answer.text)")
            return sizes
        }
        // Each write first reads which messages it deletes.
        var writes: [[String]] = []
        for statement in record.all {
            if statement.text.hasPrefix("SELECT id, row_bytes AS own_bytes") { writes.append([]) }
            guard statement.text.hasPrefix("DELETE FROM chat_message WHERE"), !writes.isEmpty else { continue }
            if case .text(let id)? = statement.sql.values.last { writes[writes.count - 1].append(id) }
        }
        #expect(sizes.count == 12 && Set(writes.joined()) == Set(sizes.keys))
        for write in writes {
            let byteCount = write.reduce(0) { $0 + (sizes[$1] ?? 0) }
            #expect(byteCount <= 262_144, "\(write.count) messages of \(byteCount) bytes")
        }
    }
}
