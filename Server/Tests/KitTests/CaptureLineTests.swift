import Foundation
import HTTPTypes
import Synchronization
import TestKit
import Testing

@testable import FeatureTestKit
@testable import KeepsakeKit

/// What the library sends on the socket of captures, and how it finds the capture that a reply belongs to. The test simulates the server,
/// so it decides the order of replies.
@Suite("KeepsakeKit's socket of captures", .timeLimit(.minutes(1)))
struct CaptureLineTests {
    /// - Parameter speed: the factor by which the client's waits are shortened. By default, the 20 seconds that a capture waits for its
    ///   reply take one second.
    private func keepsake(_ server: ScriptedCaptures, speed: Int = 20) throws -> Keepsake {
        let session = StoredSession(
            id: "s", userID: "ada", accessToken: "a", refreshToken: "r", expiresAt: Date(timeIntervalSinceNow: 86_400))
        let system = KeepsakeClock.system
        let clock = KeepsakeClock(now: system.now, uptime: system.uptime, sleep: { try await Task.sleep(for: $0 / speed) })
        return Keepsake(
            url: try #require(URL(string: "http://127.0.0.1:1")), tokens: MemoryTokenStore(session), transport: server, clock: clock,
            signals: .none)
    }

    private func capture(_ id: String, _ text: String? = nil) -> CaptureInput {
        CaptureInput(id: id, timestamp: Date(timeIntervalSince1970: 1_800_000_000), transcription: text)
    }

    @Test("a capture that is too long for one message is refused before anything is sent: the server would close the socket each time")
    func tooLong() async throws {
        let server = ScriptedCaptures { _, _ in }
        let ada = try keepsake(server)
        // The text has less than 100,000 characters, but 270,000 bytes.
        let text = String(repeating: "\u{6E56}", count: 90_000)
        func isRefused(_ error: any Error) -> Bool {
            let error = error as? KeepsakeError
            return error?.code == .invalidRequest && error?.field == "transcription"
        }
        await #expect { try await ada.captures.send(capture("a", text)) } throws: { isRefused($0) }
        await #expect { try await ada.captures.capture(photo: URL(filePath: "/none.jpg"), transcription: text) } throws: { isRefused($0) }
        #expect { try QueuedCall.capture(transcription: text, id: "a") } throws: { isRefused($0) }
        #expect(server.texts.isEmpty)
        // A text that is short enough is sent whole.
        #expect(try capture("a", String(text.prefix(87_000))).message().utf8.count <= CaptureInput.maxByteCount)
    }

