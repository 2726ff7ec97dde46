import Foundation
import HTTPTypes
import KeepsakeTesting
import KeepsakeWire
import Synchronization
import Testing

@testable import KeepsakeKit

/// When the client repeats a call, how long it waits, and when it gives up.
@Suite("KeepsakeKit's retries", .timeLimit(.minutes(1)))
struct RetryTests {
    @Test("each wait is at most twice as long as the one before, random, within the limits, and not shorter than the server asks for")
    func waits() {
        let policy = RetryPolicy(firstWait: .seconds(1), longestWait: .seconds(10))
        let randomness = KeepsakeRandomness.system
        for (attempt, limit) in [(1, 1.0), (2, 2), (3, 4), (4, 8), (5, 10), (60, 10)] {
            let waits = (0..<50).map { _ in policy.wait(afterAttempt: attempt, retryAfter: nil, randomness).seconds }
            #expect(waits.allSatisfy { limit / 2 <= $0 && $0 <= limit }, "\(attempt): \(waits)")
            #expect(Set(waits).count > 40, "many clients would return at once")
        }
        #expect(policy.wait(afterAttempt: 1, retryAfter: .seconds(30), randomness) == .seconds(30))
        #expect(policy.wait(afterAttempt: 5, retryAfter: .zero, randomness) >= .seconds(5))
    }

