import Core
import Database
import KeepsakeWire
import TestKit
import TestThreads
import Testing
import Web

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

@Suite("The number of sessions of an account", .blocksThreads)
struct SessionLimitTests {
    private static func session(_ id: String, of account: String, _ createdAt: Timestamp) -> NewSession {
        NewSession(
            id: id, accountID: account, refreshHash: RefreshToken(entropy: .system).hash, origin: SessionOrigin(.password),
            createdAt: createdAt)
    }

    /// Adds the sessions `s1` … `s<count>` of an account, each used a second later than the one before.
    private static func fill(_ database: any Database, _ account: String, _ count: Int, from start: Timestamp) async throws {
        try await database.write { tx in
            for number in 1...count {
                try AccountStore.insert(Self.session("s\(number)", of: account, start + .seconds(number)), tx)
            }
        }
    }

    private static func ended(_ home: AccountsHome) async throws -> Set<String> {
        try await home.database.read { tx in
            Set(try tx.rows("SELECT id FROM session WHERE ended_at IS NOT NULL").map { try $0.get("id", as: String.self) })
        }
    }

    private static func liveCount(_ account: String, _ home: AccountsHome) async throws -> Int {
        try await home.count("SELECT COUNT(*) AS n FROM session WHERE account = \(account) AND ended_at IS NULL")
    }

    @Test("a sign-in beyond 200 sessions ends the one of the account that was used least recently", arguments: Engine.allCases)
    func limit(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let eve = try await home.signUp("eve@example.org").token
            let ada = try await home.signUp()
            let account = ada.user.id
            try await Self.fill(home.database, account, SessionRules.maxSessions - 1, from: home.clock.now)
            #expect(try await Self.liveCount(account, home) == 200)
            home.clock.advance(by: .minutes(30))
            // This refresh makes the oldest session the one that was used last.
            let refreshed = try await home.refresh(ada.token)
            let login = LoginInput(email: "ada@example.org", password: "correct horse")
            let second = try await home.feature.logIn(login).token
            #expect(try await Self.ended(home) == ["s1"])
            let third = try await home.feature.logIn(login).token
            #expect(try await Self.ended(home) == ["s1", "s2"])
            // A sign-in without a password counts too.
            #expect(try await home.store.openSession(Self.session("tool", of: account, home.clock.now)))
            #expect(try await Self.ended(home) == ["s1", "s2", "s3"])
            #expect(try await Self.liveCount(account, home) == 200)
            for token in [refreshed, second, third] { #expect(try await home.viewer(token).accountID == account) }
            #expect(try await home.viewer(eve).accountID != account)
        }
    }

    @Test("concurrent sign-ins, and one whose clock is behind, stay and keep the limit", arguments: Engine.allCases)
    func concurrent(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let account = try await home.signUp().user.id
            let now = home.clock.now
            try await Self.fill(home.database, account, SessionRules.maxSessions - 1, from: now)
            let opened = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    group.addTask { try await home.store.openSession(Self.session("new\(number)", of: account, now + .hours(1))) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(opened == 8)
            #expect(try await Self.liveCount(account, home) == 200)
            let ended = try await Self.ended(home)
            #expect(ended.count == 8 && ended.allSatisfy { !$0.hasPrefix("new") })
            #expect(try await home.store.openSession(Self.session("behind", of: account, now - .hours(1))))
            let isLive = try await home.store.liveSession("behind", of: account) != nil
            #expect(isLive)
            #expect(try await Self.liveCount(account, home) == 200)
        }
    }

    @Test("an account from before the limit comes down to it in short writes", arguments: Engine.allCases)
    func before(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let account = try await home.signUp().user.id
            try await Self.fill(home.database, account, 349, from: home.clock.now)
            home.clock.advance(by: .hours(1))
            var counts: [Int] = []
            for number in 0..<3 {
                #expect(try await home.store.openSession(Self.session("new\(number)", of: account, home.clock.now)))
                counts.append(try await Self.liveCount(account, home))
            }
            #expect(counts == [251, 200, 200])
        }
    }

    @Test("the ended session's token is refused by another node at once, and its socket there is closed")
    func nodes() async throws {
        let stores = try TestStores(.postgres, tables: "server")
        let clock = TestClock()
        try await TestServer.run(.postgres, on: stores, clock: clock) { one in
            // The second node must learn from a notification that the session has ended, so its periodic check is set to one hour.
            try await TestServer.run(.postgres, on: stores, clock: clock, { $0.sockets.look = .hours(1) }) { two in
                let phone = try await one.person()
                let socket = try WebSocketClient(port: two.port, path: "/ws/events", headers: [phone.bearer])
                // The second node verifies and caches the token.
                #expect(try await two.send("GET", "/user/me", as: phone).status == 200)
                try await Self.fill(one.backend.database, phone.id, SessionRules.maxSessions - 1, from: clock.now)
                clock.advance(by: .minutes(5))
                let tablet = try await one.person()
                #expect(try await two.send("GET", "/user/me", as: phone).status == 401)
                #expect(try socket.nextClose().closeCode == 1_008)
                #expect(try await two.send("GET", "/user/me", as: tablet).status == 200)
            }
        }
    }
}
