import Accounts
import Core
import Database
import Foundation
import KeepsakeWire
import Mail
import TestKit
import TestThreads
import Testing
import Web

@testable import FeatureTestKit
@testable import keepsake

@Suite("Recovering an account", .blocksThreads)
struct RecoveryTests {
    func run(
        _ engine: Engine, _ body: @escaping @Sendable (TestServer, IssuerStandIn, SMTPStandIn) async throws -> Void
    ) async throws {
        let mails = try await SMTPStandIn(.init())
        let address = try #require(SMTPAddress("smtp://127.0.0.1:\(mails.port)?tls=off"))
        let sender = try #require(MailSender("Keepsake <no-reply@example.org>"))
        try await IssuerStandIn.run { standIn async throws in
            try await TestServer.run(engine) {
                $0.identities = IdentityForge.settings(standIn)
                $0.smtp = SMTPSettings(address: address, from: sender)
            } _: {
                try await body($0, standIn, mails)
            }
        }
        try await mails.close()
    }

    func person(_ signedIn: TestServer.Answer) throws -> TestServer.Person {
        let decoded = try Surface.capsules.makeDecoder().decode(SignedIn.self, from: signedIn.body)
        return TestServer.Person(id: decoded.user.id, token: decoded.token.accessToken)
    }

    func oidc(_ server: TestServer, _ standIn: IssuerStandIn, _ subject: String) throws -> [String: String] {
        [
            "issuer": IdentityForge.issuer(.oidc, standIn),
            "id_token": try IdentityForge(.oidc, standIn, server.clock, subject: subject).sign(),
        ]
    }

    func identities(_ answer: TestServer.Answer) throws -> [[String: Any]] {
        try #require(answer.json()["identities"] as? [[String: Any]], "\(answer.text)")
    }

    // MARK: Fresh sign-ins

    @Test(
        "linking, removing and deleting need a sign-in within the last ten minutes; a refreshed token does not count as one",
        arguments: Engine.allCases)
    func fresh(_ engine: Engine) async throws {
        try await run(engine) { server, standIn, _ in
            let (ada, refreshToken) = try await server.signUp("ada", name: "Ada")
            let cookie = try #require(try await server.send("POST", "/auth/session", as: ada).json()["cookie"] as? String)
            server.clock.advance(by: .minutes(10))
            let linked = try await server.post("/auth/link", oidc(server, standIn, "one"), as: ada)
            #expect(linked.status == 200, "\(linked.text)")
            let id = try #require(try identities(linked)[0]["id"] as? String)
            server.clock.advance(by: .seconds(1))
            let renewed = try await server.refresh(refreshToken).json()["access_token"] as? String
            let credentials = [
                ada.bearer, ("Authorization", "Bearer \(try #require(renewed))"), ("Cookie", cookie),
            ]
            for credential in credentials {
                let headers = [credential, ("Content-Type", "application/json")]
                let token = try JSONSerialization.data(withJSONObject: try oidc(server, standIn, "two"))
                for (method, path, body) in [
                    ("POST", "/auth/link", token), ("DELETE", "/auth/identities/\(id)", nil), ("POST", "/auth/delete", Data("{}".utf8)),
                ] as [(String, String, Data?)] {
                    let answer = try await server.send(method, path, headers: headers, body: body)
                    #expect(answer.status == 403, "\(method) \(path)")
                    let json = try answer.json()
                    #expect(json["error"] as? String == "sign_in_again")
                    #expect((json["message"] as? String)?.contains("Sign in again") == true)
                }
                // The token remains valid for everything else.
                #expect(try await server.send("GET", "/user/me", headers: headers).status == 200)
            }
            #expect(try await server.identities() == 1)
            let again = try person(try await server.logIn("ada"))
            #expect(try await server.post("/auth/link", oidc(server, standIn, "two"), as: again).status == 200)
            #expect(try await server.send("DELETE", "/auth/identities/\(id)", as: again).status == 200)
            #expect(try await server.send("POST", "/auth/delete", as: again).status == 200)
        }
    }

