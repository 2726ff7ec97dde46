import Core
import Database
import Foundation
import HTTPServer
import Intelligence
import KeepsakeWire
import Synchronization
import TestKit
import TestThreads
import Testing
import Web

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

/// Answers as streams, which break and are resumed.
@Suite("Streams of answers", .blocksThreads)
struct StreamTests {
    private final class Flag: Sendable {
        private let state = Mutex(false)

        var isRaised: Bool { state.withLock { $0 } }
        func raise() { state.withLock { $0 = true } }
    }

    /// Numbered words, so that the test notices a missing or a doubled word.
    private static func words(_ count: Int) -> [String] { (0..<count).map { "w\($0) " } }

    private func run(
        _ engine: Engine = .sqlite, _ usual: ChatStandIn.Reply, _ change: @escaping @Sendable (inout Settings) -> Void = { _ in },
        _ test: @Sendable (TestServer, ChatStandIn) async throws -> Void
    ) async throws {
        try await ChatStandIn.run(usual) { standIn in
            let url = standIn.url
            try await TestServer.run(engine) { settings in
                settings.answer(by: url)
                change(&settings)
            } _: { server in
                try await test(server, standIn)
            }
        }
    }

    @Test("frames are numbered one by one: the message, the words, the whole answer", arguments: Engine.allCases)
    func frames(_ engine: Engine) async throws {
        let words = Self.words(40)
        try await run(engine, .writes(words, pause: .milliseconds(10))) { server, _ in
            let ada = try await server.person()
            let stream = try await server.stream("POST", "/api/chat/agents/chat/openAI", TestServer.body("Count", id: "m-1"), as: ada)
            #expect(stream.frames.first?.isCreated == true && stream.frames.last?.isFinal == true)
            #expect(stream.words == words.joined() && stream.numbers == Array(1...Int64(stream.frames.count)))
            #expect(Set(stream.frames.map(\.name)) == ["message"])
            let final = try #require(stream.final)
            #expect(final.responseMessage.text == words.joined() && !final.responseMessage.unfinished && !final.responseMessage.error)
            #expect(final.responseMessage.model == "m-1" && final.responseMessage.sender == "OpenAI")
            // A repeat of the message gets the first answer, as a stream and as JSON.
            let again = try await server.stream("POST", "/api/chat/agents/chat/openAI", TestServer.body("Count", id: "m-1"), as: ada)
            #expect(again.final == final && again.words == words.joined())
            #expect(try await server.say("Count", id: "m-1", as: ada) == final)
            // For five minutes after its end, the answer can be resumed from its beginning or after a frame.
            let conversation = final.conversation.conversationId
            let whole = try await server.resume(conversation, after: nil, as: ada)
            #expect(whole.frames.count == 2 && whole.words == words.joined() && whole.final == final)
            let rest = try await server.resume(conversation, after: 31, as: ada)
            #expect(rest.words == words[30...].joined() && rest.numbers.first == 32)
            #expect(try await server.resume(conversation, after: stream.numbers.last, as: ada).frames.isEmpty)
            server.clock.advance(by: .minutes(6))
            #expect(try await server.resume(conversation, after: nil, as: ada).status == 404)
            // The sweep of the pieces does not change the answer.
            try await server.backend.features[ChatFeature.self].store.sweepPieces()
            let kept = try await server.stream("POST", "/api/chat/agents/chat/openAI", TestServer.body("Count", id: "m-1"), as: ada)
            #expect(kept.words == words.joined() && kept.final == final)
        }
    }

    @Test("over HTTP/2, too, frames are numbered one by one, and come while the model still writes")
    func overHTTP2() async throws {
        let words = Self.words(20)
        // The model does not end its answer, so what the client has received came before the end.
        try await run(.sqlite, .hangs(after: words)) { settings in
            settings.chat.limits.silence = .seconds(90)
        } _: { server, _ in
            let ada = try await server.person()
            let folder = try TemporaryFolder()
            let (body, output) = (folder.path + "/body.json", folder.path + "/answer")
            try JSONSerialization.data(withJSONObject: TestServer.body("Count")).write(to: URL(filePath: body))
            let arguments = [
                "curl", "-sS", "-N", "--http2-prior-knowledge", "--max-time", "120", "-o", output, "-w", "%{http_version} %{http_code}",
                "-H", "Accept: text/event-stream", "-H", "Content-Type: application/json", "-H", "\(ada.bearer.0): \(ada.bearer.1)",
                "--data-binary", "@" + body, server.url + "/api/chat/agents/chat/openAI",
            ]
            async let curl = BlockingThreads.run { try ServerProcess.run(arguments, binary: "/usr/bin/env") }
            func frames() throws -> [TestServer.Frame] {
                try TestServer.frames(in: FileManager.default.contents(atPath: output) ?? Data())
            }
            try await eventually { try frames().compactMap(\.words).joined() == words.joined() }
            let begun = try frames()
            #expect(begun.first?.isCreated == true && begun.count == words.count + 1)
            let conversation = try #require(begun.first?.conversation)
            let stopped = try await server.sendJSON(
                "POST", "/api/chat/agents/chat/abort", ["conversationId": conversation], as: ada)
            #expect(try stopped.chat(ChatAborted.self).count == 1)
            let ended = try await curl
            #expect(ended.output == "2 200", "\(ended.errors)")
            let all = try frames()
            #expect(all.compactMap(\.words).joined() == words.joined() && all.count == words.count + 2)
            #expect(all.compactMap(\.id) == Array(1...Int64(all.count)) && Set(all.map(\.name)) == ["message"])
            #expect(all.last?.isFinal == true && all.last?.answer?.responseMessage.text == words.joined())
            withExtendedLifetime(folder) {}
        }
    }

