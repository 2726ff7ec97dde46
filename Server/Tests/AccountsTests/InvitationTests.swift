import Core
import Database
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts

@Suite("Invitations")
struct InvitationTests {
    private func register(
        _ home: AccountsHome, _ invite: String?, email: String = "ada@example.org", password: String = "correct horse"
    ) async throws -> SignedIn {
        try await home.feature.register(RegisterInput(email: email, password: password, invite: invite))
    }

    private func refusal(_ home: AccountsHome, _ invite: String?, email: String = "eve@example.org", password: String = "correct horse")
        async -> Problem?
    {
        await problem { try await register(home, invite, email: email, password: password) }
    }

    private func code(_ home: AccountsHome, email: String? = nil, _ lifetime: Duration = .days(7)) async throws -> String {
        try await home.feature.invite(email: email, lifetime: lifetime).code
    }

    private func accounts(_ home: AccountsHome) async throws -> Int { try await home.count("SELECT COUNT(*) AS n FROM account") }

    @Test(arguments: Engine.allCases) func `a code makes one account, however it is typed`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine, registration: .invite) { home in
            let first = try await code(home)
            #expect(first.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}/) != nil)
            let typed = " " + first.lowercased().replacing("-", with: "").replacing("0", with: "O").replacing("1", with: "l") + "\n"
            let ada = try await register(home, typed)
            #expect(try await home.viewer(ada.token).accountID == ada.user.id)
            #expect(await refusal(home, first) == InvitationRules.problem(.used(account: "")))
            #expect(try await accounts(home) == 1)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session") == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `without one, with a wrong or an expired one, nothing is kept and it is said why`(
        _ engine: Engine
    )
        async throws
    {
        try await AccountsHome.run(engine, registration: .invite) { home in
            for missing in [nil, "", " \t"] {
                let refused = await refusal(home, missing)
                #expect(refused?.kind == .forbidden && refused?.field == "invite")
                #expect(refused?.message.contains("invitation") == true)
            }
            let unknown = InvitationRules.problem(.unknown)
            for wrong in ["x", "00000-00000-00000-00000", String(repeating: "A", count: 10_000), "U0000-00000-00000-00000", "é"] {
                #expect(await refusal(home, wrong) == unknown, "\(wrong.prefix(30))")
            }
            let short = try await code(home, .hours(1))
            home.clock.advance(by: .hours(1))
            #expect(await refusal(home, short) == InvitationRules.problem(.expired))
            home.clock.advance(by: .days(31))
            try await home.feature.upkeep()
            #expect(await refusal(home, short) == unknown)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM invitation") == 0)
            #expect(try await accounts(home) == 0)
        }
    }

    @Test(arguments: Engine.allCases) func `one for an address is for that address, which is not stored`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine, registration: .invite) { home in
            let code = try await code(home, email: "Ada@Example.org")
            #expect(await refusal(home, code) == InvitationRules.problem(.forAnother))
            let stored = try await home.database.read { tx in
                try tx.rows("SELECT hash, email_hash FROM invitation").flatMap {
                    [try $0.get("hash", as: String.self), try $0.get("email_hash", as: String.self)]
                }
            }
            #expect(stored.count == 2 && !stored.contains { $0.contains("ada") || $0.contains(code) })
            #expect(try await register(home, code).user.email == "ada@example.org")
            // A caller with another address does not learn that the code was used.
            #expect(await refusal(home, code) == InvitationRules.problem(.forAnother))
            let wrong = await problem { try await home.feature.invite(email: "no address", lifetime: .days(1)) }
            #expect(wrong?.field == "email")
            let long = await problem { try await home.feature.invite(email: nil, lifetime: .days(366)) }
            #expect(long?.field == "expires")
        }
    }

    @Test(arguments: Engine.allCases) func `what is refused for another reason does not use it up`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine, registration: .invite) { home in
            let (first, second) = (try await code(home), try await code(home))
            #expect(await refusal(home, first, password: "short")?.field == "password")
            #expect(await refusal(home, first, email: "none")?.field == "email")
            _ = try await register(home, first)
            #expect(await refusal(home, second, email: "ada@example.org")?.kind == .conflict)
            #expect(try await register(home, second, email: "eve@example.org").user.email == "eve@example.org")
            #expect(try await accounts(home) == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `a retry after a lost answer signs in, and only whoever knows the password`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine, registration: .invite) { home in
            let code = try await code(home)
            let lost = try await register(home, code)
            home.clock.advance(by: .minutes(5))
            let again = try await register(home, code)
            #expect(again.user == lost.user)
            #expect(try await home.viewer(again.token).accountID == lost.user.id)
            #expect(try await accounts(home) == 1)
            let used = InvitationRules.problem(.used(account: ""))
            #expect(await refusal(home, code, email: "ada@example.org", password: "wrong horse") == used)
            #expect(await refusal(home, code) == used)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session") == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `used by many at once it makes one account, and theirs alone is signed in`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine, registration: .invite) { home in
            let code = try await code(home)
            let made = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        do {
                            return try await register(home, code, email: "racer\(number % 8)@example.org").user.email
                        } catch let problem as Problem where problem.kind == .forbidden {
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: [String]()) { if let email = $1 { $0.append(email) } }
            }
            // One address gets the account. Each address is tried twice, and the second attempt with that address may succeed as well.
            #expect(Set(made).count == 1 && 1...2 ~= made.count)
            #expect(try await accounts(home) == 1)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session") == made.count)
        }
    }

    @Test(arguments: Engine.allCases) func `where everybody may register a code is not asked for, and where nobody may none helps`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine, registration: .open) { home in
            _ = try await register(home, "whatever")
        }
        try await AccountsHome.run(engine, registration: .closed) { home in
            let refused = await refusal(home, try await code(home))
            #expect(refused?.kind == .forbidden && refused?.message.contains("Registration is closed") == true)
            #expect(try await accounts(home) == 0)
        }
    }

    @Test func `a code has a hundred bits and is printed as dots`() {
        #expect(OneTimeCode(bytes: [UInt8](repeating: 0xFF, count: 13)).text == "ZZZZZ-ZZZZZ-ZZZZZ-ZZZZZ")
        #expect(OneTimeCode(bytes: [UInt8](repeating: 0, count: 32)).text == "00000-00000-00000-00000")
        #expect(OneTimeCode(bytes: [0x08] + [UInt8](repeating: 0, count: 12)).text == "10000-00000-00000-00000")
        var codes: Set<String> = []
        for _ in 0..<1_000 {
            let code = OneTimeCode(entropy: .system)
            #expect(OneTimeCode(presented: code.text) == code)
            codes.insert(code.hash)
        }
        #expect(codes.count == 1_000)
        #expect("\(OneTimeCode(entropy: .system))" == "•••")
    }
}
