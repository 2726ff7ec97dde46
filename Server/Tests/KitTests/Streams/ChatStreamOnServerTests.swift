import Core
import Foundation
import KeepsakeKit
import KeepsakeWire
import KitTransport
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// Streams from a model that writes slowly, through the server and a proxy that cuts the connection.
@Suite("KeepsakeKit's streams of answers against the server", .blocksThreads, .timeLimit(.minutes(3)))
struct ChatStreamOnServerTests {
    enum Connection: String, CaseIterable, Sendable {
        case urlSession, asyncHTTP
    }

    private struct Place: Sendable {
        let keepsake: KeepsakeClient
        let transport: CountingTransport
        let server: TestServer
        let proxy: Proxy
        let model: ChatStandIn

        /// Waits until the server has this number of responses that have begun and not ended.
        func expectStreams(_ count: Int) async throws {
            try await eventually { try await server.send("GET", "/metrics").text.contains("keepsake_answers_in_flight \(count)\n") }
        }
    }

    /// Numbered words, so that a test can find a missing or repeated word.
    private static func words(_ count: Int) -> [String] { (0..<count).map { "w\($0) " } }

    private func run(
        _ connection: Connection, _ usual: ChatStandIn.Reply, _ test: @Sendable (Place) async throws -> Void
    ) async throws {
        // The client compares a token's expiry with the server's `Date` header, so the injected clock starts at the real time.
        let clock = TestClock(Timestamp(seconds: Int64(Date().timeIntervalSince1970)))
        try await ChatStandIn.run(usual) { model in
            let url = model.url
            try await TestServer.run(.sqlite, clock: clock) { settings in
                settings.chat.providers = [.init(engine: .openai, base: url, models: ["m-1"])]
            } _: { server in
                let proxy = try Proxy(toPort: server.port)
                defer { proxy.close() }
                let real: any Transport = connection == .urlSession ? URLSessionTransport() : AsyncHTTPTransport()
                let transport = CountingTransport(real)
                let keepsake = KeepsakeClient(
                    url: try #require(URL(string: "http://127.0.0.1:\(proxy.port)")), tokens: MemoryTokenStore(), transport: transport,
                    retries: RetryPolicy(firstWait: .milliseconds(5), longestWait: .milliseconds(50)))
                try await keepsake.auth.register(email: "ada@example.org", password: "correct horse")
                try await test(Place(keepsake: keepsake, transport: transport, server: server, proxy: proxy, model: model))
            }
        }
    }

    @Test("a connection that is cut again and again loses no word and doubles none", arguments: Connection.allCases)
    func cut(_ connection: Connection) async throws {
        let words = Self.words(60)
        try await run(connection, .writes(words, pause: .milliseconds(10))) { place in
            var (followed, cuts) = (Followed(), 0)
            for try await element in place.keepsake.chat.stream("Count", messageID: "m-1") {
                followed.elements.append(element)
                if followed.count % 7 == 1, followed.count < 60 {
                    place.proxy.cutAll()
                    cuts += 1
                }
            }
            let answer = try #require(followed.answer)
            #expect(followed.text == words.joined() && answer.responseMessage.text == words.joined() && cuts >= 3)
            #expect(!answer.responseMessage.unfinished && place.model.calls.count == 1)
            let conversation = answer.conversation.conversationId
            #expect(place.transport.count(of: "/api/chat/agents/chat/stream/\(conversation)?resume=true") >= 1)
            let messages = try await place.keepsake.chat.messages(of: conversation)
            #expect(messages.map(\.messageId) == ["m-1", answer.responseMessage.messageId])
        }
    }

    @Test(
        "if the connection breaks before the response arrives, the message is sent again and answered once",
        arguments: Connection.allCases)
    func lostHead(_ connection: Connection) async throws {
        let words = Self.words(5)
        try await run(connection, .writes(words)) { place in
            let isFirst = Mutex(true)
            place.proxy.set { bytes, direction in
                guard direction == .toClient, String(decoding: bytes, as: UTF8.self).contains("text/event-stream") else { return .pass }
                return isFirst.withLock { isFirst -> Proxy.Verdict in
                    defer { isFirst = false }
                    return isFirst ? .cut : .pass
                }
            }
            let followed = try await Followed(place.keepsake.chat.stream("Count", messageID: "m-1"))
            let answer = try #require(followed.answer)
            #expect(followed.text == words.joined() && place.model.calls.count == 1)
            #expect(!isFirst.withLock { $0 })
            #expect(try await place.keepsake.chat.messages(of: answer.conversation.conversationId).count == 2)
        }
    }

    @Test(
        "to leave the loop or to cancel its task ends the request; the server writes on until it is told to stop",
        arguments: Connection.allCases)
    func leaves(_ connection: Connection) async throws {
        try await run(connection, .hangs(after: ["One ", "two "])) { place in
            let chat = place.keepsake.chat
            var conversation = ""
            for try await element in chat.stream("Count") {
                if case .sent(let message) = element { conversation = message.conversationId }
                guard element == .words("two ") else { continue }
                try await place.expectStreams(1)
                break
            }
            try await place.expectStreams(0)
            #expect(try await chat.stop(conversation) == 1)

            let id = conversation
            let reader = Task { try await Followed(chat.stream("Again", in: id)) }
            try await place.expectStreams(1)
            reader.cancel()
            await #expect { try await reader.value } throws: { ($0 as? KeepsakeError)?.code == .cancelled }
            try await place.expectStreams(0)
            #expect(try await chat.stop(conversation) == 1)
            #expect(try await chat.messages(of: conversation).count == 4)
        }
    }

    @Test("an answer that fails is an error after its words, and the same message is answered later", arguments: Connection.allCases)
    func fails(_ connection: Connection) async throws {
        try await run(connection, .fails(after: ["One "])) { place in
            let stream = place.keepsake.chat.stream("Count")
            var followed = Followed()
            do {
                for try await element in stream { followed.elements.append(element) }
                Issue.record("nothing was thrown")
            } catch let error as KeepsakeError {
                #expect(error.code == .answerFailed && error.isRetryable && error.message.contains("openai ends with"), "\(error)")
            }
            #expect(followed.text == "One ")
            place.model.reply([], then: .writes(["One ", "two."]))
            let again = try await Followed(place.keepsake.chat.stream("Count", messageID: stream.messageID))
            #expect(again.text == "One two." && again.answer?.responseMessage.text == "One two.")
        }
    }

    // On Apple's systems, the task is suspended instead.
    #if canImport(FoundationNetworking)
        @Test("a reader who is slower than the network holds little, and gets each word once")
        func slowReader() async throws {
            let words = Self.words(12_000)
            try await run(.urlSession, .writes(words, pause: .microseconds(1))) { place in
                var followed = Followed()
                for try await element in place.keepsake.chat.stream("Count") {
                    // More data arrives than the transport buffers, so it ends the request.
                    if followed.count == 0 { try await place.expectStreams(0) }
                    followed.elements.append(element)
                }
                let answer = try #require(followed.answer)
                #expect(followed.text == words.joined() && answer.responseMessage.text == words.joined())
                let path = "/api/chat/agents/chat/stream/\(answer.conversation.conversationId)?resume=true"
                #expect(place.transport.count(of: path) >= 1 && place.model.calls.count == 1)
            }
        }
    #endif
}
