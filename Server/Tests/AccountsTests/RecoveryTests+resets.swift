import Accounts
import Core
import Database
import Foundation
import Synchronization
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// Resets of a password.
extension RecoveryTests {
    private func subjects(_ reset: [String: Any]) -> [String] {
        (reset["recent_identities"] as? [[String: Any]] ?? []).compactMap { $0["subject"] as? String }
    }

    private func reset(_ server: TestServer, keeping: Bool? = nil) async throws -> TestServer.Answer {
        let code = try await server.backend.accounts.issueReset(email: "ada@example.org", lifetime: .hours(1)).code
        var body: [String: Any] = ["token": code, "password": "correct horse"]
        body["keep_identities"] = keeping
        return try await server.post("/auth/password/reset", body)
    }

    /// Something that an intruder with an access token adds, and a check whether it still gives access to the account.
    struct Intrusion: Sendable {
        let name: String
        let add: @Sendable (TestServer, IssuerStandIn, TestServer.Person) async throws -> @Sendable () async throws -> Bool
    }

    private static func isIn(_ server: TestServer, _ person: TestServer.Person, _ header: (String, String)) async throws -> Bool {
        let answer = try await server.send("GET", "/user/me", headers: [header])
        guard answer.status == 200 else { return false }
        return try answer.json()["id"] as? String == person.id
    }

