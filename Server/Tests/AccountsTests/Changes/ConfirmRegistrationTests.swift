import Core
import Database
import Foundation
import HTTPServer
import KeepsakeWire
import TestKit
import Testing
import Web

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

@Suite("Registrations that need a code from a mail")
struct ConfirmRegistrationTests {
    @Test("there is no account before the code is confirmed, and afterwards it signs in", arguments: Engine.allCases)
    func confirmed(_ engine: Engine) async throws {
        try await MailServer.run(engine) {
            $0.confirmsEmail = true
        } _: { world in
            let server = world.server
            let held = try await world.register("Ada@Example.org", name: "Ada")
            let json = try held.json()
            #expect(held.status == 403 && json["error"] as? String == "confirm_email", "\(held.text)")
            #expect(try await world.logIn("ada@example.org").status == 401)
            let letter = try await world.mail(1)
            let code = try #require(letter.code)
            #expect(letter.to == ["ada@example.org"] && !letter.text.contains("horse"))
            let letters = code.filter { $0 != "-" }
            let stored = try await server.backend.database.read { tx in
                try tx.rows("SELECT * FROM registration").map { "\($0)" } + tx.rows("SELECT payload FROM job").map { "\($0)" }
            }
            #expect(stored.contains { $0.contains("ada@example.org") } && !stored.contains { $0.contains(letters) || $0.contains("horse") })

            // With another password than that of the registration, the code is refused but not used up.
            let wrong = try await world.confirmRegistration(code, "wrong horse")
            let unknown = try await world.confirmRegistration("00000-00000-00000-00000")
            #expect(wrong.status == 400 && wrong.text == unknown.text)

            let typed = code.lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing("1", with: "l")
            let done = try await world.confirmRegistration(typed)
            #expect(done.status == 200 && done.header("Set-Cookie")?.contains("keepsake-device") == true, "\(done.text)")
            let ada = try world.person(done)
            #expect(try await world.email(of: ada) == "ada@example.org")
            #expect(try await server.send("GET", "/user/me", as: ada).json()["name"] as? String == "Ada")
            #expect(try world.person(try await world.logIn("ada@example.org")).id == ada.id)

            let again = try await world.confirmRegistration(code)
            #expect(again.status == 400 && again.text == unknown.text)
            try await world.settle()
            #expect(world.mails.mails.count == 1)
            #expect(try await world.registrations() == 0)
        }
    }

    @Test("an address that has an account gets the same response, and a mail without a code", arguments: Engine.allCases)
    func taken(_ engine: Engine) async throws {
        try await MailServer.run(engine) {
            $0.confirmsEmail = true
        } _: { world in
            let ada = try await world.member("ada@example.org")
            let free = try await world.register("new@example.org")
            let code = try #require(try await world.mail(2).code)
            let taken = try await world.register("ada@example.org", "another horse")
            #expect(taken.status == free.status && taken.text == free.text)
            let told = try await world.mail(3)
            #expect(told.to == ["ada@example.org"] && told.code == nil && told.text.contains("has an account there already"))
            #expect(try world.person(try await world.logIn("ada@example.org")).id == ada.id)
            #expect(try await world.logIn("ada@example.org", "another horse").status == 401)

            // Somebody else gets the address before the code is used.
            _ = try await world.server.person("new")
            #expect(try await world.confirmRegistration(code).status == 409)
        }
    }

