import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("POST /delete-user")
struct DeleteUserTests {
    private func delete(
        _ server: TestServer, as person: TestServer.Person? = nil, headers: [(String, String)] = [], _ body: String? = nil,
        by path: String = "/delete-user"
    ) async throws -> TestServer.Answer {
        try await server.send(
            "POST", path, as: person, headers: headers + (body == nil ? [] : [("Content-Type", "application/json")]),
            body: body.map { Data($0.utf8) })
    }

    @Test("a session with a fresh sign-in deletes the account; an older one gets 403 and changes nothing", arguments: Engine.allCases)
    func sessions(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            for body in [nil, "{}", #"{"keepCoves":true}"#, #"{"keepCoves":null,"other":1}"#] as [String?] {
                let (ada, refreshToken) = try await server.signUp("ada", name: "Ada")
                let answer = try await delete(server, as: ada, body)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try answer.json() as? [String: String] == ["message": "The account is deleted."])
                #expect(try await server.send("GET", "/user/me", as: ada).status == 401)
                #expect(try await server.refresh(refreshToken).status == 401)
                #expect(try await server.logIn("ada").status == 401)
                try await server.waitUntilErased(ada.id)
            }
            let (eve, _) = try await server.signUp("eve", name: "Eve")
            server.clock.advance(by: .minutes(11))
            let stale = try await delete(server, as: eve)
            #expect(stale.status == 403)
            #expect(try Set(stale.json().keys) == ["message"])
            #expect(try await server.send("GET", "/user/me", as: eve).status == 200)
        }
    }

    @Test("a cookie needs a fresh sign-in as well, and is removed", arguments: Engine.allCases)
    func cookies(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, _) = try await server.signUp("ada", name: "Ada")
            let cookie = try #require(try await server.send("POST", "/auth/session", as: ada).json()["cookie"] as? String)
            let foreign = try await delete(server, headers: [("Cookie", cookie), ("Origin", "https://evil.example.org")])
            #expect(foreign.status == 403)
            let answer = try await delete(server, headers: [("Cookie", cookie)])
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.header("Set-Cookie")?.contains("Max-Age=0") == true)
            #expect(try await server.send("GET", "/user/me", headers: [("Cookie", cookie)]).status == 401)
            let (eve, _) = try await server.signUp("eve", name: "Eve")
            let hers = try #require(try await server.send("POST", "/auth/session", as: eve).json()["cookie"] as? String)
            server.clock.advance(by: .minutes(11))
            #expect(try await delete(server, headers: [("Cookie", hers)]).status == 403)
        }
    }

    @Test("an issuer's identity token needs no fresh sign-in, but `/auth/delete` does", arguments: Engine.allCases)
    func identities(_ engine: Engine) async throws {
        try await TestServer.runWithFirebase(engine) { server, standIn in
            for kind in [IssuerStandIn.Issuer.firebase, .oidc] {
                let forge = IdentityForge(kind, standIn, server.clock)
                forge.claims["auth_time"] = forge.now - 86_400
                let bearer = [("Authorization", "Bearer \(try forge.sign())")]
                #expect(try await server.send("GET", "/user/me", headers: bearer).status == 200)
                let refused = try await server.send("POST", "/auth/delete", headers: bearer)
                #expect(refused.status == 403)
                #expect(try refused.json()["error"] as? String == "sign_in_again")
                server.clock.advance(by: .seconds(1))
                let answer = try await delete(server, headers: bearer, "{}")
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try await delete(server, headers: bearer).status == 401)
                #expect(try await server.send("GET", "/user/me", headers: bearer).status == 401)
            }
        }
    }

    @Test("refusals: no credential, a bad one, another method, and a body that is not one", arguments: Engine.allCases)
    func refusals(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            #expect(try await delete(server).status == 401)
            #expect(try await delete(server, as: TestServer.Person(id: "x", token: ada.token + "x")).status == 401)
            for method in ["GET", "PUT", "DELETE"] {
                let answer = try await server.send(method, "/delete-user", as: ada)
                #expect(answer.status == 405 && answer.header("Allow") == "POST", "\(method)")
                #expect(try Set(answer.json().keys) == ["message"])
            }
            for body in ["[]", "{", #"{"keepCoves":"yes"}"#, #"{"keepCoves":1}"#] {
                #expect(try await delete(server, as: ada, body).status == 400, "\(body)")
            }
            for body in ["[]", "{", #"{"keep_coves":"yes"}"#, #"{"keep_coves":1}"#, #"{"keepCoves":1}"#] {
                #expect(try await delete(server, as: ada, body, by: "/auth/delete").status == 400, "\(body)")
            }
            try await server.suspend(ada.id)
            #expect(try await delete(server, as: ada).status == 403)
            try await server.restore(ada.id)
            #expect(try await server.send("GET", "/user/me", as: ada).status == 200)
        }
    }

    @Test("of several deletions at once, by either route, one succeeds", arguments: Engine.allCases)
    func race(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            for _ in 0..<5 {
                let ada = try await server.person()
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<6 {
                        group.addTask {
                            try await server.send("POST", number.isMultiple(of: 2) ? "/delete-user" : "/auth/delete", as: ada).status
                        }
                    }
                    return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
                }
                // A request is 403 if the session ended between the check of its credential and the check that the sign-in is recent.
                #expect(statuses[200] == 1 && statuses.keys.allSatisfy { [200, 401, 403].contains($0) }, "\(statuses)")
                try await server.waitUntilErased(ada.id)
            }
        }
    }

    @Test("the phone number and the e-mail address are free again at once", arguments: Engine.allCases)
    func freed(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            try await server.setPhone("+4915123456789", of: ada)
            await #expect(throws: DatabaseError.self) { try await server.setPhone("+4915123456789", of: eve) }
            #expect(try await delete(server, as: ada).status == 200)
            try await server.setPhone("+4915123456789", of: eve)
            let again = try await server.person()
            #expect(again.id != ada.id)
        }
    }
}