    @Test("a refusal without an id is no reply to a capture that waits beside others")
    func refusalWithoutID() async throws {
        // The server cannot read the id of the bad capture, and refuses that capture at once. The good one becomes durable a moment later.
        let server = ScriptedCaptures { text, reply in
            guard text.contains(#""bad""#) else { return }
            reply(#"{"detail":"A text has too many combining marks.","error":"invalid_json","ok":false}"#)
            reply(#"{"captureId":"good","status":"received","timestamp":"2027-01-15T08:00:00Z","type":"ack"}"#)
        }
        let ada = try keepsake(server)
        let good = Task { try await ada.captures.send(capture("good")) }
        try await eventually { server.texts.count == 1 }
        await #expect { try await ada.captures.send(capture("bad")) } throws: { ($0 as? KeepsakeError)?.code.rawValue == "invalid_json" }
        #expect(try await good.value.captureId == "good")
    }

    @Test("a refusal for the quota has the code that the quota has over HTTP")
    func quota() async throws {
        let server = ScriptedCaptures { _, reply in
            reply(#"{"captureId":"a","detail":"Your quota does not suffice.","error":"quota","ok":false}"#)
        }
        await #expect { try await keepsake(server).captures.send(capture("a")) } throws: { error in
            let error = error as? KeepsakeError
            return error?.code == .quotaExceeded && error?.isRetryable == false && error?.message == "Your quota does not suffice."
        }
    }

    @Test("after a wait in which nothing arrived, the next attempt opens another connection")
    func silentConnection() async throws {
        let texts = Mutex(0)
        // The first connection is lost, but the client gets no error.
        let server = ScriptedCaptures { _, reply in
            let number = texts.withLock { texts in
                texts += 1
                return texts
            }
            guard number > 1 else { return }
            reply(#"{"captureId":"a","status":"received","timestamp":"2027-01-15T08:00:00Z","type":"ack"}"#)
        }
        #expect(try await keepsake(server).captures.send(capture("a")).captureId == "a")
        #expect(server.handshakes == 2 && server.texts.count == 2)
    }

    @Test("a connection on which others get their replies is used again")
    func busyConnection() async throws {
        let server = ScriptedCaptures { text, reply in
            guard text.contains(#""good""#) else { return }
            reply(#"{"captureId":"good","status":"received","timestamp":"2027-01-15T08:00:00Z","type":"ack"}"#)
        }
        let ada = try keepsake(server)
        let slow = Task { try await ada.captures.send(capture("slow")) }
        try await eventually { server.texts.count == 1 }
        _ = try await ada.captures.send(capture("good"))
        // This is the second attempt of `slow`.
        try await eventually { server.texts.count == 3 }
        #expect(server.handshakes == 1)
        slow.cancel()
        await #expect { try await slow.value } throws: { ($0 as? KeepsakeError)?.code == .cancelled }
    }

    @Test("a call that is cancelled does not wait for the handshake, and its capture is not sent afterwards")
    func cancelledDuringHandshake() async throws {
        let server = ScriptedCaptures(isSlow: true) { _, reply in
            reply(#"{"captureId":"b","status":"received","timestamp":"2027-01-15T08:00:00Z","type":"ack"}"#)
        }
        let ada = try keepsake(server, speed: 1)
        let cancelled = Task { try await ada.captures.send(capture("a")) }
        try await eventually { server.handshakes == 1 }
        cancelled.cancel()
        await #expect { try await cancelled.value } throws: { ($0 as? KeepsakeError)?.code == .cancelled }
        server.open()
        #expect(try await ada.captures.send(capture("b")).captureId == "b")
        #expect(server.texts.count == 1 && server.texts.allSatisfy { $0.contains(#""b""#) }, "\(server.texts)")
        #expect(server.handshakes == 1)
    }
}

/// A server that supports only the socket of captures.
private final class ScriptedCaptures: Transport {
    typealias Script = @Sendable (_ text: String, _ reply: (String) -> Void) -> Void

    private let script: Script
    private let sent = Mutex<[String]>([])
    private let connects = Mutex(0)
    private let opened: AsyncStream<Void>
    private let gate: AsyncStream<Void>.Continuation

    /// - Parameter isSlow: whether handshakes wait for `open`.
    init(isSlow: Bool = false, script: @escaping Script) {
        self.script = script
        (opened, gate) = AsyncStream.makeStream(of: Void.self)
        if !isSlow { open() }
    }

    func open() { gate.finish() }

    var handshakes: Int { connects.withLock { $0 } }

    /// The texts that clients have sent.
    var texts: [String] { sent.withLock { $0 } }

    func connect(_ request: HTTPRequest, timeout: Duration) async throws -> TransportConnection {
        connects.withLock { $0 += 1 }
        for await _ in opened {}
        let (texts, reply) = AsyncStream.makeStream(of: String.self)
        return .open(Socket(texts: texts, reply: reply, server: self))
    }

    func send(
        _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse { throw KeepsakeError(.network, "There is no network.") }

    func download(
        _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse { throw KeepsakeError(.network, "There is no network.") }

    private struct Socket: TransportSocket {
        let texts: AsyncStream<String>
        let reply: AsyncStream<String>.Continuation
        let server: ScriptedCaptures

        func receive() async throws -> String {
            for await text in texts { return text }
            throw KeepsakeError(.network, "The connection has ended.")
        }

        func send(_ text: String) async throws {
            server.sent.withLock { $0.append(text) }
            server.script(text) { reply.yield($0) }
        }

        func close() { reply.finish() }
    }
}
