import Accounts
import Database
import Foundation
import TestKit
import Testing

@testable import keepsake

@Suite("Health and metrics")
struct OperationsTests {
    @Test("the server says that it lives and can work", arguments: Engine.allCases)
    func health(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            #expect(try await server.send("GET", "/health/live").text == #"{"status":"ok"}"#)
            let ready = try await server.send("GET", "/health/ready")
            #expect(ready.status == 200)
            #expect(try ready.json() as? [String: String] == ["status": "ok", "database": "ok", "blobs": "ok"])
        }
    }

    @Test("without its database the server lives, but is not ready", arguments: Engine.allCases)
    func notReady(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            try await server.backend.database.close()
            #expect(try await server.send("GET", "/health/live").status == 200)
            let ready = try await server.send("GET", "/health/ready")
            #expect(ready.status == 503)
            #expect(try ready.json()["database"] as? String == "failed")
        }
    }

    @Test("metrics count requests by route, never by path, and are for this machine or an administrator", arguments: Engine.allCases)
    func metrics(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            #expect(try await server.send("GET", "/api/users/user/\(ada.id)/multimedia", as: ada).status == 200)
            _ = try await server.send("PROPFIND", "/coffee")
            let page = try await server.send("GET", "/metrics")
            #expect(page.status == 200)
            #expect(page.header("Content-Type")?.hasPrefix("text/plain; version=0.0.4") == true)
            #expect(
                page.text.contains(
                    #"keepsake_http_requests_total{method="GET",route="/api/users/user/{userId}/multimedia",status="200"} 1"#),
                "\(page.text)")
            #expect(page.text.contains(#"keepsake_http_requests_total{method="other",route="unmatched",status="404"} 1"#))
            #expect(page.text.contains("# TYPE keepsake_http_request_seconds histogram"))
            #expect(!page.text.contains(ada.id) && !page.text.contains("PROPFIND"))
            let forwarded = [("X-Forwarded-For", "203.0.113.9")]
            #expect(try await server.send("GET", "/metrics", headers: forwarded).status == 401)
            #expect(try await server.send("GET", "/metrics", as: ada, headers: forwarded).status == 403)
            let admin = try await server.backend.accounts.issueToken(email: "root@example.org", isAdmin: true)
            #expect(
                try await server.send("GET", "/metrics", headers: forwarded + [("Authorization", "Bearer \(admin.accessToken)")]).status
                    == 200)
        }
    }
}
