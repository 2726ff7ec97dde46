import Foundation
import HTTPTypes
import KeepsakeKit
import KeepsakeTesting
import KeepsakeWire
import Testing

@testable import FeatureTestKit

/// These tests use the fake server, because a test can break its connections at an exact place.
@Suite("KeepsakeKit's streams of answers", .timeLimit(.minutes(1)))
struct ChatStreamTests {
    private static let words = "One two three four five."

    private func person(_ server: FakeServer) async throws -> KeepsakeClient {
        server.setChatAnswer(Self.words)
        let client = server.client()
        try await client.auth.register(email: "ada@example.org", password: "correct horse")
        return client
    }

    /// Requests that ask for an answer.
    private func sent(_ server: FakeServer) -> [HTTPRequest] {
        server.requests.filter { $0.method == .post && $0.path == "/api/chat/agents/chat/default" }
    }

    private func resumed(_ server: FakeServer) -> [HTTPRequest] {
        server.requests.filter { $0.path?.hasPrefix("/api/chat/agents/chat/stream/") == true }
    }

    @Test("a connection that breaks after any part is resumed there: each word comes once, and the message is kept once", arguments: 1...7)
    func cut(_ count: Int) async throws {
        let server = FakeServer()
        let ada = try await person(server)
        var followed = Followed()
        for try await element in ada.chat.stream("Count", messageID: "m-1") {
            followed.elements.append(element)
            if followed.count == count { server.dropConnections() }
        }
        let answer = try #require(followed.answer)
        #expect(followed.count == 7 && followed.text == Self.words && answer.responseMessage.text == Self.words)
        // If the connection drops before the first word, the client sends the message again; after the last part, nothing is left to read.
        #expect(sent(server).count == (count == 1 ? 2 : 1))
        let last = try #require(HTTPField.Name("Last-Event-ID"))
        #expect(resumed(server).compactMap { $0.headerFields[last] } == (2...6 ~= count ? [String(count)] : []))
        let messages = try await ada.chat.messages(of: answer.conversation.conversationId)
        #expect(messages.map(\.messageId) == ["m-1", answer.responseMessage.messageId])
    }

    @Test("a response that is lost and refusals for a while are tried again; the message is kept once")
    func retries() async throws {
        let server = FakeServer()
        let ada = try await person(server)
        server.inject(.lostResponse, times: 1) { $0.method == .post }
        server.inject(.status(503, retryAfter: 0), times: 1) { $0.method == .post }
        server.inject(.status(401), times: 1) { $0.path == "/api/chat/agents/chat/default" }
        let answer = try #require(try await Followed(ada.chat.stream("Count")).answer)
        #expect(sent(server).count == 4)
        #expect(server.requests.filter { $0.path == "/auth/refresh" }.count == 1)
        #expect(try await ada.chat.messages(of: answer.conversation.conversationId).count == 2)
    }

    @Test("an app that comes back after the stream has expired gets the rest from the conversation")
    func late() async throws {
        let server = FakeServer()
        let ada = try await person(server)
        var followed = Followed()
        for try await element in ada.chat.stream("Count") {
            followed.elements.append(element)
            if followed.count == 3 {
                server.advance(by: .seconds(301))
                server.dropConnections()
            }
        }
        #expect(followed.text == Self.words && followed.answer?.responseMessage.text == Self.words)
        #expect(sent(server).count == 1 && resumed(server).count == 1)
    }

    @Test("words of a newer message's answer do not get into this one")
    func otherAnswer() async throws {
        let server = FakeServer()
        let ada = try await person(server)
        var followed = Followed()
        for try await element in ada.chat.stream("Count") {
            followed.elements.append(element)
            guard followed.count == 3, case .sent(let message)? = followed.elements.first else { continue }
            server.setChatAnswer("a b c d e f g h i j")
            _ = try await ada.chat.send("And the letters?", in: message.conversationId)
            server.dropConnections()
        }
        #expect(followed.text == Self.words && followed.answer?.responseMessage.text == Self.words)
    }

    @Test("without a network it gives up, and the same message can be followed again later")
    func givesUp() async throws {
        let server = FakeServer()
        let ada = try await person(server)
        let stream = ada.chat.stream("Count")
        var iterator = stream.makeAsyncIterator()
        for _ in 0..<3 { _ = try await iterator.next() }
        server.inject(.offline)
        do {
            _ = try await iterator.next()
            Issue.record("nothing was thrown")
        } catch let error as KeepsakeError {
            #expect(error.code == .network && error.isRetryable)
        }
        #expect(resumed(server).count == RetryPolicy().maxAttempts - 1)
        #expect(try await iterator.next() == nil)
        server.clearFaults()
        let again = try await Followed(ada.chat.stream("Count", messageID: stream.messageID))
        #expect(again.text == Self.words && again.answer?.requestMessage.messageId == stream.messageID)
    }

    @Test("refusals are the server's, a sign-out ends the stream, and so does a cancellation")
    func ends() async throws {
        let server = FakeServer()
        let ada = try await person(server)
        await expectRefusal(404) { try await Followed(ada.chat.stream("Hello", in: "nowhere")) }
        await expectRefusal(400) { try await Followed(ada.chat.stream("")) }
        #expect(sent(server).count == 2)

        server.inject(.slow(.seconds(30)))
        let reader = Task { try await Followed(ada.chat.stream("Count")) }
        try await eventually { sent(server).count == 3 }
        reader.cancel()
        await #expect { try await reader.value } throws: { ($0 as? KeepsakeError)?.code == .cancelled }
        server.clearFaults()

        var iterator = ada.chat.stream("Count").makeAsyncIterator()
        _ = try await iterator.next()
        try await ada.auth.signOut()
        do {
            while try await iterator.next() != nil {}
            Issue.record("nothing was thrown")
        } catch let error as KeepsakeError {
            #expect([.signedOut, .sessionChanged].contains(error.code), "\(error)")
        }
    }

    @Test("a transport without streams gets the answer whole")
    func withoutStreams() async throws {
        struct Plain: Transport {
            let base: FakeServer

            func send(
                _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
            ) async throws -> TransportResponse { try await base.send(request, body: body, timeout: timeout, progress: progress) }

            func download(
                _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
            ) async throws -> TransportResponse { try await base.download(request, to: file, timeout: timeout, progress: progress) }
        }

        let server = FakeServer()
        server.setChatAnswer(Self.words)
        let ada = KeepsakeClient(url: FakeServer.url, tokens: MemoryTokenStore(), transport: Plain(base: server))
        try await ada.auth.register(email: "ada@example.org", password: "correct horse")
        let followed = try await Followed(ada.chat.stream("Count"))
        #expect(followed.count == 3 && followed.text == Self.words && followed.answer != nil && sent(server).count == 1)
    }
}