    @Test(
        "an identity token is as fresh as its auth_time, and so is the session it opens; a bearer token without auth_time is not fresh",
        arguments: Engine.allCases)
    func authTime(_ engine: Engine) async throws {
        try await run(engine) { server, standIn, _ in
            for (number, (claim, age, isFreshBearer, isFresh)) in [
                ("auth_time", 600, true, true), ("auth_time", 601, false, false), ("iat", 0, false, true), ("iat", 600, false, true),
                ("iat", 601, false, false), ("auth_time", -30, true, true),
            ].enumerated() {
                let forge = IdentityForge(.oidc, standIn, server.clock, subject: "somebody-\(number)")
                forge.claims["auth_time"] = nil
                forge.claims[claim] = server.clock.now.seconds - Int64(age)
                let token = try forge.sign()
                let bearer = TestServer.Person(id: "", token: token)
                let link = try await server.post("/auth/link", oidc(server, standIn, "other-\(number)"), as: bearer)
                #expect(link.status == (isFreshBearer ? 200 : 403), "\(claim) \(age)")
                let opened = try person(
                    try await server.post("/auth/oidc", ["issuer": IdentityForge.issuer(.oidc, standIn), "id_token": token]))
                let second = try await server.post("/auth/link", oidc(server, standIn, "another-\(number)"), as: opened)
                #expect(second.status == (isFresh ? 200 : 403), "\(claim) \(age)")
            }
        }
    }

    // MARK: Removing

