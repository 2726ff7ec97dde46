import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts

@Suite struct RegisterWithPasswordTests {
    @Test(arguments: Engine.allCases) func `a new person is signed in at once`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp(name: "Ada")
            let viewer = try await home.viewer(signedIn.token)
            #expect(viewer == Viewer(accountID: signedIn.user.id, sessionID: viewer.sessionID, isAdmin: false))
            #expect(viewer.sessionID != nil)
            #expect(signedIn.user.email == "ada@example.org")
            #expect(signedIn.user.name == "Ada")
            #expect(signedIn.user.createdAt == home.clock.now.date)
            #expect(signedIn.token.expiresAt == (home.clock.now + .hours(1)).date)
        }
    }

    @Test(arguments: Engine.allCases) func `the answer has every key of the document, dates with six digits and null for what is unknown`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine) { home in
            home.clock.advance(by: .microseconds(123_456))
            let signedIn = try await home.signUp()
            let encoder = Surface.capsules.makeEncoder()
            encoder.outputFormatting.insert(.sortedKeys)
            let user = String(decoding: try encoder.encode(signedIn.user), as: UTF8.self)
            #expect(
                user == """
                    {"created_at":"2026-06-01T12:00:00.123456Z","email":"ada@example.org","id":"\(signedIn.user.id)","is_pro_user":false,"name":null,"outside_engines":true,"time_zone":null}
                    """)
            let whole = String(decoding: try encoder.encode(signedIn), as: UTF8.self)
            #expect(
                whole == """
                    {"token":{"access_token":"\(signedIn.token.accessToken)","expires_at":"2026-06-01T13:00:00.000000Z",\
                    "refresh_token":"\(signedIn.token.refreshToken)"},"user":\(user)}
                    """)
        }
    }

    @Test(
        arguments: [
            "", "ada", "@", "ada@", "@example.org", "a@b@c", "ada@.", "ada@example..org", "ada@.example.org", "ada lovelace@example.org",
            "ada@exam ple.org", "ada\u{7}@example.org",
            "ada\n@example.org",
            "ada\u{0}@example.org", "ada\u{200B}@example.org", "ada\u{202E}@example.org", "ada\u{A0}@example.org", "\u{7F}@example.org",
            String(repeating: "a", count: 243) + "@example.org", String(repeating: "é", count: 122) + "@example.org",
        ], Engine.allCases)
    func `what is no e-mail address is refused and makes nothing`(_ email: String, _ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let refused = await problem { try await home.signUp(email) }
            #expect(refused?.kind == .invalid)
            #expect(refused?.field == "email")
            let accounts = try await home.count("SELECT COUNT(*) AS n FROM account")
            #expect(accounts == 0)
        }
    }

    @Test(
        arguments: [
            "a@b", "ada+tag@example.org", String(repeating: "a", count: 242) + "@example.org", "ünï@exämple.org", "';drop--@x",
        ], Engine.allCases)
    func `unusual e-mail addresses are taken`(_ email: String, _ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp(email)
            #expect(signedIn.user.email == email)
        }
    }

    @Test(arguments: Engine.allCases) func `two spellings of one address are one account`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            #expect(try await home.signUp("  Ada@Example.ORG\n").user.email == "ada@example.org")
            for spelling in [
                "ada@example.org", "ADA@EXAMPLE.ORG", " ada@example.org", "ada@example.org.", "ada@example\u{3002}org",
                "ada@example\u{FF0E}org\u{FF61}",
            ] {
                let refused = await problem { try await home.signUp(spelling) }
                #expect(refused?.kind == .conflict)
                #expect(refused?.field == "email")
            }
            // É as one scalar, and as E with a combining accent.
            _ = try await home.signUp("\u{C9}ve@example.org")
            #expect(await problem { try await home.signUp("E\u{301}ve@example.org") }?.kind == .conflict)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM account") == 2)
        }
    }

    @Test(arguments: ["", "1234567", "\u{E9}\u{E9}\u{E9}", "secret\u{0}word", String(repeating: "x", count: 1_025)], Engine.allCases)
    func `a password outside of 8 to 1,024 bytes, or with a NUL, is refused`(_ password: String, _ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let refused = await problem { try await home.signUp(password: password) }
            #expect(refused?.kind == .invalid)
            #expect(refused?.field == "password")
            #expect(refused?.message.contains(password) != true || password.isEmpty)
        }
    }

    @Test(
        arguments: ["x7-kQm2!", "\u{E9}\u{E9}\u{E9}\u{E9}", String(repeating: "x", count: 1_024), "        ", "tab\tand\nline"],
        Engine.allCases)
    func `any other password is taken as it is`(_ password: String, _ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            _ = try await home.signUp(password: password)
            _ = try await home.feature.logIn(LoginInput(email: "ada@example.org", password: password))
        }
    }

    @Test(arguments: Engine.allCases) func `a name is trimmed, an empty one is unknown and a long one is refused`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine) { home in
            let ada = try await home.signUp("a@x", name: "  Ada Lovelace ")
            #expect(ada.user.name == "Ada Lovelace")
            #expect(try await home.signUp("b@x", name: "").user.name == nil)
            #expect(try await home.signUp("c@x", name: " \t").user.name == nil)
            #expect(try await home.signUp("d@x", name: String(repeating: "é", count: 200)).user.name?.count == 200)
            for name in [String(repeating: "n", count: 201), "a\u{0}b"] {
                let refused = await problem { try await home.signUp("e@x", name: name) }
                #expect(refused?.kind == .invalid)
                #expect(refused?.field == "name")
            }
        }
    }

    @Test(arguments: Engine.allCases) func `a registration has a time zone by its IANA name, and any other name is refused`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine) { home in
            func signUp(_ email: String, _ zone: String?) async throws -> User {
                try await home.feature.register(RegisterInput(email: email, password: "correct horse", timeZone: zone)).user
            }
            let ada = try await signUp("a@x", "America/New_York")
            #expect(ada.timeZone == "America/New_York")
            #expect(try await home.feature.timeZone(of: ada.id).identifier == "America/New_York")
            #expect(try await signUp("b@x", nil).timeZone == nil)
            // `PATCH /user/me` refuses the same names.
            for wrong in ["EST", "Mars/Olympus", "", "europe/berlin", "+02:00", String(repeating: "a/", count: 40)] {
                let refused = await problem { try await signUp("c@x", wrong) }
                #expect(refused?.kind == .invalid && refused?.field == "time_zone", "\(wrong)")
            }
            #expect(try await home.count("SELECT COUNT(*) AS n FROM account") == 2)
        }
    }

    @Test(arguments: [AccountsSettings.Registration.invite, .closed], Engine.allCases)
    func `where registration is not open nobody registers`(_ registration: AccountsSettings.Registration, _ engine: Engine) async throws {
        try await AccountsHome.run(engine, registration: registration) { home in
            #expect(await problem { try await home.signUp() }?.kind == .forbidden)
            let accounts = try await home.count("SELECT COUNT(*) AS n FROM account")
            #expect(accounts == 0)
        }
    }

    @Test(arguments: Engine.allCases) func `of 16 who register one address at once one succeeds, and nothing is left of the others`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine) { home in
            let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        do {
                            _ = try await home.signUp()
                            return true
                        } catch let problem as Problem where problem.kind == .conflict {
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(made == 1)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM account") == 1)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session") == 1)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM refresh_token") == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `neither the password nor a token is stored`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp(password: "canary-password")
            let rows = try await home.database.read { tx in
                try tx.rows("SELECT password_hash FROM account").map { try $0.get("password_hash", as: String.self) }
                    + tx.rows("SELECT hash FROM refresh_token").map { try $0.get("hash", as: String.self) }
            }
            #expect(rows.count == 2)
            #expect(rows.allSatisfy { !$0.contains("canary") && !$0.contains(signedIn.token.refreshToken) })
            #expect(rows[0].hasPrefix("$scrypt$ln=4,r=8,p=1$"))
        }
    }
}