    @Test("a call waits as long as the server asks for, unless its deadline would pass: then it fails at once")
    func retryAfter() async throws {
        let server = FakeServer()
        let slept = Mutex<[Duration]>([])
        let clock = KeepsakeClock(
            now: server.clock.now, uptime: { slept.withLock { $0.reduce(.zero, +) } },
            sleep: { time in slept.withLock { $0.append(time) } })
        let client = Keepsake(
            url: FakeServer.url, tokens: MemoryTokenStore(), transport: server, clock: clock, retries: RetryPolicy(deadline: .seconds(60)))
        try await client.auth.register(email: "ada@example.org", password: "correct horse")
        server.inject(.status(503, retryAfter: 20), times: 2) { $0.path == "/user/me" }
        _ = try await client.auth.me()
        #expect(slept.withLock { $0 } == [.seconds(20), .seconds(20)])
        // The third wait would end after the deadline of the whole call.
        server.inject(.status(503, retryAfter: 25)) { $0.path == "/user/me" }
        await #expect { try await client.auth.me() } throws: { error in
            (error as? KeepsakeError)?.status == 503 && (error as? KeepsakeError)?.retryAfter == .seconds(25)
        }
        #expect(slept.withLock { $0.count } == 4)
    }

    @Test("while the server is at work, a call waits as long as it says, beyond the number of attempts, until the deadline")
    func inProgress() async throws {
        let server = FakeServer()
        let slept = Mutex<[Duration]>([])
        let clock = KeepsakeClock(
            now: server.clock.now, uptime: { slept.withLock { $0.reduce(.zero, +) } },
            sleep: { time in slept.withLock { $0.append(time) } })
        let policy = RetryPolicy(deadline: .seconds(60), fileDeadline: .seconds(100), longestWait: .seconds(2))
        let client = Keepsake(url: FakeServer.url, tokens: MemoryTokenStore(), transport: server, clock: clock, retries: policy)
        try await client.auth.register(email: "ada@example.org", password: "correct horse")
        server.inject(.status(409, retryAfter: 5), times: 8) { $0.path?.contains("/moods") == true }
        let mood = try await client.moments.createMood("calm", moodIntensity: 5)
        #expect(mood.mood == "calm")
        #expect(slept.withLock { $0 } == Array(repeating: .seconds(5), count: 8))
        let keys = server.requests.filter { $0.method == .post && $0.path?.contains("/moods") == true }
            .compactMap { $0.headerFields[.idempotencyKey] }
        #expect(keys.count == 9 && Set(keys).count == 1)

        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        server.inject(.status(409, retryAfter: 30)) { $0.path?.contains("play=1") == true }
        await #expect { try await client.media.downloadPlayable("film", to: file) } throws: { error in
            let error = error as? KeepsakeError
            return error?.status == 409 && error?.retryAfter == .seconds(30) && error?.isRetryable == true
        }
        #expect(slept.withLock { Array($0.dropFirst(8)) } == Array(repeating: .seconds(30), count: 3))
    }

    @Test("a conflict without Retry-After is no reason to repeat, and with one attempt nothing is repeated")
    func conflict() async throws {
        let server = FakeServer()
        let client = server.client()
        try await client.auth.register(email: "ada@example.org", password: "correct horse")
        server.inject(.status(409)) { $0.path == "/user/me" }
        await #expect { try await client.auth.me() } throws: { ($0 as? KeepsakeError)?.isRetryable == false }
        #expect(server.requests.filter { $0.path == "/user/me" }.count == 1)
        let tokens = MemoryTokenStore()
        let once = Keepsake(url: FakeServer.url, tokens: tokens, transport: server, retries: RetryPolicy(maxAttempts: 1))
        try await once.auth.register(email: "bob@example.org", password: "correct horse")
        server.clearFaults()
        server.inject(.status(409, retryAfter: 1)) { $0.path == "/user/me" }
        await #expect { try await once.auth.me() } throws: { ($0 as? KeepsakeError)?.status == 409 }
        #expect(server.requests.filter { $0.path == "/user/me" }.count == 2)
    }

    @Test("what may not be repeated safely is sent once")
    func once() async throws {
        let server = FakeServer()
        let client = server.client()
        try await client.auth.register(email: "ada@example.org", password: "correct horse")
        server.inject(.status(503)) { $0.method == .patch }
        await #expect { try await client.auth.update(UpdateMeInput(name: .set("Ada"))) } throws: { ($0 as? KeepsakeError)?.status == 503 }
        #expect(server.requests.filter { $0.method == .patch }.count == 1)
    }

    @Test("a refresh that the server cannot answer signs nobody out", arguments: [500, 503, 429, 403])
    func failedRefresh(_ status: Int) async throws {
        let server = FakeServer()
        let tokens = MemoryTokenStore()
        let client = server.client(tokens: tokens)
        let id = try await client.auth.register(email: "ada@example.org", password: "correct horse").id
        server.advance(by: .seconds(4_000))
        server.inject(.status(status)) { $0.path == "/auth/refresh" }
        await #expect { try await client.auth.me() } throws: { ($0 as? KeepsakeError)?.status == status }
        #expect(await tokens.load()?.userID == id)
        server.clearFaults()
        #expect(try await client.auth.me().id == id)
    }

    @Test("a refresh that a proxy refuses, which asks for a password of its own, signs nobody out")
    func refreshRefusedByProxy() async throws {
        let server = FakeServer()
        let (proxy, tokens) = (AskingProxy(server), MemoryTokenStore())
        let client = Keepsake(url: FakeServer.url, tokens: tokens, transport: proxy, clock: server.clock, signals: .none)
        let id = try await client.auth.register(email: "ada@example.org", password: "correct horse").id
        server.advance(by: .seconds(4_000))
        proxy.isAsking.withLock { $0 = true }
        await #expect { try await client.auth.me() } throws: { ($0 as? KeepsakeError)?.status == 401 }
        #expect(await tokens.load()?.userID == id)
        proxy.isAsking.withLock { $0 = false }
        #expect(try await client.auth.me().id == id)
    }
}

/// Forwards requests to the fake server, or responds to all of them itself, like a proxy that asks for a password.
private final class AskingProxy: Transport {
    let isAsking = Mutex(false)
    private let server: FakeServer

    init(_ server: FakeServer) { self.server = server }

    func send(
        _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        if isAsking.withLock({ $0 }) {
            return TransportResponse(head: HTTPResponse(status: .unauthorized), body: Data("<h1>401 Authorization Required</h1>".utf8))
        }
        return try await server.send(request, body: body, timeout: timeout, progress: progress)
    }

    func download(
        _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        try await server.download(request, to: file, timeout: timeout, progress: progress)
    }
}
