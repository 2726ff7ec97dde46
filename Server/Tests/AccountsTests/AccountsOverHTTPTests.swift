import Core
import Foundation
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// The accounts feature as clients see it: surface 4's JSON over a real socket.
@Suite("Accounts over HTTP")
struct AccountsOverHTTPTests {
    private func post(_ server: TestServer, _ path: String, _ json: String, token: String? = nil) async throws -> TestServer.Answer {
        try await server.send(
            "POST", path, headers: [("Content-Type", "application/json")] + (token.map { [("Authorization", "Bearer \($0)")] } ?? []),
            body: Data(json.utf8))
    }

    @Test("registering, signing in, refreshing and reading one's own account answer as the document shows", arguments: Engine.allCases)
    func journey(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let registered = try await post(
                server, "/auth/password/register", #"{"email":"Ada@Example.org","password":"correct horse","name":"Ada"}"#)
            #expect(registered.status == 200, "\(registered.text)")
            let user = try #require(try registered.json()["user"] as? [String: Any])
            #expect(Set(user.keys) == ["id", "email", "name", "created_at", "is_pro_user", "outside_engines", "time_zone"])
            #expect(user["email"] as? String == "ada@example.org" && user["is_pro_user"] as? Bool == false)
            #expect(user["created_at"] as? String == "2026-06-01T12:00:00.000000Z")
            let first = try #require(try registered.json()["token"] as? [String: String])
            #expect(Set(first.keys) == ["access_token", "refresh_token", "expires_at"])
            #expect(first["expires_at"] == "2026-06-01T13:00:00.000000Z")

            let signedIn = try await post(server, "/auth/password/login", #"{"email":"ada@example.org","password":"correct horse"}"#)
            #expect(signedIn.status == 200)
            let refreshed = try await post(server, "/auth/refresh", #"{"refresh_token":"\#(first["refresh_token"]!)"}"#)
            #expect(refreshed.status == 200)
            #expect(Set(try refreshed.json().keys) == ["access_token", "refresh_token", "expires_at"])

            let token = try #require(try refreshed.json()["access_token"] as? String)
            let bearer = [("Authorization", "Bearer \(token)")]
            let me = try await server.send("GET", "/user/me", headers: bearer)
            #expect(me.status == 200)
            #expect(try me.json()["name"] as? String == "Ada")
            let changed = try await server.send(
                "PATCH", "/user/me", headers: bearer, body: Data(#"{"name":null,"id":"x","is_pro_user":true}"#.utf8))
            #expect(changed.status == 200)
            #expect(try changed.json()["name"] is NSNull)
            #expect(try changed.json()["is_pro_user"] as? Bool == false)
            let refused = [
                (#"{"name":"Eve","email":"eve@example.org"}"#, "POST /auth/email/change"), (#"{"email":null}"#, "e-mail address"),
                (#"{"name":"Eve","password":"battery staple"}"#, "POST /auth/password/change"),
            ]
            for (body, reason) in refused {
                let answer = try await server.send("PATCH", "/user/me", headers: bearer, body: Data(body.utf8))
                #expect(answer.status == 400 && answer.text.contains(reason), "\(answer.text)")
            }
            let unchanged = try await server.send("GET", "/user/me", headers: bearer).json()
            #expect(unchanged["name"] is NSNull && unchanged["email"] as? String == "ada@example.org")

            #expect(try await post(server, "/auth/signout", "", token: token).status == 200)
            #expect(try await server.send("GET", "/user/me", headers: bearer).status == 401)
        }
    }

    private static let badRequests: [(path: String, json: String, status: Int, word: String, field: String?)] = [
        ("/auth/password/register", #"{"email":"nobody","password":"correct horse"}"#, 400, "email", "email"),
        ("/auth/password/register", #"{"email":"a@b.c","password":"short"}"#, 400, "password", "password"),
        ("/auth/password/register", #"{"email":"a@b.c","password":"Password1"}"#, 400, "common", "password"),
        ("/auth/password/register", #"{"email":"a@b.c"}"#, 400, "password", "password"),
        ("/auth/password/register", #"{"email":5,"password":"x"}"#, 400, "email", "email"),
        ("/auth/password/login", "{", 400, "JSON", nil),
        ("/auth/password/login", #"{"email":"a@b.c","password":"wrong horse"}"#, 401, "", nil),
        ("/auth/refresh", #"{"refresh_token":"nonsense"}"#, 401, "", nil), ("/auth/refresh", "{}", 400, "refresh_token", "refresh_token"),
    ]

    @Test("refusals follow surface 4 and name the field", arguments: Engine.allCases)
    func refusals(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            for (path, json, status, word, field) in Self.badRequests {
                let answer = try await post(server, path, json)
                #expect(answer.status == status, "\(path) \(json): \(answer.text)")
                let body = try answer.json()
                #expect(Set(body.keys) == ["error", "message"], "\(path) \(json)")
                #expect(answer.header("Error-Field") == field, "\(path) \(json)")
                #expect((body["message"] as? String)?.contains(word) == true || word.isEmpty, "\(path) \(json): \(answer.text)")
            }
        }
    }

    @Test("a body beyond the limit is 413 and nothing is stored", arguments: Engine.allCases)
    func tooLarge(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let answer = try await post(
                server, "/auth/password/register", #"{"email":"a@b.c","password":"\#(String(repeating: "x", count: 20_000))"}"#)
            #expect(answer.status == 413)
        }
    }

    @Test("the public keys need no credential and may be cached", arguments: Engine.allCases)
    func keys(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            _ = try await server.person()
            let answer = try await server.send("GET", "/.well-known/jwks.json")
            #expect(answer.status == 200 && answer.header("Cache-Control") == "public, max-age=300")
            let keys = try #require(try answer.json()["keys"] as? [[String: String]])
            #expect(keys.count == 1)
            #expect(Set(keys[0].keys) == ["kty", "crv", "use", "alg", "kid", "x", "y"])
            #expect(keys[0]["alg"] == "ES256" && keys[0]["kty"] == "EC")
        }
    }

    @Test(
        "when registration is closed or needs an invitation, registering is 403", arguments: [Settings.Registration.invite, .closed],
        Engine.allCases)
    func registration(mode: Settings.Registration, _ engine: Engine) async throws {
        try await TestServer.run(engine) {
            $0.registration = mode
        } _: { server in
            let answer = try await post(server, "/auth/password/register", #"{"email":"a@b.c","password":"correct horse"}"#)
            #expect(answer.status == 403)
        }
    }
}
