import Foundation
import HTTPTypes
import KeepsakeWire
import Synchronization
import Testing

@testable import KeepsakeKit

/// Sessions in random orders of refresh, sign-out, sign-in of another user, cancellation, lost network and locked store. The server, the
/// clock and the store are simulated, because a real server would determine the order itself.
@Suite("KeepsakeKit's sessions", .timeLimit(.minutes(2)))
struct SchedulesTests {
    @Test("1,000 schedules: no request with another's token, no session overwritten, nobody signed out without a refusal")
    func schedules() async throws {
        var faults = ScheduleFaults()
        for seed in 1...1_000 { faults.add(try await Schedule(seed: UInt64(seed), checksGenerations: true).run()) }
        #expect(faults == ScheduleFaults(), "\(faults)")
    }

    @Test("control: without generations, a late response does reach the next user")
    func control() async throws {
        var faults = ScheduleFaults()
        for seed in 1...300 { faults.add(try await Schedule(seed: UInt64(seed), checksGenerations: false).run()) }
        #expect(faults.total > 0)
    }

    @Test("a device clock that is two hours off causes as many refreshes as a right one", arguments: [-7_200.0, 0, 7_200])
    func wrongClock(_ offset: Double) async throws {
        let server = ScriptedServer(seed: 1)
        let store = LockableStore()
        let clock = KeepsakeClock(
            now: { server.now.addingTimeInterval(offset) }, uptime: { .seconds(server.now.timeIntervalSince1970) }, sleep: { _ in })
        func open() throws -> Keepsake {
            Keepsake(url: try #require(URL(string: "http://test")), tokens: store, transport: server, clock: clock)
        }
        var keepsake = try open()
        try await keepsake.auth.signIn(email: "a", password: "")
        for minute in 1...600 {
            server.advance(60)
            // The app starts again. Its first request comes before any response has contained the server's time.
            if minute % 50 == 0 { keepsake = try open() }
            _ = try await keepsake.auth.me()
        }
        // The test covers ten hours. Tokens last one hour and are refreshed five minutes before they expire.
        #expect(server.refreshes == 10)
        #expect(server.refusals == 0)
    }
}

struct ScheduleFaults: Equatable {
    var wrongTokens = 0
    var overwritten = 0
    var unasked = 0

    var total: Int { wrongTokens + overwritten + unasked }

    mutating func add(_ other: ScheduleFaults) {
        wrongTokens += other.wrongTokens
        overwritten += other.overwritten
        unasked += other.unasked
    }
}

/// A store that a test can lock, as locking a device does.
actor LockableStore: TokenStore {
    private(set) var session: StoredSession?
    private var isLocked = false

    func setLocked(_ locked: Bool) { isLocked = locked }

    private func check() throws {
        if isLocked { throw KeepsakeError(.storeUnavailable, "The store is locked.") }
    }

    func load() async throws -> StoredSession? {
        try check()
        return session
    }

    func save(_ session: StoredSession?, replacing expected: StoredSession.ID?) async throws -> Bool {
        try check()
        guard expected == nil || expected == self.session?.id else { return false }
        self.session = session
        return true
    }
}

/// Responds like the server, after a random number of turns of other tasks. Its tokens have the format `user.number`.
final class ScriptedServer: Transport {
    private struct State {
        var random: UInt64
        var now = Date(timeIntervalSince1970: 1_800_000_000)
        var number = 0
        var refreshes = 0
        var refusals = 0
        var wrongTokens = 0
        var isOffline = false
        var refused: Set<String> = []
        var expiry: [String: Date] = [:]
    }
    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(random: seed)) }

    var now: Date { state.withLock { $0.now } }
    var refreshes: Int { state.withLock { $0.refreshes } }
    /// Number of requests with the path of one user and the token of another.
    var wrongTokens: Int { state.withLock { $0.wrongTokens } }
    var refusals: Int { state.withLock { $0.refusals } }
    func advance(_ seconds: Double) { state.withLock { $0.now.addTimeInterval(seconds) } }
    func setOffline(_ offline: Bool) { state.withLock { $0.isOffline = offline } }
    func refuseRefresh(of user: String) { state.withLock { _ = $0.refused.insert(user) } }

    /// A random number below `bound` (xorshift64*).
    func random(_ bound: UInt64) -> UInt64 {
        state.withLock {
            $0.random ^= $0.random >> 12
            $0.random ^= $0.random << 25
            $0.random ^= $0.random >> 27
            return ($0.random &* 2_685_821_657_736_338_717) >> 33 % bound
        }
    }

    func send(
        _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        for _ in 0..<random(12) { await Task.yield() }
        if state.withLock({ $0.isOffline }) { throw KeepsakeError(.network, "There is no network.") }
        let answer = try respond(request, body)
        for _ in 0..<random(12) { await Task.yield() }
        if Task.isCancelled { throw KeepsakeError(.cancelled, "The call was cancelled.") }
        return answer
    }

    func download(
        _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse { throw KeepsakeError(.invalidRequest, "This server has no files.") }

    private func respond(_ request: HTTPRequest, _ body: RequestBody) throws -> TransportResponse {
        var json = Data()
        if case .data(let data) = body { json = data }
        return try state.withLock { state in
            switch request.path ?? "" {
            case "/auth/password/login":
                let user = try JSONDecoder().decode(LoginInput.self, from: json).email
                state.refused.remove(user)
                return try Self.answer(SignedIn(user: Self.user(user), token: Self.token(user, &state)), state)
            case "/auth/refresh":
                let user =
                    try JSONDecoder().decode(RefreshInput.self, from: json).refreshToken.split(separator: ".").first.map(String.init) ?? ""
                if state.refused.contains(user) { return Self.refusal(state) }
                state.refreshes += 1
                return try Self.answer(Self.token(user, &state), state)
            case "/user/me":
                let token = request.headerFields[.authorization]?.dropFirst("Bearer ".count).description ?? ""
                guard let expiry = state.expiry[token], expiry > state.now else {
                    state.refusals += 1
                    return Self.refusal(state)
                }
                return try Self.answer(Self.user(token.split(separator: ".").first.map(String.init) ?? ""), state)
            case let path where path.hasPrefix("/api/users/user/"):
                let token = request.headerFields[.authorization]?.dropFirst("Bearer ".count).description ?? ""
                let owner = token.split(separator: ".").first.map(String.init) ?? ""
                if path.split(separator: "/")[3] != owner { state.wrongTokens += 1 }
                guard let expiry = state.expiry[token], expiry > state.now else { return Self.refusal(state) }
                return try Self.answer(SuccessResponse(), state)
            default: return try Self.answer(Empty(), state)
            }
        }
    }

    private static func user(_ id: String) -> User { User(id: id, email: nil, name: nil, createdAt: .distantPast, isProUser: false) }

    private static func token(_ user: String, _ state: inout State) -> AuthToken {
        state.number += 1
        let text = "\(user).\(state.number)"
        let expiry = state.now.addingTimeInterval(3_600)
        state.expiry[text] = expiry
        return AuthToken(accessToken: text, refreshToken: text, expiresAt: expiry)
    }

    private static func answer(_ value: some Encodable, _ state: State) throws -> TransportResponse {
        TransportResponse(head: head(.ok, state), body: try Surface.capsules.makeEncoder().encode(value))
    }

    private static func refusal(_ state: State) -> TransportResponse { TransportResponse(head: head(.unauthorized, state)) }

    private static func head(_ status: HTTPResponse.Status, _ state: State) -> HTTPResponse {
        // Avoid a DateFormatter, which would take most of the test's time. In `2026-12-31T20:00:00Z`, each part has a fixed position.
        let text = WireDate.format(state.now, .wholeSeconds)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let month = months[(Int(text.dropFirst(5).prefix(2)) ?? 1) - 1]
        let date = "Thu, \(text.dropFirst(8).prefix(2)) \(month) \(text.prefix(4)) \(text.dropFirst(11).prefix(8)) GMT"
        return HTTPResponse(status: status, headerFields: [.date: date, .xRequestID: "request"])
    }
}

