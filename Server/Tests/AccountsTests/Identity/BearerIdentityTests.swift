import Accounts
import Core
import Database
import Foundation
import HTTPTypes
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

@Suite("Identity tokens as bearers")
struct BearerIdentityTests {
    private func run(_ engine: Engine, _ body: @Sendable (TestServer, IssuerStandIn) async throws -> Void) async throws {
        try await IssuerStandIn.run { standIn async throws in
            try await TestServer.run(engine) {
                $0.identities = IdentityForge.settings(standIn)
            } _: {
                try await body($0, standIn)
            }
        }
    }

    private func me(_ server: TestServer, _ token: String) async throws -> TestServer.Answer {
        try await server.send("GET", "/user/me", headers: [("Authorization", "Bearer \(token)")])
    }

    @Test("a Firebase account has its uid as id, also in paths, and is created once", arguments: Engine.allCases)
    func firebase(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let forge = IdentityForge(.firebase, standIn, server.clock, subject: "fqWx7yZ1AbCdEfGh")
            forge.claims["email"] = "ada@example.org"
            forge.claims["email_verified"] = true
            forge.claims["name"] = "Ada"
            forge.claims["firebase"] = ["identities": ["email": ["ada@example.org"]], "sign_in_provider": "password"]
            let token = try forge.sign()
            let first = try await me(server, token)
            #expect(first.status == 200, "\(first.text)")
            #expect(try first.json()["id"] as? String == "fqWx7yZ1AbCdEfGh")
            #expect(try first.json()["email"] as? String == "ada@example.org" && first.json()["name"] as? String == "Ada")
            let bearer = [("Authorization", "Bearer \(token)")]
            let own = try await server.send("GET", "/api/users/user/fqWx7yZ1AbCdEfGh/multimedia", headers: bearer)
            #expect(own.status == 200)
            let foreign = try await server.send("GET", "/api/users/user/another/multimedia", headers: bearer)
            #expect(foreign.status == 403)
            // A Firebase token cannot be used for what needs a session of this server. Signing out with it has no effect.
            #expect(try await server.send("POST", "/auth/session", headers: bearer).status == 401)
            #expect(try await server.send("POST", "/auth/signout", headers: bearer).status == 200)
            #expect(try await me(server, token).status == 200)
            #expect(try await server.accounts() == 1)
            server.clock.advance(by: .seconds(3_661))
            let over = try await me(server, token)
            #expect(over.status == 401 && over.text.contains("expired"))
        }
    }

    @Test("a uid that Unicode calls equivalent to an account's id opens none of its paths", arguments: Engine.allCases)
    func equivalent(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            // The letter K, and the sign for kelvin.
            let ada = try IdentityForge(.firebase, standIn, server.clock, subject: "K").sign()
            let eve = try IdentityForge(.firebase, standIn, server.clock, subject: "\u{212A}").sign()
            #expect(try await me(server, ada).json()["id"] as? String == "K")
            let id = try #require(try await me(server, eve).json()["id"] as? String)
            #expect(id != "K", "\(Array(id.utf8))")
            func status(_ uid: String) async throws -> Int {
                try await server.send("GET", "/api/users/user/\(uid)/multimedia", headers: [("Authorization", "Bearer \(eve)")]).status
            }
            #expect(try await status("K") == 403)
            // In a path, the sign for kelvin still names Eve's own account.
            #expect(try await status("%E2%84%AA") == 200)
        }
    }

    @Test("an e-mail address that its issuer has not verified is not stored for the account", arguments: Engine.allCases)
    func unverified(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let forge = IdentityForge(.oidc, standIn, server.clock)
            forge.claims["email"] = "victim@example.org"
            forge.claims["email_verified"] = false
            let user = try await me(server, forge.sign()).json()
            #expect(user["email"] is NSNull)
        }
    }

    @Test("a uid that equals another account's id gets an account with a new id", arguments: StoragePair.allCases)
    func collision(_ pair: StoragePair) async throws {
        try await run(pair.engine) { server, standIn async throws in
            let ada = try await server.person("ada")
            let token = try IdentityForge(.firebase, standIn, server.clock, subject: ada.id).sign()
            let answer = try await me(server, token)
            #expect(answer.status == 200)
            let id = try #require(try answer.json()["id"] as? String)
            #expect(id != ada.id)
            let email = try answer.json()["email"]
            #expect(email is NSNull)
            // A uid in the path names the caller's own account, although it is the id of another account.
            #expect(try await server.upload(MultipartBody.file("a.jpg", try Fixture.data("photo.jpg")), as: ada).status == 200)
            let list = try await server.send(
                "GET", "/api/users/user/\(ada.id)/multimedia", headers: [("Authorization", "Bearer \(token)")])
            #expect(list.status == 200 && !list.text.contains("a.jpg"))
        }
    }

    @Test(
        "tokens from before the account's deletion are refused by every endpoint; later ones create a new account",
        arguments: Engine.allCases)
    func deletion(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            for endpoint in TokenEndpoint.allCases {
                let old = try IdentityForge(endpoint.issuer, standIn, server.clock).sign()
                #expect(try await endpoint.send(server, standIn, old).status == 200)
                server.clock.advance(by: .milliseconds(500))
                let now = server.clock.now
                let ids = try await server.backend.database.read { tx in
                    try tx.rows("SELECT id FROM account").map { try $0.get("id", as: String.self) }
                }
                try await server.backend.database.write { tx in
                    for id in ids {
                        try AccountStore.deleteIdentitiesAndKeepTombstones(of: id, at: now, in: tx)
                        try tx.run("DELETE FROM account WHERE id = \(id)")
                    }
                }
                #expect(try await endpoint.send(server, standIn, old).status == 401, "\(endpoint)")
                // This token is issued in the same second as the deletion. Which came first is unknown, so the token is refused.
                let reply1 = try await endpoint.send(server, standIn, IdentityForge(endpoint.issuer, standIn, server.clock).sign())
                #expect(reply1.status == 401)
                #expect(try await server.accounts() == 0)
                server.clock.advance(by: .milliseconds(500))
                let new = try IdentityForge(endpoint.issuer, standIn, server.clock).sign()
                #expect(try await endpoint.send(server, standIn, new).status == 200, "\(endpoint)")
                // The old token stays refused after a new account exists.
                #expect(try await endpoint.send(server, standIn, old).status == 401)
                let ada = try await server.person("ada")
                let link = ["issuer": IdentityForge.issuer(.oidc, standIn), "id_token": old]
                let linked = try await server.post("/auth/link", link, as: ada)
                if endpoint.issuer == .oidc {
                    #expect(linked.status == 401, "\(endpoint): \(linked.text)")
                } else {
                    // The body names another issuer than the token's, so the token is not valid.
                    #expect(linked.status == 400 && linked.header("Error-Field") == "id_token", "\(endpoint): \(linked.text)")
                }
            }
            // The stored tombstones contain no subject in plain text.
            let rows = try await server.backend.database.read { tx in
                try tx.rows("SELECT identity FROM deleted_identity").map { try $0.get("identity", as: String.self) }
            }
            let named = rows.filter { $0.contains("somebody") }
            #expect(rows.count == 3 && named.isEmpty)
            server.clock.advance(by: .days(31))
            try await AccountStore(database: server.backend.database).sweepIdentities(at: server.clock.now)
            let left: Int = try await server.backend.database.read { tx in
                try tx.row("SELECT count(*) AS n FROM deleted_identity")?.get("n") ?? -1
            }
            #expect(left == 0)
        }
    }

    @Test("no request fails while an issuer's keys rotate under load and the issuer becomes unavailable", arguments: Engine.allCases)
    func rotationCampaign(_ engine: Engine) async throws {
        let total = CampaignScale.isFull("keys") ? 40_000 : 2_000
        try await run(engine) { server, standIn async throws in
            standIn.change { $0.delay = .milliseconds(20) }
            let tokens = try (1...3).map { round in
                let forge = IdentityForge(.oidc, standIn, server.clock, subject: "somebody")
                forge.header["kid"] = "oidc-\(round)"
                forge.claims["exp"] = forge.now + 86_400
                return try forge.sign(round == 1 ? TestKeys.oidc : round == 2 ? TestKeys.next : TestKeys.forger)
            }
            _ = try await server.backend.accounts.viewer(bearer: tokens[0])
            let accounts = server.backend.accounts
            let failures = try await withThrowingTaskGroup(of: String?.self) { group in
                var running = 0
                var failures: [String] = []
                for number in 0..<total {
                    // Waits for the requests in flight before a key is withdrawn or the issuer becomes unavailable.
                    while running > 0, number == total / 2 || number == total * 3 / 4 {
                        if let failure = try await group.next() ?? nil { failures.append(failure) }
                        running -= 1
                    }
                    switch number {
                    case total / 4: standIn.publish([("oidc-1", TestKeys.oidc), ("oidc-2", TestKeys.next)], for: .oidc)
                    case total / 2:
                        server.clock.advance(by: .seconds(10))
                        standIn.publish([("oidc-2", TestKeys.next), ("oidc-3", TestKeys.forger)], for: .oidc)
                    case total * 3 / 4:
                        // The cached keys are stale now, and the issuer is unavailable.
                        server.clock.advance(by: .hours(2))
                        standIn.change { $0.status = .internalServerError }
                    default: break
                    }
                    let first = number >= total / 2 ? 1 : 0
                    let last = number >= total / 2 ? 2 : number >= total / 4 ? 1 : 0
                    // During a rotation, tokens of the first key are not used: the issuer may already have withdrawn it.
                    let token = tokens[number % 2 == 0 ? last : max(first, last - 1)]
                    if running >= 256 {
                        if let failure = try await group.next() ?? nil { failures.append(failure) }
                        running -= 1
                    }
                    running += 1
                    group.addTask {
                        do {
                            _ = try await accounts.viewer(bearer: token)
                            return nil
                        } catch {
                            return "\(number): \(error)"
                        }
                    }
                }
                for try await case let failure? in group { failures.append(failure) }
                return failures
            }
            #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
            // The server fetches each of the three key sets once. One more request fails while the issuer is unavailable.
            #expect(standIn.count("oidc/keys") <= 4, "\(standIn.count("oidc/keys"))")
        }
    }

    @Test("requests over HTTP across a rotation are all answered 200", arguments: Engine.allCases)
    func rotationCampaignOverHTTP(_ engine: Engine) async throws {
        let total = CampaignScale.isFull("keys") ? 20_000 : 600
        try await run(engine) { server, standIn async throws in
            let old = try IdentityForge(.oidc, standIn, server.clock).sign()
            let next = IdentityForge(.oidc, standIn, server.clock)
            next.header["kid"] = "oidc-2"
            let new = try next.sign(TestKeys.next)
            #expect(try await me(server, old).status == 200)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<total {
                    if number == total / 2 {
                        // Apple, Google and others publish a key before they sign with it, and keep it published for a while afterwards.
                        standIn.publish([("oidc-1", TestKeys.oidc), ("oidc-2", TestKeys.next)], for: .oidc)
                    }
                    let token = number >= total / 2 && number % 2 == 0 ? new : old
                    group.addTask { try await me(server, token).status }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: total])
            #expect(standIn.count("oidc/keys") == 2)
            #expect(try await server.accounts() == 1)
        }
    }
}
