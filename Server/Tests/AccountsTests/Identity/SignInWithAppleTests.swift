import Accounts
import Core
import Crypto
import Database
import Foundation
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Sign in with Apple")
struct SignInWithAppleTests {
    private func run(
        _ engine: Engine, _ change: @Sendable (inout Settings) -> Void = { _ in },
        _ body: @Sendable (TestServer, IssuerStandIn) async throws -> Void
    ) async throws {
        try await IssuerStandIn.run { standIn async throws in
            try await TestServer.run(engine) { settings in
                settings.identities = IdentityForge.settings(standIn)
                change(&settings)
            } _: { server async throws in
                try await body(server, standIn)
            }
        }
    }

    private func forge(_ server: TestServer, _ standIn: IssuerStandIn, nonce: String? = nil, email: String? = nil) -> IdentityForge {
        let forge = IdentityForge(.apple, standIn, server.clock, subject: "001859.abc.1242")
        forge.claims["nonce"] = nonce.map { Hex.encode(SHA256.hash(data: Data($0.utf8))) }
        forge.claims["email"] = email
        return forge
    }

    @Test("the document's request is answered as the document shows", arguments: Engine.allCases)
    func document(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let answer = try await server.post(
                "/auth/apple",
                [
                    "identity_token": try forge(server, standIn, email: "Ada@Example.org").sign(), "user_identifier": "001859.abc.1242",
                    "email": "Ada@Example.org",
                    "full_name": ["given_name": "Ada", "family_name": "Lovelace"],
                ])
            #expect(answer.status == 200, "\(answer.text)")
            let user = try #require(try answer.json()["user"] as? [String: Any])
            let token = try #require(try answer.json()["token"] as? [String: String])
            #expect(Set(user.keys) == ["id", "email", "name", "created_at", "is_pro_user", "outside_engines", "time_zone"])
            #expect(user["email"] as? String == "ada@example.org" && user["name"] as? String == "Ada Lovelace")
            #expect(user["created_at"] as? String == "2026-06-01T12:00:00.000000Z")
            #expect(token["expires_at"] == "2026-06-01T13:00:00.000000Z")
            let bearer = [("Authorization", "Bearer \(token["access_token"] ?? "")")]
            #expect(try await server.send("GET", "/user/me", headers: bearer).status == 200)
            #expect(try await server.post("/auth/refresh", ["refresh_token": token["refresh_token"] ?? ""]).status == 200)

            // Whatever name and address later sign-ins send, the account keeps those that it has.
            for rest: [String: Any] in [
                [:], ["email": "", "full_name": ["given_name": "", "family_name": NSNull()]], ["email": NSNull(), "full_name": NSNull()],
                ["email": "", "full_name": ""],
                ["email": "other@example.org", "full_name": ["given_name": "Eve"], "user_identifier": "", "nonce": NSNull()],
            ] {
                let again = try await server.post(
                    "/auth/apple", rest.merging(["identity_token": try forge(server, standIn).sign()]) { $1 })
                #expect(again.status == 200, "\(again.text)")
                #expect(try again.json()["user"] as? NSDictionary == user as NSDictionary)
            }
            #expect(try await server.accounts() == 1)
        }
    }

    @Test("the address in the token wins, and an equal address never signs in to another account", arguments: Engine.allCases)
    func addresses(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let ada = try await server.person("ada")
            let answer = try await server.post(
                "/auth/apple", ["identity_token": try forge(server, standIn, email: "ada@example.org").sign(), "email": "x@example.org"])
            let user = try #require(try answer.json()["user"] as? [String: Any])
            #expect(user["id"] as? String != ada.id)
            // The address belongs to Ada's account, so the new account does not get it.
            #expect(user["email"] is NSNull)
            let token = try #require(try answer.json()["token"] as? [String: String])
            let list = try await server.send(
                "GET", "/auth/identities", headers: [("Authorization", "Bearer \(token["access_token"] ?? "")")])
            let identities = try #require(try list.json()["identities"] as? [[String: Any]])
            #expect(identities.count == 1 && identities[0]["email"] as? String == "ada@example.org")
            #expect(identities[0]["issuer"] as? String == AppleStandIn.issuer && identities[0]["subject"] as? String == "001859.abc.1242")
            #expect(identities[0]["created_at"] as? String == "2026-06-01T12:00:00.000000Z")
        }
    }

    @Test("an address that only the body names is not stored and does not block its owner's registration", arguments: Engine.allCases)
    func claimed(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            for claimed in ["stranger@example.org", "no address"] {
                let answer = try await server.post(
                    "/auth/apple", ["identity_token": try forge(server, standIn).sign(), "email": claimed])
                #expect(answer.status == 200, "\(answer.text)")
                let user = try #require(try answer.json()["user"] as? [String: Any])
                #expect(user["email"] is NSNull)
            }
            let registered = try await server.post(
                "/auth/password/register", ["email": "stranger@example.org", "password": "correct horse"])
            #expect(registered.status == 200, "\(registered.text)")
            #expect(try await server.accounts() == 2)
        }
    }

    @Test("every configured app is accepted, and a user identifier that differs from the token's is refused", arguments: Engine.allCases)
    func apps(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let web = forge(server, standIn)
            web.claims["aud"] = "org.example.web"
            let reply1 = try await server.post("/auth/apple", ["identity_token": web.sign()])
            #expect(reply1.status == 200)
            let other = try await server.post("/auth/apple", ["identity_token": web.sign(), "user_identifier": "001859.other"])
            #expect(other.status == 401)
            for (body, field): ([String: Any], String) in [
                ([:], "identity_token"), (["identity_token": 7], "identity_token"),
                (["identity_token": try web.sign(), "full_name": ["given_name": String(repeating: "x", count: 300)]], "full_name"),
                (["identity_token": try web.sign(), "full_name": "Ada"], "full_name"),
            ] {
                let answer = try await server.post("/auth/apple", body)
                #expect(answer.status == 400 && answer.text.contains(field), "\(answer.text)")
            }
        }
    }

    @Test("a nonce must match its token, must not be missing, and works once", arguments: Engine.allCases)
    func nonces(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let token = try forge(server, standIn, nonce: "raw-1").sign()
            func tryIt(_ nonce: String?) async throws -> Int {
                try await server.post("/auth/apple", ["identity_token": token, "nonce": nonce as Any? ?? NSNull()]).status
            }
            #expect(try await tryIt("raw-2") == 401)
            #expect(try await tryIt(nil) == 401)
            #expect(try await tryIt(Hex.encode(SHA256.hash(data: Data("raw-1".utf8)))) == 401)
            #expect(try await server.accounts() == 0)
            #expect(try await tryIt("raw-1") == 200)
            #expect(try await tryIt("raw-1") == 401)
            // Another token with the same nonce is refused too.
            let again = forge(server, standIn, nonce: "raw-1")
            again.claims["sub"] = "eve"
            let replay = try await server.post("/auth/apple", ["identity_token": again.sign(), "nonce": "raw-1"])
            #expect(replay.status == 401)
            // A nonce in the request but not in the token is a mistake or an attack.
            let bare = try await server.post("/auth/apple", ["identity_token": forge(server, standIn).sign(), "nonce": "raw-3"])
            #expect(bare.status == 401)
            #expect(try await server.accounts() == 1)
        }
    }

    @Test("of twenty concurrent sign-ins with one nonce, one succeeds", arguments: Engine.allCases)
    func replays(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let token = try forge(server, standIn, nonce: "raw-1").sign()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await server.post("/auth/apple", ["identity_token": token, "nonce": "raw-1"]).status }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 1, 401: 19])
        }
    }

    @Test("where nonces are required, a sign-in without one is 401", arguments: Engine.allCases)
    func required(_ engine: Engine) async throws {
        try await run(engine, { $0.identities.apple?.requiresNonce = true }) { server, standIn async throws in
            let reply2 = try await server.post("/auth/apple", ["identity_token": forge(server, standIn).sign()])
            #expect(reply2.status == 401)
            let token = try forge(server, standIn, nonce: "raw").sign()
            #expect(try await server.post("/auth/apple", ["identity_token": token]).status == 401)
            #expect(try await server.post("/auth/apple", ["identity_token": token, "nonce": "raw"]).status == 200)
        }
    }

    @Test(
        "where registration is not open, known people sign in and others are refused", arguments: [Settings.Registration.invite, .closed],
        Engine.allCases)
    func registration(_ mode: Settings.Registration, _ engine: Engine) async throws {
        try await run(engine, { $0.registration = mode }) { server, standIn async throws in
            let token = try forge(server, standIn, nonce: "raw").sign()
            #expect(try await server.post("/auth/apple", ["identity_token": token, "nonce": "raw"]).status == 403)
            let bearer = try await TokenEndpoint.firebaseBearer.send(
                server, standIn, IdentityForge(.firebase, standIn, server.clock).sign())
            #expect(bearer.status == 403)
            #expect(try await server.accounts() == 0)
            let ada = try await server.person("ada")
            // The refusal did not use up the nonce.
            #expect(try await server.post("/auth/link", ["identity_token": token, "nonce": "raw"], as: ada).status == 200)
            let known = try await server.post("/auth/apple", ["identity_token": forge(server, standIn).sign()])
            #expect(known.status == 200)
            #expect((try known.json()["user"] as? [String: Any])?["id"] as? String == ada.id)
        }
    }

    @Test(
        "an invitation admits one person; one for an address admits only the person with that verified address", arguments: Engine.allCases)
    func invitations(_ engine: Engine) async throws {
        try await run(engine, { $0.registration = .invite }) { server, standIn async throws in
            let accounts = server.backend.accounts
            let (any, bound) = (
                try await accounts.invite(email: nil, lifetime: .days(7)).code,
                try await accounts.invite(email: "ada@example.org", lifetime: .days(7)).code
            )
            func come(_ subject: String, _ invite: Any, email: String? = nil, hint: String? = nil) async throws -> Int {
                let forge = IdentityForge(.apple, standIn, server.clock, subject: subject)
                forge.claims["email"] = email
                var body: [String: Any] = ["identity_token": try forge.sign(), "invite": invite]
                body["email"] = hint
                return try await server.post("/auth/apple", body).status
            }
            #expect(try await come("a", NSNull()) == 403)
            #expect(try await come("a", "K7QF2-9XM4T-0HSBW-3ZE8N") == 403)
            #expect(try await come("a", bound) == 403)
            #expect(try await come("a", bound, email: "eve@example.org") == 403)
            // The app claims this address, but the token does not contain it.
            #expect(try await come("a", bound, hint: "ada@example.org") == 403)
            #expect(try await server.accounts() == 0)
            #expect(try await come("a", bound, email: "ada@example.org") == 200)
            #expect(try await come("b", any) == 200)
            // A retry after a lost response succeeds; another person is refused.
            #expect(try await come("b", any) == 200)
            #expect(try await come("c", any) == 403)
            #expect(try await server.accounts() == 2)
            let session = try await server.backend.database.read { tx in
                try tx.rows("SELECT method FROM session").map { try $0.get("method", as: String.self) }
            }
            #expect(Set(session) == ["apple"])
        }
    }

    @Test("twenty concurrent first sign-ins create one account", arguments: Engine.allCases)
    func firstVisits(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let token = try forge(server, standIn, email: "ada@example.org").sign()
            let bearer = try IdentityForge(.firebase, standIn, server.clock, subject: "uid-1").sign()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await server.post("/auth/apple", ["identity_token": token]).status }
                    group.addTask { try await TokenEndpoint.firebaseBearer.send(server, standIn, bearer).status }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(try await server.accounts() == 2)
            #expect(try await server.identities() == 2)
        }
    }
}