    private static func link(_ server: TestServer, _ kind: IssuerStandIn.Issuer, _ standIn: IssuerStandIn, _ person: TestServer.Person)
        async throws -> String
    {
        let token = try IdentityForge(kind, standIn, server.clock, subject: "intruder").sign()
        let body = kind == .apple ? ["identity_token": token] : ["issuer": IdentityForge.issuer(kind, standIn), "id_token": token]
        let answer = try await server.post("/auth/link", body, as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return token
    }

    /// An account cannot add invitations: only the operator creates them.
    static let intrusions: [Intrusion] = [
        Intrusion(name: "the access token itself") { server, _, person in
            return { try await isIn(server, person, person.bearer) }
        },
        Intrusion(name: "a session by the password") { server, _, person in
            let answer = try await server.logIn("ada")
            let first = try #require((try answer.json()["token"] as? [String: String])?["refresh_token"])
            let newest = Mutex(first)
            return {
                let answer = try await server.refresh(newest.withLock { $0 })
                guard answer.status == 200, let next = try answer.json()["refresh_token"] as? String else { return false }
                newest.withLock { $0 = next }
                return true
            }
        },
        Intrusion(name: "a cookie of the token") { server, _, person in
            let cookie = try #require(try await server.send("POST", "/auth/session", as: person).json()["cookie"] as? String)
            return { try await isIn(server, person, ("Cookie", cookie)) }
        },
        Intrusion(name: "an Apple identity") { server, standIn, person in
            let token = try await link(server, .apple, standIn, person)
            return {
                let answer = try await server.post("/auth/apple", ["identity_token": token])
                return (try answer.json()["user"] as? [String: Any])?["id"] as? String == person.id
            }
        },
        Intrusion(name: "an identity whose tokens are bearers") { server, standIn, person in
            let token = try await link(server, .firebase, standIn, person)
            return { try await isIn(server, person, ("Authorization", "Bearer \(token)")) }
        },
        Intrusion(name: "a session by a linked identity") { server, standIn, person in
            let token = try await link(server, .oidc, standIn, person)
            let opened = try await server.post("/auth/oidc", ["issuer": IdentityForge.issuer(.oidc, standIn), "id_token": token])
            let access = try #require((try opened.json()["token"] as? [String: String])?["access_token"])
            return { try await isIn(server, person, ("Authorization", "Bearer \(access)")) }
        },
        Intrusion(name: "another name in paths") { server, standIn, person in
            _ = try await link(server, .apple, standIn, person)
            return { try await server.backend.accounts.isAccount(person.id, alsoKnownAs: "intruder") }
        },
        Intrusion(name: "the link of the calendar") { server, _, person in
            let answer = try await server.send("POST", "/calendar-link", as: person)
            let url = try #require(try answer.json()["url"] as? String, "\(answer.text)")
            let query = try #require(URL(string: url)?.query(), "\(url)")
            return { try await server.send("GET", "/calendar.ics?\(query)").status == 200 }
        },
        Intrusion(name: "a code for another reset") { server, _, _ in
            let code = try await server.backend.accounts.issueReset(email: "ada@example.org", lifetime: .days(7)).code
            return { try await server.post("/auth/password/reset", ["token": code, "password": "intruder's"]).status == 200 }
        },
    ]

    @Test("nothing an intruder added still works after a reset", arguments: Engine.allCases)
    func nothing(_ engine: Engine) async throws {
        try await run(engine) { server, standIn, _ in
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            server.clock.advance(by: .minutes(1))
            var added: [(name: String, works: @Sendable () async throws -> Bool)] = []
            for intrusion in Self.intrusions { added.append((intrusion.name, try await intrusion.add(server, standIn, ada))) }
            // Control: each intrusion works before the reset. A code works only once, so the control leaves it out.
            for (name, works) in added where !name.contains("code") { #expect(try await works(), "\(name)") }
            let answer = try await reset(server)
            #expect(answer.status == 200, "\(answer.text)")
            for (name, works) in added { #expect(try await !works(), "\(name)") }
            #expect(try await server.logIn("ada").status == 200)
        }
    }

    @Test("who links an identity and then changes the password has no way in after the owner's reset", arguments: Engine.allCases)
    func changed(_ engine: Engine) async throws {
        try await run(engine) { server, standIn, mails in
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            server.clock.advance(by: .minutes(1))
            let intruder = try person(try await server.logIn("ada"))
            let identity = try oidc(server, standIn, "intruder")
            #expect(try await server.post("/auth/link", identity, as: intruder).status == 200)
            for (old, new) in [("correct horse", "intruder's horse"), ("intruder's horse", "another horse")] {
                server.clock.advance(by: .seconds(1))
                let change = ["old_password": old, "new_password": new]
                let changed = try await server.post("/auth/password/change", change, as: intruder)
                // The owner would see the linked identity here too.
                let listed = try subjects(changed.json())
                #expect(changed.status == 200 && listed == ["intruder"], "\(changed.text)")
            }
            server.clock.advance(by: .seconds(1))
            let done = try await reset(server).json()
            #expect(done["removed"] as? Bool == true)
            #expect(subjects(done) == ["intruder"])
            // A sign-in with the identity now creates a new account.
            let back = try person(try await server.post("/auth/oidc", identity))
            #expect(back.id != ada.id)
            #expect(try await server.send("GET", "/user/me", as: intruder).status == 401)
            let owner = try person(try await server.logIn("ada"))
            #expect(owner.id == ada.id)
            let left = try identities(try await server.send("GET", "/auth/identities", as: owner))
            #expect(left.isEmpty)
            try await server.wait { mails.mails.count == 4 }
            let told = mails.mails.map(\.text).filter { $0.contains("(intruder)") && $0.contains("were removed") }
            #expect(told.count == 1)
        }
    }

    @Test("a phone number that a removed identity proved is no longer the account's", arguments: Engine.allCases)
    func phone(_ engine: Engine) async throws {
        try await run(engine) { server, standIn, _ in
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            func number() async throws -> String? {
                try await server.backend.database.read { tx in
                    try tx.row("SELECT phone FROM account WHERE id = \(ada.id)")?.get("phone", as: String?.self)
                }
            }
            func link(_ subject: String, _ phone: String, as person: TestServer.Person) async throws {
                server.clock.advance(by: .seconds(5))
                let forge = IdentityForge(.firebase, standIn, server.clock, subject: subject)
                forge.claims["phone_number"] = phone
                let identity = ["issuer": IdentityForge.issuer(.firebase, standIn), "id_token": try forge.sign()]
                #expect(try await server.post("/auth/link", identity, as: person).status == 200)
                #expect(try await number() == phone)
            }
            try await link("hers", "+14155550123", as: ada)
            #expect(try await reset(server, keeping: true).status == 200)
            #expect(try await number() == "+14155550123")
            try await link("intruder", "+14155550124", as: person(try await server.logIn("ada")))
            #expect(try await reset(server).status == 200)
            #expect(try await number() == nil)
        }
    }

    @Test(
        "a reset lists the identities linked since the last one, removes or keeps them as requested, and notifies the owner",
        arguments: Engine.allCases)
    func listed(_ engine: Engine) async throws {
        try await run(engine) { server, standIn, mails in
            // The account was created with this identity, so it is not the intruder's.
            let apple = IdentityForge(.apple, standIn, server.clock, subject: "hers")
            apple.claims["email"] = "ada@example.org"
            let ada = try person(try await server.post("/auth/apple", ["identity_token": try apple.sign()]))
            #expect(try await server.post("/auth/link", oidc(server, standIn, "kept"), as: ada).status == 200)
            server.clock.advance(by: .seconds(1))
            let kept = try await reset(server, keeping: true).json()
            #expect(kept["removed"] as? Bool == false)
            #expect(subjects(kept) == ["kept"])
            let again = try person(try await server.logIn("ada"))
            #expect(again.id == ada.id)
            #expect(try await server.post("/auth/link", oidc(server, standIn, "intruder"), as: again).status == 200)
            let removed = try await reset(server).json()
            #expect(removed["removed"] as? Bool == true)
            #expect(subjects(removed) == ["intruder"])
            let third = try person(try await server.logIn("ada"))
            let left = try identities(try await server.send("GET", "/auth/identities", as: third)).compactMap { $0["subject"] as? String }
            #expect(left.sorted() == ["hers", "kept"])
            try await server.wait { mails.mails.count == 4 }
            let told = mails.mails.filter { $0.text.contains("Your password was changed") }.map(\.text)
            #expect(told.count == 2 && Set(mails.mails.map(\.to)) == [["ada@example.org"]])
            let keeping = told.filter { $0.contains("(kept)") && $0.contains("still work") }
            let removing = told.filter { $0.contains("(intruder)") && $0.contains("were removed") }
            #expect(keeping.count == 1 && removing.count == 1, "\(told)")
            // The mail also lists the identities that remain.
            #expect(removing.first?.contains("(kept)") == true && removing.first?.contains("(ada@example.org)") == true, "\(told)")
            // The operator's reset also removes the identities that a reset by code has kept, because an intruder who changed the address
            // gets the codes.
            #expect(try await server.post("/auth/link", oidc(server, standIn, "intruder"), as: third).status == 200)
            let set = try await server.backend.accounts.setPassword("third horse", email: "ada@example.org")
            #expect(set.removedIdentities == 2 && set.endedSessions == 1)
        }
    }

    @Test("an identity that is linked or signs in during a password reset has no access afterwards", arguments: Engine.allCases)
    func race(_ engine: Engine) async throws {
        try await run(engine) { server, standIn, _ in
            _ = try await server.signUp("ada", name: "Ada")
            for round in 0..<6 {
                let intruder = try person(try await server.logIn("ada"))
                let linked = try oidc(server, standIn, "linked-\(round)")
                #expect(try await server.post("/auth/link", linked, as: intruder).status == 200)
                let late = try oidc(server, standIn, "late-\(round)")
                let code = try await server.backend.accounts.issueReset(email: "ada@example.org", lifetime: .hours(1)).code
                let opened = try await withThrowingTaskGroup(of: TestServer.Person?.self) { group in
                    for _ in 0..<3 {
                        group.addTask {
                            let answer = try await server.post("/auth/oidc", linked)
                            return answer.status == 200 ? try person(answer) : nil
                        }
                        group.addTask {
                            _ = try await server.post("/auth/link", late, as: intruder)
                            return nil
                        }
                    }
                    group.addTask {
                        let done = try await server.post("/auth/password/reset", ["token": code, "password": "correct horse"])
                        #expect(done.status == 200)
                        return nil
                    }
                    var opened: [TestServer.Person] = []
                    for try await one in group { if let one { opened.append(one) } }
                    return opened
                }
                for one in opened where one.id == intruder.id {
                    #expect(try await server.send("GET", "/user/me", as: one).status == 401, "round \(round)")
                }
                let back = try person(try await server.logIn("ada"))
                let left = try identities(try await server.send("GET", "/auth/identities", as: back))
                #expect(left.isEmpty, "round \(round)")
            }
        }
    }
}
