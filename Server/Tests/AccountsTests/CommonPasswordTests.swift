import Core
import Database
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts

@Suite("Common passwords")
struct CommonPasswordTests {
    @Test func `the list has 10,000 different passwords in lower case that pass the minimum length, and one licence`() {
        let list = CommonPasswords.list.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(list.count == 10_000 && Set(list).count == 10_000)
        #expect(list.allSatisfy { $0 == $0.lowercased() && $0.utf8.count >= AccountRules.passwordByteCounts.lowerBound })
    }

    @Test func `passwords of the list are refused in upper and lower case, and others are not`() throws {
        for common in ["password", "12345678", "iloveyou", "qwertyuiop", "PassWord1", "TRUSTNO1", "1qaz2wsx"] {
            let refused = #expect(throws: Problem.self) { try AccountRules.newPassword(common) }
            #expect(refused?.field == "password" && refused?.message.contains("common") == true, "\(common)")
        }
        for other in ["correct horse", "password ", "pass word", "iloveyouiloveyou!", "pässword"] {
            #expect(throws: Never.self) { try AccountRules.newPassword(other) }
        }
    }

    @Test(arguments: Engine.allCases)
    func `registration and the operator's new password refuse them, and an account that has one signs in as before`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine) { home in
            #expect(await problem { try await home.signUp(password: "Iloveyou") }?.field == "password")
            #expect(try await home.count("SELECT COUNT(*) AS n FROM account") == 0)
            _ = try await home.signUp()
            let refused = await problem { try await home.feature.setPassword("sunshine", email: "ada@example.org") }
            #expect(refused?.message.contains("common") == true)
            let old = try PasswordHash(of: Secret(Array("sunshine".utf8)), cost: .forTests, salt: Entropy.system.bytes(16)).stored
            _ = try await home.database.write { tx in try tx.run("UPDATE account SET password_hash = \(old.exposed)") }
            let signedIn = try await home.feature.logIn(LoginInput(email: "ada@example.org", password: "sunshine"))
            #expect(signedIn.user.email == "ada@example.org")
        }
    }
}