    @Test(
        "an answer whose node stops is kept as unfinished, and is written again when the message is sent again", arguments: Engine.allCases)
    func stops(_ engine: Engine) async throws {
        let stores = try TestStores(StoragePair(engine))
        let clock = TestClock()
        try await ChatStandIn.run(.hangs(after: ["One ", "two "])) { standIn in
            let url = standIn.url
            let change: @Sendable (inout Settings) -> Void = { settings in
                settings.answer(by: url)
                settings.chat.limits.silence = .seconds(30)
            }
            let ada = try await TestServer.run(engine, on: stores, clock: clock, change) { server in
                let ada = try await server.person()
                let stream = try await server.stream(
                    "POST", "/api/chat/agents/chat/openAI", TestServer.body("Count", id: "m-1"), frames: 3, as: ada)
                #expect(stream.words == "One two ")
                return ada
            }
            standIn.reply([], then: .writes(["One ", "two ", "three."]))
            try await TestServer.run(engine, on: stores, clock: clock, change) { server in
                let conversation = try #require(try await server.conversations(as: ada).first).conversationId
                let cut = try #require(try await server.messages(conversation, as: ada).last)
                #expect(cut.text == "One two " && cut.unfinished && !cut.error)
                let again = try await server.say("Count", id: "m-1", endpoint: "openAI", as: ada)
                #expect(again.responseMessage.text == "One two three." && !again.responseMessage.unfinished)
                #expect(again.responseMessage.messageId == cut.messageId)
                #expect(try await server.messages(conversation, as: ada).count == 2)
            }
        }
    }

