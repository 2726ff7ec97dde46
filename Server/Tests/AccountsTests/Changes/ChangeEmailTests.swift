import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing
import Web

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

@Suite("POST /auth/email/change and /auth/email/confirm")
struct ChangeEmailTests {
    @Test("a code goes to the new address, and the account has that address once the code is confirmed", arguments: Engine.allCases)
    func changed(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            let server = world.server
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            let asked = try await world.changeEmail(" New@Example.org ", as: ada)
            #expect(asked.status == 200 && asked.text == "{}", "\(asked.text)")
            let letter = try await world.mail(1)
            let code = try #require(letter.code)
            #expect(letter.to == ["new@example.org"])
            #expect(!letter.text.contains(ada.id) && !letter.text.contains("ada@example.org") && !letter.text.contains("horse"))
            let letters = code.filter { $0 != "-" }
            let stored = try await server.backend.database.read { tx in
                try tx.rows("SELECT * FROM email_change").map { "\($0)" } + tx.rows("SELECT payload FROM job").map { "\($0)" }
            }
            #expect(stored.contains { $0.contains("new@example.org") } && !stored.contains { $0.contains(letters) || $0.contains(code) })
            #expect(try await world.email(of: ada) == "ada@example.org")
            #expect(try await world.logIn("new@example.org").status == 401)

            // The server mails a password reset code to the old address. It is refused below, after the change.
            #expect(try await server.post("/auth/password/forgot", ["email": "ada@example.org"]).status == 200)
            let reset = try #require(try await world.mail(2).code)

            let typed = code.lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing("1", with: "l")
            let done = try await world.confirm(typed, as: ada)
            let user = try done.json()
            #expect(done.status == 200 && user["email"] as? String == "new@example.org" && user["id"] as? String == ada.id, "\(done.text)")
            #expect(user["usage"] is [String: Any])
            let notice = try await world.mail(3)
            #expect(notice.to == ["ada@example.org"] && !notice.text.contains("new@example.org"))
            #expect(notice.text.contains("another e-mail address"))
            #expect(try await world.email(of: ada) == "new@example.org")
            #expect(try await world.logIn("new@example.org").status == 200)
            #expect(try await world.logIn("ada@example.org").status == 401)
            #expect(try await server.post("/auth/password/reset", ["token": reset, "password": "third horse"]).status == 400)

            // A client repeats the request when it has lost the response.
            let again = try await world.confirm(code, as: ada)
            #expect(again.status == 200 && again.text.contains("new@example.org"))
            // The old address is free, and its new owner gets no mail about the change.
            #expect(try await server.signUp("ada", name: "Another Ada").person.id != ada.id)
            try await world.settle()
            #expect(world.mails.mails.count == 3)
        }
    }

    @Test("a code that was used for an earlier change does not bring the earlier address back", arguments: Engine.allCases)
    func usedOnce(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            let (ada, _) = try await world.server.signUp("ada", name: "Ada")
            #expect(try await world.changeEmail("one@example.org", as: ada).status == 200)
            let one = try #require(try await world.mail(1).code)
            #expect(try await world.confirm(one, as: ada).status == 200)
            _ = try await world.mail(2)
            #expect(try await world.changeEmail("two@example.org", as: ada).status == 200)
            let two = try #require(try await world.mail(3).code)
            #expect(try await world.confirm(two, as: ada).status == 200)
            #expect(try await world.confirm(one, as: ada).status == 400)
            #expect(try await world.email(of: ada) == "two@example.org")
        }
    }

    @Test("refusals change nothing and mail nothing", arguments: Engine.allCases)
    func refusals(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            let server = world.server
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            let (eve, _) = try await server.signUp("eve", name: "Eve")
            let wrong = try await world.changeEmail("new@example.org", "wrong horse", as: ada)
            let error = try wrong.json()["error"] as? String
            #expect(wrong.status == 403 && error == "wrong_password")
            let bodies: [([String: Any], String)] = [
                (["email": "new@example.org"], "password"), (["password": "correct horse"], "email"),
                (["email": "nobody", "password": "correct horse"], "email"),
                (["email": "Ada@example.org", "password": "correct horse"], "already"),
                (["email": "new@example.org", "password": "a\0b"], "password"),
            ]
            for (body, word) in bodies {
                let answer = try await server.post("/auth/email/change", body, as: ada)
                #expect(answer.status == 400 && answer.text.contains(word), "\(word): \(answer.text)")
            }
            #expect(try await server.post("/auth/email/change", ["email": "new@example.org", "password": "correct horse"]).status == 401)
            let passwordless = try await server.person("passwordless")
            #expect(try await world.changeEmail("new@example.org", as: passwordless).status == 409)
            try await world.settle()
            #expect(world.mails.mails.isEmpty)

            #expect(try await world.changeEmail("new@example.org", as: ada).status == 200)
            let code = try #require(try await world.mail(1).code)
            let refused = try await world.confirm("00000-00000-00000-00000", as: ada)
            for (text, person) in [(code, eve), ("nonsense", ada), ("", ada)] {
                let answer = try await world.confirm(text, as: person)
                #expect(answer.status == 400 && answer.text == refused.text, "\(text)")
            }
            #expect(try await server.post("/auth/email/confirm", ["code": code]).status == 401)
            #expect(try await server.post("/auth/email/confirm", [:], as: ada).text.contains("code"))
            server.clock.advance(by: .hours(1))
            let again = try world.person(try await world.logIn("ada@example.org"))
            #expect(try await world.confirm(code, as: again).status == 400)
            #expect(try await world.email(of: again) == "ada@example.org")
        }
    }

    @Test(
        "whether an address has an account is told only by a mail to it, and a code comes too late for a taken address",
        arguments: Engine.allCases)
    func taken(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            let server = world.server
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            _ = try await server.signUp("eve", name: "Eve")
            let asked = try await world.changeEmail("eve@example.org", as: ada)
            #expect(asked.status == 200 && asked.text == "{}")
            let told = try await world.mail(1)
            #expect(told.to == ["eve@example.org"] && told.code == nil && told.text.contains("Another account there has this address"))
            #expect(!told.text.contains("ada@example.org"))

            #expect(try await world.changeEmail("late@example.org", as: ada).status == 200)
            let code = try #require(try await world.mail(2).code)
            _ = try await server.signUp("late", name: "Late")
            let answer = try await world.confirm(code, as: ada)
            #expect(answer.status == 409, "\(answer.text)")
            #expect(try await world.email(of: ada) == "ada@example.org")
            #expect(try await world.logIn("late@example.org").status == 200)
        }
    }

    @Test("an account gets five codes an hour, and an address 20 of all accounts", arguments: Engine.allCases)
    func limits(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            let server = world.server
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            for number in 0..<5 { #expect(try await world.changeEmail("a\(number)@example.org", as: ada).status == 200) }
            let refused = try await world.changeEmail("a5@example.org", as: ada)
            #expect(refused.status == 429 && refused.header("Retry-After") == "3600")
            let (eve, _) = try await server.signUp("eve", name: "Eve")
            for number in 0..<6 { #expect(try await world.changeEmail("new@example.org", as: eve).status == (number < 5 ? 200 : 429)) }
            // Eve has used up the limit of her account, but not that of the address.
            let (bob, _) = try await server.signUp("bob", name: "Bob")
            #expect(try await world.changeEmail("new@example.org", as: bob).status == 200)
            let now = server.clock.now
            let hash = String(repeating: "h", count: 43)
            try await server.backend.database.write { tx in
                for number in 6..<EmailRules.addressLimit {
                    let code = NewCode(id: "c\(number)", hash: hash, createdAt: now, expiresAt: now + .hours(1))
                    try tx.run(AccountStore.insertEmailChange(NewEmailChange(code: code, account: eve.id, email: "new@example.org")))
                }
            }
            #expect(try await world.changeEmail("new@example.org", as: bob).status == 429)
            try await world.settle()
            #expect(world.mails.mails.count == 11)
            server.clock.advance(by: .hours(1))
            let again = try world.person(try await world.logIn("ada@example.org"))
            #expect(try await world.changeEmail("a5@example.org", as: again).status == 200)
        }
    }

    @Test("without a mail server the address cannot be changed", arguments: Engine.allCases)
    func noMail(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            let answer = try await server.post("/auth/email/change", ["email": "new@example.org", "password": "correct horse"], as: ada)
            #expect(answer.status == 403 && answer.text.contains("sends no mail"), "\(answer.text)")
        }
    }

    @Test("expired codes are deleted, and so are those of a deleted account", arguments: Engine.allCases)
    func deleted(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            let server = world.server
            @Sendable func count() async throws -> Int {
                try await server.backend.database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM email_change")?.get("n") ?? -1 }
            }
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            let (eve, _) = try await server.signUp("eve", name: "Eve")
            for person in [ada, eve] { #expect(try await world.changeEmail("new@example.org", as: person).status == 200) }
            #expect(try await count() == 2)
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            #expect(try await count() == 1)
            server.clock.advance(by: .hours(1) + .seconds(1))
            try await server.backend.accounts.upkeep()
            #expect(try await count() == 0)
        }
    }
}