/// A random sequence of twelve steps, some of which run at the same time.
struct Schedule {
    let seed: UInt64
    let checksGenerations: Bool

    func run() async throws -> ScheduleFaults {
        let server = ScriptedServer(seed: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        let store = LockableStore()
        let clock = KeepsakeClock(
            now: { server.now }, uptime: { .seconds(server.now.timeIntervalSince1970) }, sleep: { _ in await Task.yield() })
        let randomness = KeepsakeRandomness { server.random(.max) << 32 | server.random(.max) }
        let keepsake = Keepsake(
            url: try #require(URL(string: "http://test")),
            session: Session(store: store, clock: clock, randomness: randomness, checksGenerations: checksGenerations),
            transport: server, clock: clock, randomness: randomness, retries: RetryPolicy(maxAttempts: 2))
        var faults = ScheduleFaults()
        var user = "u0"
        try await keepsake.auth.signIn(email: user, password: "")
        for step in 1...4 {
            // The current user's tokens expire, and some of this user's calls start.
            server.advance(4_000)
            let calls = (0..<3).map { _ in Task { try await keepsake.moments.deleteMood("m") } }
            let disturbance = server.random(6)
            if disturbance == 1 { server.setOffline(true) }
            if disturbance == 2 { await store.setLocked(true) }
            if disturbance == 3 { calls[0].cancel() }
            let isRefused = disturbance == 4
            if isRefused { server.refuseRefresh(of: user) }
            for _ in 0..<server.random(10) { await Task.yield() }
            var signedOut = false
            switch server.random(3) {
            case 0:
                // Another user signs in while the responses to these calls are on their way.
                server.setOffline(false)
                await store.setLocked(false)
                let next = "u\(step)"
                try await keepsake.auth.signIn(email: next, password: "")
                user = next
            case 1:
                await store.setLocked(false)
                try await keepsake.auth.signOut()
                signedOut = true
            default: break
            }
            for call in calls { _ = await call.result }
            server.setOffline(false)
            await store.setLocked(false)
            let stored = await store.session
            if let stored, stored.userID != user || signedOut { faults.overwritten += 1 }
            if let stored, !stored.accessToken.hasPrefix(stored.userID + ".") { faults.overwritten += 1 }
            if stored == nil, !signedOut, !isRefused { faults.unasked += 1 }
            if signedOut || isRefused || stored == nil {
                user += "x"
                try await keepsake.auth.signIn(email: user, password: "")
            } else if try await keepsake.auth.me().id != user {
                faults.wrongTokens += 1
            }
        }
        faults.wrongTokens += server.wrongTokens
        return faults
    }
}