    @Test("who resumes an answer that was started again is told so, and gets no words of it to append", arguments: Engine.allCases)
    func startedAgain(_ engine: Engine) async throws {
        try await run(engine, .writes(["never"])) { server, _ in
            let ada = try await server.person()
            let store = server.backend.features[ChatFeature.self].store
            let question = ChatRules.Question(text: "Count", endpoint: "openAI", model: nil, messageID: "m-1", conversation: nil, files: [])
            func begin() async throws -> StoredMessage {
                let words = ChatStore.words(question.text)
                guard case .new(let begun) = try await store.begin(question, words, provider: "openai", model: "m-1", owner: ada.id) else {
                    throw CancellationError()
                }
                return begun.answer
            }
            let first = try await begin()
            #expect(try await store.keep(["One ", "two "], from: 1, of: first) == .going)
            #expect(
                try await store.end(
                    first, .init(state: .stopped, isUnfinished: true), text: "One two ", ChatStore.words("One two "), rest: [], from: 3))
            let old = try await server.resume(first.conversation, after: 2, as: ada)
            #expect(old.words == "two " && old.numbers == [3, 4])
            let second = try await begin()
            #expect(
                try await store.end(
                    second, .init(state: .done, isUnfinished: false), text: "Uno dos tres", ChatStore.words("Uno dos tres"),
                    rest: ["Uno ", "dos ", "tres"], from: 1))
            for number in [Int64(1), 3, 4] {
                let stale = try await server.resume(first.conversation, after: number, as: ada)
                #expect(stale.frames.map(\.name) == ["error"] && stale.words.isEmpty && stale.final == nil)
            }
            let base = AnswerStream.framesPerAttempt
            let rest = try await server.resume(first.conversation, after: base + 2, as: ada)
            #expect(rest.words == "dos tres" && rest.numbers == [base + 3, base + 4, base + 5] && rest.final != nil)
            #expect(try await server.resume(first.conversation, after: nil, as: ada).words == "Uno dos tres")
            #expect(try await server.resume(first.conversation, after: Int64.max, as: ada).words.isEmpty)
        }
    }

    @Test("an answer whose node died is ended by another one, with what was stored", arguments: Engine.allCases)
    func dies(_ engine: Engine) async throws {
        try await run(engine, .writes(["never"])) { server, _ in
            let ada = try await server.person()
            let store = server.backend.features[ChatFeature.self].store
            let question = ChatRules.Question(text: "Count", endpoint: "openAI", model: nil, messageID: "m-1", conversation: nil, files: [])
            // Acts as a node that begins an answer, stores two pieces, and then does nothing more.
            let words = ChatStore.words(question.text)
            guard case .new(let begun) = try await store.begin(question, words, provider: "openai", model: "m-1", owner: ada.id) else {
                Issue.record("the message was known")
                return
            }
            #expect(try await store.keep(["One ", "two "], from: 1, of: begun.answer) == .going)
            let reader = Task {
                try await server.resume(begun.conversation.id, after: 1, as: ada)
            }
            // The lease has not ended, so the answer is not abandoned.
            #expect(try await store.endAbandoned() == 0)
            server.clock.advance(by: ChatStore.lease + .seconds(1))
            // The server itself may have ended the answer already.
            try await store.endAbandoned()
            let stream = try await reader.value
            #expect(stream.words == "One two " && stream.final?.responseMessage.unfinished == true)
            // The dead node comes back, but can no longer change the answer.
            #expect(try await store.keep(["three"], from: 3, of: begun.answer) == .lost)
            #expect(
                try await !store.end(
                    begun.answer, .init(state: .done, isUnfinished: false), text: "One two three", ChatStore.words("One two three"),
                    rest: ["three"], from: 3))
            #expect(try await server.messages(begun.conversation.id, as: ada).last?.text == "One two ")
        }
    }

    @Test("stop keeps what was said, on whichever node it is asked for")
    func stop() async throws {
        let stores = try TestStores(.postgres, tables: "server")
        try await ChatStandIn.run(.writes(Self.words(2_000), pause: .milliseconds(10))) { standIn in
            let url = standIn.url
            try await TestServer.run(.postgres, on: stores, { $0.answer(by: url) }) { first in
                try await TestServer.run(.postgres, on: stores, { $0.answer(by: url) }) { second in
                    let ada = try await first.person()
                    let reader = Task { try await first.stream("POST", "/api/chat/agents/chat/openAI", TestServer.body("Count"), as: ada) }
                    try await eventually {
                        guard let conversation = try await second.conversations(as: ada).first else { return false }
                        return try await second.resume(conversation.conversationId, after: 1, frames: 5, as: ada).frames.count == 5
                    }
                    let conversation = try #require(try await second.conversations(as: ada).first).conversationId
                    let stopped = try await second.sendJSON(
                        "POST", "/api/chat/agents/chat/abort", ["conversationId": conversation], as: ada)
                    #expect(try stopped.chat(ChatAborted.self).count == 1)
                    let stream = try await reader.value
                    let answer = try #require(stream.final).responseMessage
                    #expect(answer.unfinished && !answer.error && answer.text == stream.words && answer.text.hasPrefix("w0 w1 "))
                    #expect(try await second.messages(conversation, as: ada).last?.text == answer.text)
                    let again = try await second.sendJSON(
                        "POST", "/api/chat/agents/chat/abort", ["conversationId": conversation], as: ada)
                    #expect(try again.chat(ChatAborted.self).count == 0)
                }
            }
        }
    }

    @Test("a client that waits on another node gets the same status and wait as on the node that asked the model")
    func failureElsewhere() async throws {
        let stores = try TestStores(.postgres, tables: "server")
        let (clock, joined) = (TestClock(), Flag())
        try await ChatStandIn.run(.refuses(429, headers: ["Retry-After": "120"])) { standIn in
            let url = standIn.url
            let change: @Sendable (inout Settings) -> Void = { settings in
                settings.answer(by: url)
                // The pause before the retry lasts until the second client waits too.
                settings.chat.limits.sleep = { _ in
                    while !joined.isRaised { try await Task.sleep(for: .milliseconds(20)) }
                    clock.advance(by: .seconds(2))
                }
            }
            standIn.reply([.refuses(429, headers: ["Retry-After": "1"])])
            try await TestServer.run(.postgres, on: stores, clock: clock, change) { first in
                try await TestServer.run(.postgres, on: stores, clock: clock, change) { second in
                    let ada = try await first.person()
                    let asking = Task { try await first.post(TestServer.body("Hello", id: "m-1"), as: ada) }
                    try await eventually { try await !second.conversations(as: ada).isEmpty }
                    // The second client joins the attempt of the first one, because the message is the same.
                    let joining = Task { try await second.post(TestServer.body("Hello", id: "m-1"), as: ada) }
                    try await Task.sleep(for: .seconds(2))
                    joined.raise()
                    for answer in [try await joining.value, try await asking.value] {
                        #expect(answer.status == 503 && answer.header("Retry-After") == "120", "\(answer.status) \(answer.text)")
                    }
                    #expect(standIn.calls.count == 2, "there was one attempt, with one retry")
                }
            }
        }
    }

    @Test("silence is filled with comments, and an open stream holds no request's place")
    func silence() async throws {
        try await run(.sqlite, .hangs(after: ["One "])) { settings in
            settings.chat.limits.silence = .seconds(4)
            settings.chat.tuning.silence = .milliseconds(600)
            settings.channelLimits.requestsInWork = 2
            settings.channelLimits.requestsInWorkPerCaller = 2
            settings.channelLimits.requestsInWorkPerNetwork = 2
        } _: { server, _ in
            let ada = try await server.person()
            let readers = (0..<4).map { _ in
                Task { try await server.stream("POST", "/api/chat/agents/chat/openAI", TestServer.body("Count"), as: ada) }
            }
            try await eventually { server.backend.features[ChatFeature.self].writer.count == 4 }
            // Four streams are open, although only two requests may be in progress.
            for _ in 0..<4 { #expect(try await server.send("GET", "/api/chat/convos", as: ada).status == 200) }
            for reader in readers {
                let stream = try await reader.value
                #expect(stream.comments >= 2 && stream.words == "One " && stream.frames.last?.name == "error")
            }
        }
    }

    @Test("a stream ends with the session that requested it; another account's goes on")
    func endedSession() async throws {
        try await run(.sqlite, .hangs(after: ["One "])) { settings in
            settings.chat.limits.silence = .seconds(30)
            settings.chat.tuning.silence = .milliseconds(50)
            settings.sockets.look = .milliseconds(1)
        } _: { server, _ in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let streams = [ada, eve].map { person in
                Task { try await server.stream("POST", "/api/chat/agents/chat/openAI", TestServer.body("Count"), as: person) }
            }
            try await eventually { server.backend.features[ChatFeature.self].writer.count == 2 }
            #expect(try await server.send("DELETE", "/auth/sessions", as: ada).status == 200)
            let hers = try await streams[0].value
            // The answer is still being written, so its stream had no last frame.
            #expect(server.backend.features[ChatFeature.self].writer.count == 2)
            #expect(hers.final == nil && hers.frames.last?.name != "error")
            let conversation = try #require(try await server.conversations(as: eve).first).conversationId
            let stopped = try await server.sendJSON("POST", "/api/chat/agents/chat/abort", ["conversationId": conversation], as: eve)
            #expect(stopped.status == 200)
            #expect(try await streams[1].value.final != nil)
        }
    }

    @Test("a resumption after a frame that does not exist gets the last frame of a stopped answer, and never ends the server")
    func impossibleFrame() async throws {
        try await run(.sqlite, .hangs(after: ["One "])) { server, _ in
            let ada = try await server.person()
            let begun = try await server.stream("POST", "/api/chat/agents/chat/openAI", TestServer.body("Count"), frames: 2, as: ada)
            let conversation = try #require(begun.frames.first?.conversation)
            let stopped = try await server.sendJSON("POST", "/api/chat/agents/chat/abort", ["conversationId": conversation], as: ada)
            #expect(stopped.status == 200)
            for last in [Int64.max, Int64.max - 1, Int64(Int32.max), 1_000] {
                let rest = try await server.resume(conversation, after: last, as: ada)
                #expect(rest.status == 200 && rest.frames.count == 1, "\(last)")
                #expect(rest.final?.responseMessage.text == "One " && rest.final?.responseMessage.unfinished == true, "\(last)")
            }
            // A number below the first frame's gets all frames.
            #expect(try await server.resume(conversation, after: Int64.min, as: ada).frames.count == 3)
        }
    }

    @Test("a client that goes away while it waits for an answer is no error of the server")
    func gone() async throws {
        try await run(.sqlite, .hangs(after: ["One "])) { server, _ in
            let ada = try await server.person()
            let body = String(decoding: try JSONSerialization.data(withJSONObject: TestServer.body("Hello")), as: UTF8.self)
            func count(_ status: Int) async throws -> Bool {
                let route = #"route="/api/chat/agents/chat/{endpoint}",status="\#(status)"} 1"#
                return try await server.send("GET", "/metrics").text.contains(route)
            }
            do {
                let client = try RawConnection(port: server.port)
                try client.send(
                    """
                    POST /api/chat/agents/chat/openAI HTTP/1.1\r
                    Host: localhost\r
                    Authorization: Bearer \(ada.token)\r
                    Content-Type: application/json\r
                    Content-Length: \(body.utf8.count)\r
                    \r
                    \(body)
                    """)
                try await eventually { try await !server.conversations(as: ada).isEmpty }
                client.close()
            }
            try await eventually { try await count(400) }
            #expect(try await !count(503))
        }
    }
}
