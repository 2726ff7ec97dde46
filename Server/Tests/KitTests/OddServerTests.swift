import Foundation
import HTTPTypes
import KeepsakeWire
import Synchronization
import Testing

@testable import KeepsakeKit

/// Responses that no Keepsake server sends, but another server or a proxy may send. None of them may crash the process, and the client must
/// pause between its requests.
@Suite("KeepsakeKit with an odd server", .timeLimit(.minutes(1)))
struct OddServerTests {
    /// - Parameter slept: called with each duration that the client would wait. The client does not really wait.
    private func keepsake(_ transport: any Transport, slept: @escaping @Sendable (Duration) -> Void = { _ in }) throws -> Keepsake {
        let session = StoredSession(id: "s", userID: "ada", accessToken: "a", refreshToken: "r", expiresAt: .distantFuture)
        let clock = KeepsakeClock(now: { Date() }, uptime: { .zero }, sleep: { slept($0) })
        return Keepsake(
            url: try #require(URL(string: "http://test")), tokens: MemoryTokenStore(session), transport: transport, clock: clock,
            signals: .none)
    }

    @Test("the largest number of an event is followed by any other")
    func largestNumber() async throws {
        let texts = [
            #"{"type":"reset","seq":9223372036854775807}"#,
            #"{"seq":1,"type":"t","at":"2026-12-31T20:00:00.000Z","data":{}}"#, #"{"type":"reset","seq":0}"#,
        ]
        let keepsake = try self.keepsake(ScriptedTransport(texts: texts) { _ in throw KeepsakeError(.network, "There is no network.") })
        var messages: [LiveMessage] = []
        for try await message in keepsake.events.follow(since: 5) {
            messages.append(message)
            if messages.count == 2 { break }
        }
        #expect(messages == [.reset(seq: .max), .reset(seq: 0)])
    }

    @Test(
        "JSON of any shape that is nested too deep for the stack is an error",
        arguments: [(30, true), (64, true), (65, false), (300, false)])
    func depth(_ levels: Int, _ isRead: Bool) throws {
        for (start, end) in [("[", "]"), (#"{"a":"#, "}")] {
            let text = String(repeating: start, count: levels) + "1" + String(repeating: end, count: levels)
            let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
            #expect((value != nil) == isRead, "\(levels) times \(start)")
        }
    }

    @Test("a list whose next page is the same page ends with an error")
    func endlessList() async throws {
        let reads = Mutex(0)
        let pages = Pages<Int> { _ in
            let count = reads.withLock { count in
                count += 1
                return count
            }
            return Pages.Page(items: [count], nextCursor: count < 10 ? "a" : nil)
        }
        var items: [Int] = []
        do {
            for try await item in pages { items.append(item) }
            Issue.record("no error")
        } catch {
            #expect((error as? KeepsakeError)?.code == .invalidResponse)
        }
        #expect(items == [1])
    }

    @Test("an input with a number that JSON does not have names its field")
    func notANumber() throws {
        let input = CreateCapsuleInput(duration: .nan, fileSize: 1, createdAt: nil)
        #expect { try RequestParts(Route(CapsuleEndpoints.create.endpoint), input) } throws: { error in
            (error as? KeepsakeError)?.code == .invalidRequest && (error as? KeepsakeError)?.field == "duration"
        }
    }

    enum Answer: CaseIterable { case cancelled, empty }

    @Test("polls that end at once are not repeated at once", arguments: Answer.allCases)
    func pauses(_ answer: Answer) async throws {
        let transport = ScriptedTransport { number in
            if number > 4 { throw KeepsakeError(.init(rawValue: "end"), "The test ends.", status: 400) }
            if answer == .cancelled { throw KeepsakeError(.cancelled, "The call was cancelled.") }
            return TransportResponse(head: HTTPResponse(status: .ok), body: Data(#"{"items":[],"seq":5,"reset":false}"#.utf8))
        }
        let slept = Mutex<[Duration]>([])
        let keepsake = try self.keepsake(transport) { time in slept.withLock { $0.append(time) } }
        do {
            for try await _ in keepsake.events.follow(since: 5) { Issue.record("an event") }
            Issue.record("no error")
        } catch {
            #expect((error as? KeepsakeError)?.status == 400)
        }
        let waits = slept.withLock { $0 }
        #expect(waits.count == 4 && waits.allSatisfy { $0 >= .milliseconds(250) }, "\(waits)")
        #expect((waits.last ?? .zero) >= .seconds(2))
    }
}

/// A transport for which a test decides the responses.
private final class ScriptedTransport: Transport {
    private let texts: [String]?
    private let respond: @Sendable (Int) throws -> TransportResponse
    private let count = Mutex(0)

    /// - Parameters:
    ///   - texts: the texts that each socket sends; `nil` means that WebSockets are not supported.
    ///   - respond: returns the response to the request with this number; the first is 1. Handshakes do not count.
    init(texts: [String]? = nil, respond: @escaping @Sendable (Int) throws -> TransportResponse) {
        self.texts = texts
        self.respond = respond
    }

    func send(
        _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return try respond(number)
    }

    func download(
        _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse { throw KeepsakeError(.network, "There is no network.") }

    func connect(_ request: HTTPRequest, timeout: Duration) async throws -> TransportConnection {
        guard let texts else { throw KeepsakeError(.unsupported, "There are no sockets.") }
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        for text in texts { continuation.yield(text) }
        return .open(Socket(texts: stream, continuation: continuation))
    }

    private struct Socket: TransportSocket {
        let texts: AsyncStream<String>
        let continuation: AsyncStream<String>.Continuation

        func receive() async throws -> String {
            for await text in texts { return text }
            throw KeepsakeError(.network, "The connection has ended.")
        }

        func send(_ text: String) async throws {}
        func close() { continuation.finish() }
    }
}