    @Test("a removed identity can no longer sign in, and the sessions it opened end", arguments: Engine.allCases)
    func removal(_ engine: Engine) async throws {
        try await run(engine) { server, standIn, mails in
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            let (eve, _) = try await server.signUp("eve", name: "Eve")
            let linked = try await server.post("/auth/link", oidc(server, standIn, "hers"), as: ada)
            let id = try #require(try identities(linked)[0]["id"] as? String)
            let token = try oidc(server, standIn, "hers")
            let opened = try person(try await server.post("/auth/oidc", token))
            let bearer = TestServer.Person(id: ada.id, token: try #require(token["id_token"]))
            let socket = try WebSocketClient(port: server.port, path: "/ws/events", headers: [bearer.bearer])
            for known in [opened, bearer] { #expect(try await server.send("GET", "/user/me", as: known).json()["id"] as? String == ada.id) }
            #expect(try await server.send("DELETE", "/auth/identities/\(id)", as: eve).status == 404)
            #expect(try await server.send("DELETE", "/auth/identities/\(id)").status == 401)
            let removed = try await server.send("DELETE", "/auth/identities/\(id)", as: ada)
            #expect(removed.status == 200 && removed.text == #"{"identities":[]}"#, "\(removed.text)")
            #expect(try await server.send("DELETE", "/auth/identities/\(id)", as: ada).status == 404)
            #expect(try await server.send("GET", "/user/me", as: opened).status == 401)
            #expect(try await server.send("GET", "/user/me", as: ada).status == 200)
            #expect(try socket.nextClose().closeCode == 1_008)
            // The identity now belongs to a new account.
            #expect(try await server.send("GET", "/user/me", as: bearer).json()["id"] as? String != ada.id)
            #expect(try person(try await server.post("/auth/oidc", token)).id != ada.id)
            // The owner received a mail about each change.
            try await server.wait { mails.mails.count == 2 }
            #expect(mails.violations == [] && mails.mails.map(\.to) == [["ada@example.org"], ["ada@example.org"]])
            for words in ["can now also", "no longer"] {
                let told = mails.mails.filter { $0.text.contains(words) }
                #expect(told.count == 1 && told.first?.text.contains("(hers)") == true, "\(words)")
            }
        }
    }

    @Test("the only identity of an account without a password cannot be removed", arguments: Engine.allCases)
    func last(_ engine: Engine) async throws {
        try await run(engine) { server, standIn, _ in
            let ada = try person(try await server.post("/auth/oidc", oidc(server, standIn, "first")))
            #expect(try await server.post("/auth/link", oidc(server, standIn, "second"), as: ada).status == 200)
            let both = try identities(try await server.send("GET", "/auth/identities", as: ada)).compactMap { $0["id"] as? String }
            #expect(Set(both).count == 2)
            #expect(try await server.send("DELETE", "/auth/identities/\(both[0])", as: ada).status == 200)
            let refused = try await server.send("DELETE", "/auth/identities/\(both[1])", as: ada)
            #expect(refused.status == 409 && refused.text.contains("only way"), "\(refused.text)")
            #expect(try await server.identities() == 1)
        }
    }

    @Test("a phone number stays while an identity is left that can have proved it", arguments: Engine.allCases)
    func removedNumber(_ engine: Engine) async throws {
        try await run(engine) { server, standIn, _ in
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            func number() async throws -> String? {
                try await server.backend.database.read { tx in
                    try tx.row("SELECT phone FROM account WHERE id = \(ada.id)")?.get("phone", as: String?.self)
                }
            }
            let forge = IdentityForge(.firebase, standIn, server.clock, subject: "first")
            forge.claims["phone_number"] = "+14155550123"
            let first = ["issuer": IdentityForge.issuer(.firebase, standIn), "id_token": try forge.sign()]
            let apple = ["identity_token": try IdentityForge(.apple, standIn, server.clock, subject: "apple").sign()]
            var ids: [String: String] = [:]
            let second = try oidc(server, standIn, "second")
            for body in [first, apple, second] {
                for identity in try identities(try await server.post("/auth/link", body, as: ada)) {
                    let subject = try #require(identity["subject"] as? String)
                    ids[subject] = try #require(identity["id"] as? String)
                }
            }
            // Apple's tokens prove no number, so the number goes with the last of the other two identities.
            for (subject, left) in [("first", "+14155550123"), ("second", nil)] as [(String, String?)] {
                let id = try #require(ids[subject])
                #expect(try await server.send("DELETE", "/auth/identities/\(id)", as: ada).status == 200)
                #expect(try await number() == left, "\(subject)")
            }
        }
    }

    // MARK: Cookies

    @Test("the session list shows cookies with the session that created them, and they end with it", arguments: Engine.allCases)
    func cookies(_ engine: Engine) async throws {
        try await run(engine) { server, _, _ in
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            let other = try person(try await server.logIn("ada"))
            func open(_ agent: String) async throws -> String {
                server.clock.advance(by: .seconds(1))
                let answer = try await server.send("POST", "/auth/session", as: ada, headers: [("User-Agent", agent)])
                return try #require(try answer.json()["cookie"] as? String)
            }
            let first = try await open("browser 0")
            for number in 1...20 { _ = try await open("browser \(number)") }
            // The twenty-first cookie ended the oldest.
            #expect(try await server.send("GET", "/user/me", headers: [("Cookie", first)]).status == 401)
            let last = try await open("the last")
            let list = try await server.send("GET", "/auth/sessions", as: other)
            let sessions = try Surface.capsules.makeDecoder().decode(SessionList.self, from: list.body).sessions
            let hers = try #require(sessions.first { !$0.isCurrent })
            let current = try #require(sessions.first { $0.isCurrent })
            #expect(sessions.count == 2 && current.cookies == [])
            #expect(hers.cookies.count == 20 && hers.cookies[0].userAgent == "the last" && hers.cookies[1].userAgent == "browser 20")
            #expect(hers.cookies[0].expiresAt == hers.cookies[0].createdAt + 30 * 86_400)
            #expect(!list.text.contains(String(last.split(separator: "=")[1])))
            #expect(try await server.send("DELETE", "/auth/sessions/\(hers.id)", as: other).status == 200)
            #expect(try await server.send("GET", "/user/me", headers: [("Cookie", last)]).status == 401)
        }
    }
}
