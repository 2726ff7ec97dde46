import Accounts
import Core
import Foundation
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Linked identities")
struct LinkIdentityTests {
    private func run(_ engine: Engine, _ body: @Sendable (TestServer, IssuerStandIn) async throws -> Void) async throws {
        try await IssuerStandIn.run { standIn async throws in
            try await TestServer.run(engine) {
                $0.identities = IdentityForge.settings(standIn)
            } _: {
                try await body($0, standIn)
            }
        }
    }

    @Test("each linked identity signs in to the same account, and each of its names works in paths", arguments: Engine.allCases)
    func several(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let ada = try await server.person("ada")
            let apple = try IdentityForge(.apple, standIn, server.clock, subject: "apple-ada").sign()
            let oidc = try IdentityForge(.oidc, standIn, server.clock, subject: "oidc/ada @1").sign()
            let firebase = try IdentityForge(.firebase, standIn, server.clock, subject: "uid-ada").sign()
            #expect(try await server.post("/auth/link", ["identity_token": apple], as: ada).status == 200)
            server.clock.advance(by: .seconds(1))
            let second = try await server.post(
                "/auth/link", ["issuer": IdentityForge.issuer(.oidc, standIn), "id_token": oidc], as: ada)
            #expect(second.status == 200)
            server.clock.advance(by: .seconds(1))
            let third = try await server.post(
                "/auth/link", ["issuer": IdentityForge.issuer(.firebase, standIn), "id_token": firebase], as: ada)
            let list = try #require(try third.json()["identities"] as? [[String: Any]])
            let subjects = list.map { $0["subject"] as? String }
            #expect(subjects == ["apple-ada", "oidc/ada @1", "uid-ada"])
            for entry in list { #expect(Set(entry.keys) == ["id", "issuer", "subject", "email", "created_at"]) }
            // Linking an identity again changes nothing.
            let again = try await server.post("/auth/link", ["identity_token": apple], as: ada)
            #expect(try again.json() as NSDictionary == third.json() as NSDictionary)
            #expect(try await server.send("GET", "/auth/identities", as: ada).json() as NSDictionary == third.json() as NSDictionary)

            for token in [oidc, firebase, ada.token] {
                let bearer = [("Authorization", "Bearer \(token)")]
                #expect(try await server.send("GET", "/user/me", headers: bearer).json()["id"] as? String == ada.id)
                for name in [ada.id, "apple-ada", "oidc%2Fada%20%401", "uid-ada"] {
                    #expect(try await server.send("GET", "/api/users/user/\(name)/multimedia", headers: bearer).status == 200, "\(name)")
                }
                for name in ["uid-eve", "apple-ad", "%00", "APPLE-ADA"] {
                    #expect(try await server.send("GET", "/api/users/user/\(name)/multimedia", headers: bearer).status == 403, "\(name)")
                }
            }
            let signedIn = try await server.post("/auth/apple", ["identity_token": apple])
            #expect((try signedIn.json()["user"] as? [String: Any])?["id"] as? String == ada.id)
            #expect(try await server.accounts() == 1)
        }
    }

    @Test("an upload is served under each of its owner's names, and to nobody else", arguments: StoragePair.allCases)
    func files(_ pair: StoragePair) async throws {
        try await run(pair.engine) { server, standIn async throws in
            let (ada, eve) = (try await server.person("ada"), try await server.person("eve"))
            let firebase = try IdentityForge(.firebase, standIn, server.clock, subject: "uid-ada").sign()
            _ = try await server.post("/auth/link", ["issuer": IdentityForge.issuer(.firebase, standIn), "id_token": firebase], as: ada)
            let bearer = [("Authorization", "Bearer \(firebase)")]
            let body = MultipartBody.file("a.jpg", try Fixture.data("photo.jpg"))
            let uploaded = try await server.send(
                "POST", "/api/users/user/uid-ada/multimedia/swift", headers: bearer + [("Content-Type", body.contentType)], body: body.data)
            #expect(uploaded.status == 200, "\(uploaded.text)")
            let list = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia", as: ada)
            #expect(list.status == 200 && list.text.contains("a.jpg"))
            #expect(try await server.send("GET", "/api/users/user/uid-ada/multimedia", as: eve).status == 403)
        }
    }

    @Test("linking another account's identity is a conflict and does not move it", arguments: Engine.allCases)
    func taken(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let (ada, eve) = (try await server.person("ada"), try await server.person("eve"))
            let apple = try IdentityForge(.apple, standIn, server.clock).sign()
            #expect(try await server.post("/auth/link", ["identity_token": apple], as: ada).status == 200)
            let refused = try await server.post("/auth/link", ["identity_token": apple], as: eve)
            #expect(refused.status == 409 && refused.text.contains("conflict") && !refused.text.contains(ada.id))
            #expect((try await server.send("GET", "/auth/identities", as: eve).json()["identities"] as? [Any])?.isEmpty == true)
            let signedIn = try await server.post("/auth/apple", ["identity_token": apple])
            #expect((try signedIn.json()["user"] as? [String: Any])?["id"] as? String == ada.id)
        }
    }

    @Test("when two accounts link one identity at once, one gets it", arguments: Engine.allCases)
    func race(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let (ada, eve) = (try await server.person("ada"), try await server.person("eve"))
            for round in 0..<10 {
                let apple = try IdentityForge(.apple, standIn, server.clock, subject: "apple-\(round)").sign()
                async let first = server.post("/auth/link", ["identity_token": apple], as: ada).status
                async let second = server.post("/auth/link", ["identity_token": apple], as: eve).status
                let statuses = try await [first, second].sorted()
                #expect(statuses == [200, 409])
            }
            #expect(try await server.identities() == 10)
        }
    }

    @Test(
        "linking needs a credential and exactly one of the two bodies; an account has at most twenty identities", arguments: Engine.allCases
    )
    func refusals(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let ada = try await server.person("ada")
            let apple = try IdentityForge(.apple, standIn, server.clock).sign()
            #expect(try await server.post("/auth/link", ["identity_token": apple]).status == 401)
            #expect(try await server.send("GET", "/auth/identities").status == 401)
            for body: [String: Any] in [
                [:], ["identity_token": apple, "id_token": apple, "issuer": "x"], ["id_token": apple], ["identity_token": 7],
            ] {
                #expect(try await server.post("/auth/link", body, as: ada).status == 400, "\(body.keys)")
            }
            // The bearer token is valid, so an invalid identity token is 400 and not 401.
            let oidc = IdentityForge.issuer(.oidc, standIn)
            for (body, field) in [
                (["identity_token": apple + "x"], "identity_token"), (["issuer": oidc, "id_token": apple], "id_token"),
                (["issuer": "https://nobody.example.org", "id_token": apple], "issuer"),
            ] {
                let refused = try await server.post("/auth/link", body, as: ada)
                #expect(refused.status == 400 && refused.header("Error-Field") == field, "\(body.keys): \(refused.text)")
            }
            #expect(try await server.identities() == 0)
            for number in 0..<20 {
                let token = try IdentityForge(.apple, standIn, server.clock, subject: "apple-\(number)").sign()
                #expect(try await server.post("/auth/link", ["identity_token": token], as: ada).status == 200)
            }
            #expect(try await server.post("/auth/link", ["identity_token": apple], as: ada).status == 409)
            #expect(try await server.identities() == 20)
        }
    }
}
