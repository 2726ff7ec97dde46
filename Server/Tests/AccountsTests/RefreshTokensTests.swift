import Core
import Database
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit

@Suite struct RefreshTokensTests {
    @Test(arguments: Engine.allCases) func `each use gives the next token of the same session`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            let session = try await home.viewer(signedIn.token).sessionID
            var token = signedIn.token
            var seen: Set<String> = [token.refreshToken]
            for _ in 0..<5 {
                home.clock.advance(by: .minutes(55))
                token = try await home.refresh(token)
                #expect(seen.insert(token.refreshToken).inserted)
                #expect(token.expiresAt == (home.clock.now + .hours(1)).date)
                #expect(try await home.viewer(token) == Viewer(accountID: signedIn.user.id, sessionID: session, isAdmin: false))
            }
        }
    }

    @Test(arguments: [0, 1, 10_000_000], Engine.allCases)
    func `within 10 seconds a repeat gives the same refresh token and a working access token`(_ microseconds: Int, _ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            let first = try await home.refresh(signedIn.token)
            home.clock.advance(by: .microseconds(microseconds))
            let again = try await home.refresh(signedIn.token)
            #expect(again.refreshToken == first.refreshToken)
            for token in [first, again] { #expect(try await home.viewer(token).accountID == signedIn.user.id) }
            // The repeat did not use up the token.
            _ = try await home.refresh(again)
        }
    }

    @Test(arguments: Engine.allCases) func `presented again at once after its successor was used, it ends the family`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine) { home in
            let a = try await home.signUp().token
            let b = try await home.refresh(a)
            let c = try await home.refresh(b)
            home.clock.advance(by: .seconds(1))
            let replay = await problem { try await home.refresh(a) }
            #expect(replay?.kind == .unauthenticated)
            for token in [a, b, c] { #expect(await problem { try await home.viewer(token) }?.kind == .unauthenticated) }
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session WHERE ended_at IS NOT NULL") == 1)
        }
    }

    @Test(arguments: [10_000_001, 3_600_000_000, 40 * 86_400_000_000], Engine.allCases)
    func `presented later, the whole family ends, whatever is asked afterwards`(_ microseconds: Int, _ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let a = try await home.signUp().token
            let b = try await home.refresh(a)
            home.clock.advance(by: .seconds(1))
            let c = try await home.refresh(b)
            home.clock.advance(by: .microseconds(microseconds - 1_000_000))
            let replay = await problem { try await home.refresh(a) }
            #expect(replay?.kind == .unauthenticated)
            for token in [a, b, c] {
                #expect(await problem { try await home.refresh(token) } == replay)
                #expect(await problem { try await home.viewer(token) }?.kind == .unauthenticated)
            }
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session WHERE ended_at IS NOT NULL") == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `the end of one family leaves the account's others`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let phone = try await home.signUp().token
            let tablet = try await home.feature.logIn(LoginInput(email: "ada@example.org", password: "correct horse")).token
            _ = try await home.refresh(phone)
            home.clock.advance(by: .seconds(11))
            #expect(await problem { try await home.refresh(phone) }?.kind == .unauthenticated)
            _ = try await home.viewer(tablet)
            _ = try await home.refresh(tablet)
        }
    }

    @Test(arguments: Engine.allCases) func `a stolen token that the thief used first is found out when its owner comes`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine) { home in
            let owner = try await home.signUp().token
            var thief = try await home.refresh(owner)
            for _ in 0..<3 {
                home.clock.advance(by: .hours(2))
                thief = try await home.refresh(thief)
            }
            #expect(await problem { try await home.refresh(owner) }?.kind == .unauthenticated)
            #expect(await problem { try await home.refresh(thief) }?.kind == .unauthenticated)
            #expect(await problem { try await home.viewer(thief) }?.kind == .unauthenticated)
        }
    }

    @Test(arguments: Engine.allCases) func `a token is good for 30 days to the microsecond, and each use begins anew`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine) { home in
            var token = try await home.signUp().token
            for _ in 0..<3 {
                home.clock.advance(by: .days(30) - .microseconds(1))
                token = try await home.refresh(token)
            }
            home.clock.advance(by: .days(30))
            #expect(await problem { try await home.refresh(token) }?.kind == .unauthenticated)
            // An expired token is not treated as stolen.
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session WHERE ended_at IS NULL") == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `64 at once get one successor`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let token = try await home.signUp().token
            let successors = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<64 { group.addTask { try await home.refresh(token).refreshToken } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(successors.count == 1)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM refresh_token") == 2)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM refresh_token WHERE used_at IS NULL") == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `two processes on one file give the same successor`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let token = try await home.signUp().token
            try await home.another { other in
                async let here = home.refresh(token)
                async let there = other.refresh(token)
                let both = try await (here, there)
                #expect(both.0.refreshToken == both.1.refreshToken)
            }
        }
    }

    @Test(
        arguments: [
            "", "x", "null", String(repeating: "A", count: 42), String(repeating: "A", count: 44), String(repeating: "A", count: 10_000),
        ], Engine.allCases)
    func `what is no refresh token is answered like an unknown one`(_ text: String, _ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            let unknown = await problem { try await home.feature.refresh(RefreshInput(refreshToken: RefreshToken(entropy: .system).text)) }
            #expect(unknown?.kind == .unauthenticated)
            #expect(await problem { try await home.feature.refresh(RefreshInput(refreshToken: text)) } == unknown)
            #expect(
                await problem { try await home.feature.refresh(RefreshInput(refreshToken: signedIn.token.accessToken)) } == unknown)
            #expect(
                await problem { try await home.feature.refresh(RefreshInput(refreshToken: signedIn.token.refreshToken + "=")) } == unknown)
        }
    }

    @Test(arguments: Engine.allCases) func `the hash of a token, which a stolen database shows, opens nothing`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine) { home in
            _ = try await home.signUp()
            let hash: String = try await home.database.read { tx in try tx.row("SELECT hash FROM refresh_token")!.get("hash") }
            #expect(await problem { try await home.feature.refresh(RefreshInput(refreshToken: hash)) }?.kind == .unauthenticated)
        }
    }

    @Test(arguments: Engine.allCases) func `a deleted account's tokens are refused`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            try await home.deleteAccount(signedIn.user.id)
            #expect(await problem { try await home.refresh(signedIn.token) }?.kind == .unauthenticated)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session") == 0)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM refresh_token") == 0)
        }
    }

    @Test(arguments: Engine.allCases) func `upkeep forgets what is over and nothing else`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let old = try await home.signUp("old@x").token
            var token = try await home.signUp("new@x").token
            for _ in 0..<5 {
                home.clock.advance(by: .days(25))
                token = try await home.refresh(token)
                try await home.feature.upkeep()
            }
            // After 125 days the other session is deleted. This session keeps only the tokens that expired within the last 60 days.
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session") == 1)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM refresh_token") == 4)
            #expect(await problem { try await home.refresh(old) }?.kind == .unauthenticated)
            _ = try await home.refresh(token)
        }
    }

    @Test(arguments: Engine.allCases) func `a session gets 60 refresh tokens within an hour, and then waits`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine) { home in
            let end = home.clock.now + .hours(1)
            var token = try await home.signUp().token
            let tablet = try await home.feature.logIn(LoginInput(email: "ada@example.org", password: "correct horse")).token
            var last = token
            for _ in 1..<SessionRules.maxTokens {
                home.clock.advance(by: .seconds(1))
                (last, token) = (token, try await home.refresh(token))
            }
            let tooMany = await problem { try await home.refresh(token) }
            let wait = end - home.clock.now
            #expect(tooMany?.kind == .tooManyRequests && tooMany?.retryAfter == wait)
            // A repeated refresh makes no new token, and other sessions have limits of their own.
            #expect(try await home.refresh(last).refreshToken == token.refreshToken)
            _ = try await home.refresh(tablet)
            home.clock.advance(by: wait)
            _ = try await home.refresh(token)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session WHERE ended_at IS NOT NULL") == 0)
        }
    }

    /// Adds used tokens to every session.
    private func addTokens(_ count: Int, _ home: AccountsHome) async throws {
        let now = home.clock.now
        try await home.database.write { tx in
            for row in try tx.rows("SELECT id FROM session") {
                for _ in 0..<count {
                    try tx.run(AccountStore.insertToken(RefreshToken(entropy: .system).hash, row.get("id"), now - .hours(2)))
                }
            }
        }
    }

    @Test(arguments: Engine.allCases) func `closing an account ends its sessions, and their tokens are erased in steps`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            _ = try await home.feature.logIn(LoginInput(email: "ada@example.org", password: "correct horse"))
            try await addTokens(25, home)
            let account = signedIn.user.id
            #expect(try await home.store.close(account, at: home.clock.now, hiding: { _ in }, also: { _ in }))
            #expect(try await home.count("SELECT COUNT(*) AS n FROM refresh_token") == 52)
            #expect(await problem { try await home.refresh(signedIn.token) }?.kind == .unauthenticated)
            #expect(await problem { try await home.viewer(signedIn.token) }?.kind == .unauthenticated)
            var steps: [Int] = []
            repeat {
                steps.append(try await home.database.write { tx in try home.feature.erase(account, limit: 20, tx) })
            } while steps.last != 0
            // These are 52 tokens and 2 sessions.
            #expect(steps == [20, 20, 14, 0])
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session") == 0)
        }
    }

    @Test(arguments: Engine.allCases) func `upkeep deletes at most 500 rows in a write`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            _ = try await home.signUp()
            try await addTokens(1_200, home)
            home.clock.advance(by: .days(31))
            let record = StatementRecord()
            let observed = ObservedDatabase(base: home.database, observe: record.add)
            try await AccountStore(database: observed).sweepSessions(at: home.clock.now)
            let limits = record.all.compactMap { statement -> Int64? in
                guard statement.text.hasPrefix("DELETE FROM refresh_token ") else { return nil }
                guard case .integer(let limit)? = statement.sql.values.last else { return nil }
                return limit
            }
            // Three statements delete tokens of the expired session, and one deletes used tokens of other sessions.
            #expect(limits == [500, 500, 500, 500])
            #expect(try await home.count("SELECT COUNT(*) AS n FROM refresh_token") == 0)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session") == 0)
        }
    }

    @Test func `the decision is the contract's`() {
        let start = Timestamp(seconds: 1_000_000)
        func decide(
            used: Duration?, successorUsed: Bool = false, ended: Bool = false, at age: Duration
        ) -> SessionRules.Decision {
            SessionRules.decide(
                usedAt: used.map { start + $0 }, isSuccessorUsed: successorUsed, expiresAt: start + .days(30),
                familyEndedAt: ended ? start : nil, now: start + age)
        }
        #expect(decide(used: nil, at: .zero) == .rotate)
        #expect(decide(used: nil, at: .days(30)) == .refuse)
        #expect(decide(used: nil, ended: true, at: .zero) == .refuse)
        #expect(decide(used: .hours(1), at: .hours(1)) == .answerAgain)
        #expect(decide(used: .hours(1), at: .hours(1) + .seconds(10)) == .answerAgain)
        #expect(decide(used: .hours(1), successorUsed: true, at: .hours(1)) == .endFamily)
        #expect(decide(used: .hours(1), successorUsed: true, ended: true, at: .hours(1)) == .refuse)
        #expect(decide(used: .hours(1), at: .hours(1) + .seconds(10) + .microseconds(1)) == .endFamily)
        #expect(decide(used: .hours(1), ended: true, at: .hours(1)) == .refuse)
        #expect(decide(used: .hours(1), at: .days(31)) == .endFamily)
        // The first clock is slightly behind, and the second one was set back.
        #expect(decide(used: .hours(1), at: .hours(1) - .seconds(9)) == .answerAgain)
        #expect(decide(used: .hours(1), at: .zero) == .endFamily)
    }
}
