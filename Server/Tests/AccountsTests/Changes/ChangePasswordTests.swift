import Core
import Foundation
import KeepsakeWire
import TestKit
import Testing
import Web

@testable import FeatureTestKit
@testable import keepsake

@Suite("POST /auth/password/change")
struct ChangePasswordTests {
    @Test("the new password signs in, the old one does not, and only the session of the request stays", arguments: Engine.allCases)
    func changed(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            let server = world.server
            let (phone, refreshToken) = try await server.signUp("ada", name: "Ada")
            let tablet = try world.person(try await world.logIn("ada@example.org"))
            let (eve, _) = try await server.signUp("eve", name: "Eve")
            let answer = try await world.changePassword("correct horse", "another horse", as: phone)
            #expect(answer.status == 200, "\(answer.text)")
            let json = try answer.json()
            #expect(Set(json.keys) == ["ended", "recent_identities"])
            #expect(json["ended"] as? Int == 1 && (json["recent_identities"] as? [Any])?.isEmpty == true)
            #expect(answer.header("Set-Cookie")?.hasPrefix("keepsake-device=") == true)

            #expect(try await server.send("GET", "/user/me", as: phone).status == 200)
            #expect(try await server.refresh(refreshToken).status == 200)
            #expect(try await server.send("GET", "/user/me", as: tablet).status == 401)
            #expect(try await server.send("GET", "/user/me", as: eve).status == 200)
            #expect(try await world.logIn("ada@example.org").status == 401)
            #expect(try await world.logIn("ada@example.org", "another horse").status == 200)
            #expect(try await world.logIn("eve@example.org").status == 200)
            let mail = try await world.mail(1)
            #expect(mail.to == ["ada@example.org"] && mail.text.contains("every other device was signed out"))
            #expect(!mail.text.contains("horse"))
        }
    }

    @Test("a repeat, after a lost response, gets 200 and ends nothing", arguments: Engine.allCases)
    func repeated(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            let (phone, _) = try await world.server.signUp("ada", name: "Ada")
            #expect(try await world.changePassword("correct horse", "another horse", as: phone).status == 200)
            let tablet = try world.person(try await world.logIn("ada@example.org", "another horse"))
            let again = try await world.changePassword("correct horse", "another horse", as: phone)
            let ended = try again.json()["ended"] as? Int
            #expect(again.status == 200 && ended == 0, "\(again.text)")
            #expect(try await world.server.send("GET", "/user/me", as: tablet).status == 200)
            #expect(try await world.changePassword("correct horse", "third horse", as: phone).status == 403)
        }
    }

    @Test("refusals name the field and change nothing", arguments: Engine.allCases)
    func refusals(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            let server = world.server
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            let wrong = try await world.changePassword("wrong horse", "another horse", as: ada)
            let code = try wrong.json()["error"] as? String
            #expect(wrong.status == 403 && code == "wrong_password")
            let long = String(repeating: "x", count: 1_025)
            let bodies: [([String: Any], String)] = [
                ([:], "old_password"), (["old_password": "correct horse"], "new_password"),
                (["new_password": "another horse"], "old_password"),
                (["old_password": 1, "new_password": "another horse"], "old_password"),
                (["old_password": "correct horse", "new_password": "short"], "new_password"),
                (["old_password": "correct horse", "new_password": "Password1"], "common"),
                (["old_password": "correct horse", "new_password": "another\0horse"], "new_password"),
                (["old_password": "correct horse", "new_password": "correct horse"], "differ"),
                (["old_password": "correct horse", "new_password": long], "new_password"),
                (["old_password": long, "new_password": "another horse"], "old_password"),
            ]
            for (body, word) in bodies {
                let answer = try await server.post("/auth/password/change", body, as: ada)
                #expect(answer.status == 400 && answer.text.contains(word), "\(word): \(answer.text)")
            }
            let body = ["old_password": "correct horse", "new_password": "another horse"]
            #expect(try await server.post("/auth/password/change", body).status == 401)
            // Another person's token changes that person's password only.
            let eve = try world.person(
                try await server.post("/auth/password/register", ["email": "eve@example.org", "password": "eve's horse"]))
            #expect(try await server.post("/auth/password/change", body, as: eve).status == 403)
            let passwordless = try await server.person("passwordless")
            #expect(try await server.post("/auth/password/change", body, as: passwordless).status == 409)
            #expect(try await world.logIn("ada@example.org").status == 200)
            #expect(try await world.logIn("eve@example.org", "eve's horse").status == 200)
            try await world.settle()
            #expect(world.mails.mails.isEmpty)
        }
    }

    @Test("attempts are limited for the account, and strangers who guess at the sign-in do not use them up", arguments: Engine.allCases)
    func limited(_ engine: Engine) async throws {
        try await MailServer.run(
            engine,
            {
                $0.rateLimits = RateLimits()
                $0.rateLimits?.signIn = Rate(perMinute: 10)
            }
        ) { world in
            let (ada, _) = try await world.server.signUp("ada", name: "Ada")
            var guesses: [Int] = []
            for _ in 0..<12 { guesses.append(try await world.logIn("ada@example.org", "wrong horse").status) }
            #expect(guesses.last == 429)
            var statuses: [Int] = []
            for _ in 0..<11 { statuses.append(try await world.changePassword("wrong horse", "another horse", as: ada).status) }
            #expect(statuses == [Int](repeating: 403, count: 10) + [429])
            // The account may send ten requests a minute, but after 30 attempts it may try only once a minute. Each request with a wrong
            // old password is two attempts, because the server compares the new password, too.
            for _ in 0..<3 {
                world.server.clock.advance(by: .minutes(1))
                for _ in 0..<10 { statuses.append(try await world.changePassword("wrong horse", "another horse", as: ada).status) }
            }
            let refused = statuses.dropFirst(11).filter { $0 == 429 }.count
            #expect((22...27).contains(refused), "\(statuses)")
        }
    }

    @Test("codes that were mailed before are worthless afterwards", arguments: Engine.allCases)
    func codes(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            let server = world.server
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            #expect(try await server.post("/auth/password/forgot", ["email": "ada@example.org"]).status == 200)
            let reset = try #require(try await world.mail(1).code)
            #expect(try await world.changeEmail("new@example.org", as: ada).status == 200)
            let email = try #require(try await world.mail(2).code)
            #expect(try await world.changePassword("correct horse", "another horse", as: ada).status == 200)
            #expect(try await server.post("/auth/password/reset", ["token": reset, "password": "third horse"]).status == 400)
            #expect(try await world.confirm(email, as: ada).status == 400)
        }
    }

    @Test("of several changes at once, one succeeds", arguments: Engine.allCases)
    func race(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            let (ada, _) = try await world.server.signUp("ada", name: "Ada")
            let statuses = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for number in 0..<6 {
                    group.addTask { (number, try await world.changePassword("correct horse", "horse number \(number)", as: ada).status) }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1.0] = $1.1 }
            }
            let winners = statuses.filter { $0.value == 200 }
            #expect(winners.count == 1 && statuses.values.filter { $0 == 403 }.count == 5, "\(statuses)")
            #expect(try await world.logIn("ada@example.org", "horse number \(winners.keys.first ?? -1)").status == 200)
        }
    }

    @Test("identities that were linked since the last password are listed and mailed, and still sign in", arguments: Engine.allCases)
    func identities(_ engine: Engine) async throws {
        try await TestServer.runWithFirebase(engine) { server, standIn in
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            let token = try IdentityForge(.oidc, standIn, server.clock, subject: "hers").sign()
            let identity = ["issuer": IdentityForge.issuer(.oidc, standIn), "id_token": token]
            #expect(try await server.post("/auth/link", identity, as: ada).status == 200)
            let answer = try await server.post(
                "/auth/password/change", ["old_password": "correct horse", "new_password": "another horse"], as: ada)
            let recent = try #require(try answer.json()["recent_identities"] as? [[String: Any]], "\(answer.text)")
            #expect(recent.count == 1 && recent.first?["subject"] as? String == "hers")
            #expect(try await server.post("/auth/oidc", identity).status == 200)
        }
    }
}