    @Test("an expired code is refused, and of two registrations of an address each has its own password", arguments: Engine.allCases)
    func codes(_ engine: Engine) async throws {
        try await MailServer.run(engine) {
            $0.confirmsEmail = true
        } _: { world in
            _ = try await world.register("ada@example.org")
            let old = try #require(try await world.mail(1).code)
            world.server.clock.advance(by: .hours(1))
            #expect(try await world.confirmRegistration(old).status == 400)

            _ = try await world.register("ada@example.org", "stranger horse")
            let strange = try #require(try await world.mail(2).code)
            _ = try await world.register("ada@example.org")
            let own = try #require(try await world.mail(3).code)
            #expect(try await world.confirmRegistration(strange).status == 400)
            let ada = try world.person(try await world.confirmRegistration(own))
            // The account has used up every code of the address.
            #expect(try await world.confirmRegistration(strange, "stranger horse").status == 400)
            #expect(try await world.email(of: ada) == "ada@example.org")
            for code in ["nonsense", ""] { #expect(try await world.confirmRegistration(code).status == 400) }
        }
    }

    @Test(
        "another code is mailed only for a registration that waits, and a network gets five an hour for an address",
        arguments: Engine.allCases)
    func limits(_ engine: Engine) async throws {
        try await MailServer.run(engine) {
            $0.confirmsEmail = true
        } _: { world in
            _ = try await world.register("ada@example.org")
            _ = try await world.mail(1)
            let waiting = try await world.resend("ADA@example.org")
            #expect(waiting.status == 200 && waiting.text == "{}")
            let second = try #require(try await world.mail(2).code)
            let unknown = try await world.resend("nobody@example.org")
            #expect(unknown.status == 200 && unknown.text == waiting.text)
            for _ in 0..<5 { #expect(try await world.resend("ada@example.org").status == 200) }
            try await world.settle()
            #expect(world.mails.mails.count == 5 && world.mails.mails.allSatisfy { $0.to == ["ada@example.org"] })
            let more = try await world.register("ada@example.org")
            #expect(more.status == 429 && more.header("Retry-After") != nil, "\(more.text)")
            #expect(try await world.confirmRegistration(second).status == 200)
            // No registration waits any more, so the server mails no code.
            #expect(try await world.resend("ada@example.org").status == 200)
            try await world.settle()
            #expect(world.mails.mails.count == 5)
        }
    }

    @Test("a stranger's registrations of an address neither prevent nor replace its owner's", arguments: Engine.allCases)
    func strangers(_ engine: Engine) async throws {
        try await MailServer.run(engine) {
            $0.confirmsEmail = true
            $0.trustedProxies = .init("127.0.0.1")!
        } _: { world in
            let (email, own) = ("ada@example.org", "192.0.2.1")
            // The networks of one IPv6 site count as one.
            for number in 1...6 {
                let answer = try await world.register(email, "stranger horse", from: "2001:db8:1:\(number)::1")
                #expect(answer.status == (number < 6 ? 403 : 429), "\(answer.text)")
            }
            try await world.settle()
            #expect(try await world.register(email, from: own).text.contains("confirm_email"))
            try await world.settle()
            // The owner's network gets the code of the owner's registration, although the stranger's latest one is newer.
            world.server.clock.advance(by: .seconds(1))
            #expect(try await world.register(email, "stranger horse", from: "192.0.2.2").text.contains("confirm_email"))
            try await world.settle()
            #expect(world.mails.mails.count == 7)
            #expect(try await world.resend(email, from: own).status == 200)
            let code = try #require(try await world.mail(8).code)
            // For a network that has not registered the address, the server sends the code of the newest registration of all.
            world.server.clock.advance(by: .seconds(1))
            #expect(try await world.register(email, "stranger horse", from: "192.0.2.2").text.contains("confirm_email"))
            try await world.settle()
            #expect(try await world.resend(email, from: "192.0.2.3").status == 200)
            let strange = try #require(try await world.mail(10).code)
            #expect(try await world.confirmRegistration(strange).status == 400)
            // All networks together also have a limit for one address.
            for number in 11...RegistrationRules.addressLimit {
                let answer = try await world.register(email, "stranger horse", from: "198.51.100.\(number)")
                #expect(answer.text.contains("confirm_email"), "\(answer.text)")
            }
            #expect(try await world.register(email, "stranger horse", from: "203.0.113.1").status == 429)
            let ada = try world.person(try await world.confirmRegistration(code))
            #expect(try await world.email(of: ada) == email)
        }
    }

    @Test("the account has the time zone of the registration, whichever of its codes confirms it", arguments: Engine.allCases)
    func timeZone(_ engine: Engine) async throws {
        try await MailServer.run(engine) {
            $0.confirmsEmail = true
        } _: { world in
            func zone(_ confirmed: TestServer.Answer) async throws -> String? {
                try await world.server.send("GET", "/user/me", as: world.person(confirmed)).json()["time_zone"] as? String
            }
            let wrong = try await world.register("ada@example.org", timeZone: "Mars/Olympus")
            #expect(wrong.status == 400 && wrong.text.contains("time_zone"), "\(wrong.text)")
            _ = try await world.register("ada@example.org", timeZone: "Asia/Tokyo")
            let first = try #require(try await world.mail(1).code)
            #expect(try await zone(world.confirmRegistration(first)) == "Asia/Tokyo")
            _ = try await world.register("eve@example.org", timeZone: "America/New_York")
            _ = try await world.mail(2)
            _ = try await world.resend("eve@example.org")
            let second = try #require(try await world.mail(3).code)
            #expect(try await zone(world.confirmRegistration(second)) == "America/New_York")
        }
    }

    @Test("an invitation is used by the confirmation, not by the registration", arguments: Engine.allCases)
    func invited(_ engine: Engine) async throws {
        try await MailServer.run(engine) {
            $0.confirmsEmail = true
            $0.registration = .invite
        } _: { world in
            let invitation = try await world.server.backend.accounts.invite(email: nil, lifetime: .hours(24))
            #expect(try await world.register("ada@example.org").status == 403)
            let held = try await world.register("ada@example.org", invite: invitation.code)
            #expect(held.text.contains("confirm_email"), "\(held.text)")
            // The second registration waits for the mail of the first one, since mails may overtake each other.
            let ada = try #require(try await world.mail(1).code)
            _ = try await world.register("eve@example.org", invite: invitation.code)
            let eve = try #require(try await world.mail(2).code)
            #expect(try await world.confirmRegistration(ada).status == 200)
            let late = try await world.confirmRegistration(eve)
            #expect(late.status == 403 && late.text.contains("has been used"), "\(late.text)")
            #expect(try await world.logIn("eve@example.org").status == 401)
        }
    }

    @Test("after registration was closed, only a registration with an invitation is confirmed", arguments: Engine.allCases)
    func closed(_ engine: Engine) async throws {
        try await MailServer.run(engine) {
            $0.confirmsEmail = true
            $0.registration = .closed
        } _: { world in
            let (database, now) = (world.server.backend.database, world.server.clock.now)
            // The server stored such registrations before the operator closed registration.
            func hold(_ email: String, _ invitation: PresentedInvitation?) async throws -> String {
                let code = OneTimeCode(entropy: .system)
                let hash = try PasswordHash(of: Secret(Array("correct horse".utf8)), cost: .forTests, salt: Entropy.system.bytes(16))
                let new = NewCode(id: email, hash: code.hash, createdAt: now, expiresAt: now + .hours(1))
                let form = RegistrationForm(email: email, name: nil, passwordHash: hash.stored, invitation: invitation)
                _ = try await database.write { tx in try tx.run(AccountStore.insertRegistration(new, form, askedBy: nil)) }
                return code.text
            }
            let uninvited = try await hold("ada@example.org", nil)
            let refused = try await world.confirmRegistration(uninvited)
            #expect(refused.status == 403 && refused.text.contains("Registration is closed"), "\(refused.text)")
            #expect(try await world.logIn("ada@example.org").status == 401)
            let invitation = try await world.server.backend.accounts.invite(email: nil, lifetime: .hours(24))
            let code = try #require(OneTimeCode(presented: invitation.code))
            let invited = try await hold("eve@example.org", PresentedInvitation(code, email: "eve@example.org"))
            #expect(try await world.confirmRegistration(invited).status == 200)
        }
    }

    @Test("without the setting, a registration creates its account at once and no code is taken", arguments: Engine.allCases)
    func off(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            #expect(try await world.register("ada@example.org").status == 200)
            #expect(try await world.confirmRegistration("00000-00000-00000-00000").status == 403)
            #expect(try await world.resend("ada@example.org").status == 403)
            try await world.settle()
            #expect(world.mails.mails.isEmpty)
            #expect(try await world.registrations() == 0)
        }
    }

    @Test("a registration is deleted some time after its code has expired")
    func swept() async throws {
        try await MailServer.run(.sqlite) {
            $0.confirmsEmail = true
        } _: { world in
            _ = try await world.register("ada@example.org")
            _ = try await world.mail(1)
            try await world.server.backend.accounts.upkeep()
            #expect(try await world.registrations() == 1)
            world.server.clock.advance(by: .hours(2))
            try await world.server.backend.accounts.upkeep()
            #expect(try await world.registrations() == 0)
        }
    }
}

extension MailServer {
    fileprivate func register(
        _ email: String, _ password: String = "correct horse", name: String? = nil, invite: String? = nil, timeZone: String? = nil,
        from address: String? = nil
    ) async throws -> TestServer.Answer {
        var body = ["email": email, "password": password]
        body["name"] = name
        body["invite"] = invite
        body["time_zone"] = timeZone
        return try await post("/auth/password/register", body, from: address)
    }

    fileprivate func confirmRegistration(_ code: String, _ password: String = "correct horse") async throws -> TestServer.Answer {
        try await server.post("/auth/password/register/confirm", ["code": code, "password": password])
    }

    fileprivate func resend(_ email: String, from address: String? = nil) async throws -> TestServer.Answer {
        try await post("/auth/password/register/resend", ["email": email], from: address)
    }

    private func post(_ path: String, _ body: [String: String], from address: String?) async throws -> TestServer.Answer {
        let headers = [("Content-Type", "application/json")] + (address.map { [("X-Forwarded-For", $0)] } ?? [])
        return try await server.send("POST", path, headers: headers, body: try JSONSerialization.data(withJSONObject: body))
    }

    /// Registers an account, and confirms it with the code in the next mail.
    fileprivate func member(_ email: String) async throws -> TestServer.Person {
        let count = mails.mails.count
        _ = try await register(email)
        return try person(try await confirmRegistration(try #require(try await mail(count + 1).code)))
    }

    fileprivate func registrations() async throws -> Int {
        try await server.backend.database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM registration")?.get("n") ?? -1 }
    }
}
