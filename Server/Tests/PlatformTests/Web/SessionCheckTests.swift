import Core
import Synchronization
import Testing

@testable import Web

@Suite("Sessions behind long responses")
struct SessionCheckTests {
    /// Knows which sessions have ended, and counts how often it is asked.
    private final class Sessions: SessionWatch {
        private let state = Mutex((ended: Set<String>(), count: 0))

        var count: Int { state.withLock { $0.count } }
        func end(_ session: String) { state.withLock { _ = $0.ended.insert(session) } }

        func live(_ viewers: Set<Viewer>) async throws -> Set<Viewer> {
            state.withLock { state in
                state.count += 1
                return viewers.filter { !state.ended.contains($0.sessionID ?? "") }
            }
        }
    }

    private final class Time: Sendable {
        private let instant = Mutex(ContinuousClock.now)

        var now: ContinuousClock.Instant { instant.withLock { $0 } }
        func advance(by duration: Duration) { instant.withLock { $0 = $0.advanced(by: duration) } }
    }

    private static let ada = Viewer(accountID: "ada", sessionID: "1", isAdmin: false)
    private static let maker = Viewer(accountID: "ada", sessionID: "2", isAdmin: false)

    @Test("Sessions are read at most once in four seconds, together, however many pieces there are")
    func paced() async throws {
        let (sessions, time) = (Sessions(), Time())
        let check = SessionCheck([Self.ada, Self.maker], sessions, every: .seconds(4)) { time.now }
        for _ in 0..<100 {
            try await check.requireLive()
            time.advance(by: .milliseconds(100))
        }
        #expect(sessions.count == 2)
        let none = SessionCheck([], sessions, every: .zero) { time.now }
        try await none.requireLive()
        #expect(sessions.count == 2)
    }

    @Test("The end of either session ends the response, at the next check", arguments: ["1", "2"])
    func ended(_ session: String) async throws {
        let (sessions, time) = (Sessions(), Time())
        let check = SessionCheck([Self.ada, Self.maker], sessions, every: .seconds(4)) { time.now }
        sessions.end(session)
        try await check.requireLive()
        time.advance(by: .seconds(4))
        await #expect(throws: Problem.self) { try await check.requireLive() }
        // The session stays ended.
        await #expect(throws: Problem.self) { try await check.requireLive() }
    }
}
