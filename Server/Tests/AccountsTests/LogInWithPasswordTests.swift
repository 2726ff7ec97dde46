import Core
import Database
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Accounts

@Suite
struct LogInWithPasswordTests {
    private func logIn(_ home: AccountsHome, _ email: String, _ password: String) async throws -> SignedIn {
        try await home.feature.logIn(LoginInput(email: email, password: password))
    }

    @Test(arguments: Engine.allCases) func `the right password opens another session of the same account`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let first = try await home.signUp()
            let second = try await logIn(home, " ADA@example.org", "correct horse")
            #expect(second.user == first.user)
            let sessions = (try await home.viewer(first.token).sessionID, try await home.viewer(second.token).sessionID)
            #expect(sessions.0 != sessions.1)
            #expect(first.token.refreshToken != second.token.refreshToken)
        }
    }

    @Test(arguments: Engine.allCases) func `unknown, wrong and password-less get one and the same answer`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            _ = try await home.signUp()
            _ = try await home.feature.issueToken(email: "token@example.org", isAdmin: false)
            let wrong = await problem { try await logIn(home, "ada@example.org", "wrong horse") }
            #expect(wrong?.kind == .unauthenticated)
            #expect(await problem { try await logIn(home, "nobody@example.org", "correct horse") } == wrong)
            #expect(await problem { try await logIn(home, "token@example.org", "correct horse") } == wrong)
            #expect(await problem { try await logIn(home, "ada@example.org", "correct horse ") } == wrong)
            #expect(await problem { try await logIn(home, "ada@example.org", "Correct horse") } == wrong)
            #expect(await problem { try await logIn(home, "ada@example.org", "short") } == wrong)
            #expect(await problem { try await logIn(home, "ada@example.org", "") } == wrong)
            #expect(await problem { try await logIn(home, "nobody@example.org", "") } == wrong)
        }
    }

    @Test(arguments: Engine.allCases) func `what can be nobody's address or password is refused by name`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            #expect(await problem { try await logIn(home, "nobody", "correct horse") }?.field == "email")
            #expect(await problem { try await logIn(home, "a\u{0}@x", "correct horse") }?.field == "email")
            #expect(await problem { try await logIn(home, "a@x", "nul\u{0}password") }?.field == "password")
            #expect(await problem { try await logIn(home, "a@x", String(repeating: "x", count: 1_025)) }?.kind == .invalid)
        }
    }

    @Test(arguments: Engine.allCases) func `a hash of yesterday's cost becomes one of today's when its password is used`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine) { home in
            _ = try await home.signUp()
            let dearer = try #require(PasswordCost(logN: 5, lanes: 2))
            try await home.another(cost: dearer) { later in
                #expect(await problem { try await logIn(later, "ada@example.org", "wrong horse") }?.kind == .unauthenticated)
                #expect(try await home.count("SELECT COUNT(*) AS n FROM account WHERE password_hash >= '$scrypt$ln=5,'") == 0)
                _ = try await logIn(later, "ada@example.org", "correct horse")
                let stored = try await later.store.credential(email: "ada@example.org")?.passwordHash
                #expect(stored?.exposed.hasPrefix("$scrypt$ln=5,r=8,p=2$") == true)
                _ = try await logIn(later, "ada@example.org", "correct horse")
            }
            _ = try await logIn(home, "ada@example.org", "correct horse")
        }
    }

    @Test(arguments: Engine.allCases) func `a deleted account is unknown`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            try await home.deleteAccount(signedIn.user.id)
            #expect(await problem { try await logIn(home, "ada@example.org", "correct horse") }?.kind == .unauthenticated)
        }
    }
}

@Suite(.runsAlone)
struct LogInTimeTests {
    @Test(arguments: Engine.allCases) func `unknown takes as long as wrong`(_ engine: Engine) async throws {
        // This cost makes each attempt take about 20 ms, so that hashing dominates the measured time.
        try await AccountsHome.run(engine, cost: #require(PasswordCost(logN: 13, lanes: 1))) { home in
            _ = try await home.signUp()
            // The test compares the shortest of many alternating measurements, because a busy machine can only make both cases slower.
            func time(_ email: String) async -> Duration {
                let start = ContinuousClock.now
                _ = await problem { try await home.feature.logIn(LoginInput(email: email, password: "wrong horse")) }
                return ContinuousClock.now - start
            }
            var (wrong, unknown) = (Duration.seconds(60), Duration.seconds(60))
            for _ in 0..<15 {
                wrong = min(wrong, await time("ada@example.org"))
                unknown = min(unknown, await time("nobody@example.org"))
            }
            #expect(unknown > wrong * 0.5 && wrong > unknown * 0.5, "wrong \(wrong), unknown \(unknown)")
        }
    }
}
