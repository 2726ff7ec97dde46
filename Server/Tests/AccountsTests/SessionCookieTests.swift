import Core
import Database
import Foundation
import HTTPServer
import TestKit
import Testing
import Web

@testable import FeatureTestKit
@testable import keepsake

@Suite("The session cookie")
struct SessionCookieTests {
    private func open(_ server: TestServer, _ person: TestServer.Person) async throws -> String {
        let answer = try await server.send("POST", "/auth/session", as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(try answer.json()["cookie"] as? String)
    }

    @Test(arguments: StoragePair.allCases)
    func `a bearer gets one, and with it everything a bearer may, on every surface`(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let answer = try await server.send("POST", "/auth/session", as: ada)
            let json = try answer.json()
            #expect(Set(json.keys) == ["cookie", "expires_at"])
            #expect((json["expires_at"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
            let cookie = try #require(json["cookie"] as? String)
            #expect(answer.header("Set-Cookie") == "\(cookie); Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax")
            #expect(cookie.wholeMatch(of: /keepsake=[A-Za-z0-9_-]{43}/) != nil)
            for field in [cookie, "a=b; \(cookie); c=d", "\(cookie);x", "keepsakes=1; \(cookie)"] {
                #expect(try await server.send("GET", "/user/me", headers: [("Cookie", field)]).status == 200, "\(field)")
            }
            let upload = MultipartBody.file("a.jpg", try Fixture.data("photo.jpg"))
            let path = "/api/users/user/\(ada.id)/multimedia"
            let kept = try await server.send(
                "POST", path + "/swift", headers: [("Cookie", cookie), ("Content-Type", upload.contentType)], body: upload.data)
            #expect(kept.status == 200)
            #expect(try await server.send("GET", path, headers: [("Cookie", cookie)]).status == 200)
            // The cookie gives no access to another user's path.
            #expect(try await server.send("GET", path.replacing(ada.id, with: "x"), headers: [("Cookie", cookie)]).status == 403)
            // The database stores only the cookie's hash.
            let stored = try await server.backend.database.read { tx in
                try tx.row("SELECT hash FROM session_cookie")!.get("hash", as: String.self)
            }
            #expect(!cookie.contains(stored))
        }
    }

    @Test(arguments: Engine.allCases)
    func `it ends when it is ended, with its session, and after 30 days`(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            func status(_ cookie: String) async throws -> Int {
                try await server.send("GET", "/user/me", headers: [("Cookie", cookie)]).status
            }
            let ada = try await server.person()
            let first = try await open(server, ada)
            let ended = try await server.send("DELETE", "/auth/session", headers: [("Cookie", first)])
            #expect(ended.status == 200 && ended.header("Set-Cookie")?.contains("Max-Age=0") == true)
            #expect(try await status(first) == 401)
            #expect(try await server.send("GET", "/user/me", as: ada).status == 200, "the tokens stay")
            let second = try await open(server, ada)
            server.clock.advance(by: .days(30) - .seconds(1))
            #expect(try await status(second) == 200)
            server.clock.advance(by: .seconds(2))
            #expect(try await status(second) == 401)
            let again = try await server.person()
            let third = try await open(server, again)
            #expect(try await server.send("POST", "/auth/signout", headers: [("Cookie", third)]).status == 200)
            #expect(try await status(third) == 401)
            #expect(try await server.send("POST", "/auth/session", as: again).status == 401)
        }
    }

    @Test func `a bad bearer is 401 even beside a good cookie, and a cookie makes no cookie`() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let cookie = try await open(server, ada)
            #expect(try await server.send("GET", "/user/me", headers: [("Cookie", cookie), ("Authorization", "Bearer x")]).status == 401)
            #expect(try await server.send("POST", "/auth/session", headers: [("Cookie", cookie)]).status == 401)
            for forged in ["keepsake=", "keepsake=\(ada.token)", "keepsake=\(String(repeating: "A", count: 43))", "__Host-\(cookie)"] {
                #expect(try await server.send("GET", "/user/me", headers: [("Cookie", forged)]).status == 401, "\(forged)")
            }
        }
    }

    @Test func `what changes something must come from a page of ours, of the list, or from no page`() async throws {
        try await TestServer.run(.sqlite, { $0.origins = ["https://app.example.org"] }) { server in
            let ada = try await server.person()
            let cookie = try await open(server, ada)
            for (origin, expected) in [
                (nil, 200), ("https://app.example.org", 200), (server.url, 200), ("https://evil.example.org", 403), ("null", 403),
                ("https://app.example.org.evil.example", 403),
            ] as [(String?, Int)] {
                let headers = [("Cookie", cookie), ("Content-Type", "application/json")] + (origin.map { [("Origin", $0)] } ?? [])
                let answer = try await server.send("PATCH", "/user/me", headers: headers, body: Data(#"{"name":"Ada"}"#.utf8))
                #expect(answer.status == expected, "\(origin ?? "none")")
                // Reading is allowed: the browser does not show the response to the page.
                #expect(try await server.send("GET", "/user/me", headers: headers).status == 200)
            }
            // Browsers never send a bearer token on their own, so any origin may use one.
            let bearer = [ada.bearer, ("Content-Type", "application/json"), ("Origin", "https://evil.example.org")]
            #expect(try await server.send("PATCH", "/user/me", headers: bearer, body: Data(#"{"name":"Ada"}"#.utf8)).status == 200)
        }
    }

    @Test func `behind a proxy that speaks TLS it is a host cookie`() async throws {
        try await TestServer.run(.sqlite, { $0.trustedProxies = .init("127.0.0.1")! }) { server in
            let ada = try await server.person()
            let https = ("X-Forwarded-Proto", "https")
            let answer = try await server.send("POST", "/auth/session", as: ada, headers: [https, ("X-Forwarded-For", "192.0.2.7")])
            let cookie = try #require(try answer.json()["cookie"] as? String)
            #expect(cookie.hasPrefix("__Host-keepsake="))
            #expect(answer.header("Set-Cookie") == "\(cookie); Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure")
            #expect(answer.header("Strict-Transport-Security") == "max-age=63072000")
            let forwarded = [https, ("X-Forwarded-For", "192.0.2.7"), ("Cookie", cookie)]
            #expect(try await server.send("GET", "/user/me", headers: forwarded).status == 200)
            #expect(try await server.send("GET", "/user/me", headers: [("Cookie", cookie)]).status == 401, "not over http")
        }
    }
}
