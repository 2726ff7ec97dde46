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

/// Any number of requests may repeat a message and wait for its answer, so none of them may keep much of the answer in memory.
@Suite("The memory of repeated messages", .blocksThreads)
struct RepeatedMessageTests {
    /// 300 KB.
    private static let pieces = [String](repeating: String(repeating: "sea ", count: 250), count: 300)
    private static let byteCount = 300_000
    /// The most bytes of a step. Its last piece may reach beyond the length of a step.
    private static let stepByteCount = ChatStore.progressByteCount + LiveAnswer.pieceByteCount

    private static let question = ChatRules.Question(
        text: "Count", endpoint: "openAI", model: nil, messageID: "m-1", conversation: nil, files: [])

    private struct WeakAnswer {
        weak var answer: LiveAnswer?
    }

    private func begin(_ store: ChatStore, _ owner: String) async throws -> ChatStore.Begun {
        try await store.begin(
            Self.question, ChatStore.words(Self.question.text), provider: "openai", model: "m-1", owner: owner)
    }

    /// Reads all of the text.
    /// - Returns: the bytes of each step.
    private func read(_ follower: inout AnswerFollower) async throws -> [Int] {
        var steps: [Int] = []
        while steps.reduce(0, +) < Self.byteCount {
            guard case .pieces(let texts) = try await follower.next(within: .seconds(30)) else { return steps }
            steps.append(texts.reduce(0) { $0 + $1.utf8.count })
        }
        return steps
    }

    /// The row that the follower keeps as long as its request waits.
    private func row(_ follower: AnswerFollower) -> StoredMessage? {
        Mirror(reflecting: follower).children.first { $0.label == "answer" }?.value as? StoredMessage
    }

    @Test("an answer that another node writes is read in steps of 64 KB, and no text of it is kept", arguments: Engine.allCases)
    func stored(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let (store, writer) = (server.backend.features[ChatFeature.self].store, server.backend.features[ChatFeature.self].writer)
            guard case .new(let begun) = try await begin(store, ada.id) else {
                Issue.record("the message was known")
                return
            }
            #expect(try await store.keep(Self.pieces, from: 1, of: begun.answer) == .going)
            guard case .known(let writing) = try await begin(store, ada.id) else {
                Issue.record("the message was answered anew")
                return
            }
            var follower = AnswerFollower(writing.answer, after: 0, store: store, writer: writer)
            let steps = try await read(&follower)
            #expect(steps == [66_000, 66_000, 66_000, 66_000, 36_000])
            let text = Self.pieces.joined()
            let isEnded = try await store.end(
                begun.answer, .init(state: .done, isUnfinished: false), text: text, ChatStore.words(text), rest: [], from: 301)
            #expect(isEnded)
            let ended = try await follower.end()
            #expect(ended?.state == .done && ended?.text == "")
            // A later repeat reads a row with the whole text, but its follower does not keep the text.
            guard case .known(let known) = try await begin(store, ada.id) else {
                Issue.record("the message was answered anew")
                return
            }
            #expect(known.answer.text.utf8.count == Self.byteCount)
            #expect(row(AnswerFollower(known.answer, after: 0, store: store, writer: writer))?.text == "")
        }
    }

    @Test("an answer that this node writes is read in steps of 64 KB, and leaves the memory when it ends, although a repeat still reads")
    func live() async throws {
        try await ChatStandIn.run(.hangs(after: Self.pieces)) { standIn in
            let url = standIn.url
            try await TestServer.run(.sqlite) { settings in
                settings.answer(by: url)
                settings.chat.limits.silence = .seconds(90)
            } _: { server in
                let ada = try await server.person()
                let (store, writer) = (server.backend.features[ChatFeature.self].store, server.backend.features[ChatFeature.self].writer)
                let sending = Task { try await server.post(TestServer.body("Count", id: "m-1"), endpoint: "openAI", as: ada) }
                try await eventually { try await !server.conversations(as: ada).isEmpty }
                guard case .known(let known) = try await begin(store, ada.id) else {
                    Issue.record("the message was answered anew")
                    return
                }
                var early = AnswerFollower(known.answer, after: 0, store: store, writer: writer)
                let steps = try await read(&early)
                #expect(steps.reduce(0, +) == Self.byteCount && steps.allSatisfy { $0 <= Self.stepByteCount })
                let live = WeakAnswer(answer: writer.writing(known.answer))
                #expect(live.answer != nil)
                // For a later follower, all of the text is there at once.
                var late = AnswerFollower(known.answer, after: 0, store: store, writer: writer)
                guard case .pieces(let first) = try await late.next(within: .seconds(30)) else {
                    Issue.record("no piece came")
                    return
                }
                #expect((ChatStore.progressByteCount...Self.stepByteCount).contains(first.reduce(0) { $0 + $1.utf8.count }))
                _ = try await server.sendJSON(
                    "POST", "/api/chat/agents/chat/abort", ["conversationId": known.conversation.id], as: ada)
                let answer = try await sending.value
                let byteCount = try answer.chat(ChatAnswer.self).responseMessage.text.utf8.count
                #expect(byteCount == Self.byteCount)
                for _ in 0..<1_000 where live.answer != nil { try await Task.sleep(for: .milliseconds(10)) }
                #expect(live.answer == nil)
                // The late follower reads the rest from the database.
                let rest = try await late.end()
                #expect(rest?.state == .stopped && rest?.text == "")
            }
        }
    }
}
