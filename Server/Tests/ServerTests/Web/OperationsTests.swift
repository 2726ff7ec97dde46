import Accounts
import Core
import Database
import Foundation
import S3Blobs
import Synchronization
import TestKit
import TestThreads
import Testing
import Web

@testable import FeatureTestKit
@testable import keepsake

@Suite("Health and metrics", .blocksThreads)
struct OperationsTests {
    @Test("the server reports that it is live and ready", arguments: Engine.allCases)
    func health(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            #expect(try await server.send("GET", "/health/live").text == #"{"status":"ok"}"#)
            // Retry, because the check has a deadline that the object store may miss once on a busy machine.
            try await eventually { try await server.send("GET", "/health/ready").status == 200 }
            let ready = try await server.send("GET", "/health/ready")
            #expect(try ready.json() as? [String: String] == ["status": "ok", "database": "ok", "blobs": "ok"])
        }
    }

    @Test("without its database the server is live but not ready", arguments: Engine.allCases)
    func notReady(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            try await server.backend.database.close()
            #expect(try await server.send("GET", "/health/live").status == 200)
            let ready = try await server.send("GET", "/health/ready")
            #expect(ready.status == 503)
            #expect(try ready.json()["database"] as? String == "failed")
        }
    }

    private final class Store: Sendable {
        let isAway = Mutex(false)
    }

    @Test("readiness and metrics cover the object store")
    func objectStore() async throws {
        let store = Store()
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { _ in store.isAway.withLock { $0 } ? .lose : .none }
        let address = BlobAddress.s3(try CephService.address(port: proxy.port), CephService.credentials)
        try await TestServer.run(.sqlite, { $0.blobs = address }) { server in
            // Retry, because the check has a deadline that the object store may miss on a busy machine.
            try await eventually { try await server.send("GET", "/health/ready").status == 200 }
            _ = try await BlobStoreSuite.put(BlobStoreSuite.bytes(1_000), in: server.backend.blobs)
            let page = try await server.send("GET", "/metrics").text
            for line in [
                #"keepsake_s3_requests_total{operation="PutObject",status="200"} 1"#,
                #"keepsake_s3_sent_bytes_total{operation="PutObject"} 1000"#,
                #"keepsake_s3_request_seconds_count{operation="PutObject"} 1"#,
            ] { #expect(page.contains(line), "\(page)") }
            store.isAway.withLock { $0 = true }
            // The server keeps the last results for a second.
            try await eventually { try await server.send("GET", "/health/ready").status == 503 }
            let ready = try await server.send("GET", "/health/ready")
            #expect(try ready.json()["blobs"] as? String == "failed")
            let later = try await server.send("GET", "/metrics").text
            // The number of attempts depends on how long each one takes, and on how often the server checked the store before it was ready.
            #expect(later.contains(/keepsake_s3_requests_total\{operation="HeadBucket",status="none"\} (?:[2-9]|[1-9][0-9])\n/), "\(later)")
            #expect(later.contains(/keepsake_s3_retries_total\{operation="HeadBucket"\} [1-9][0-9]?\n/), "\(later)")
            #expect(later.contains(/keepsake_s3_errors_total\{operation="HeadBucket"\} (?:[2-9]|[1-9][0-9])\n/), "\(later)")
        }
    }

    @Test("public addresses require a Host that names the server, except for its health", arguments: Engine.allCases)
    func names(_ engine: Engine) async throws {
        try await TestServer.run(
            engine,
            {
                $0.publicURL = "https://keepsake.example.org"; $0.origins = ["https://app.example.org"]
            }
        ) { server in
            func read(_ path: String, host: String, _ fields: String = "") throws -> RawConnection.Answer {
                let connection = try RawConnection(port: server.port)
                try connection.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\(fields)\r\n")
                return try connection.answer()
            }
            let open = ["/metrics", "/openapi.json", "/.well-known/jwks.json", "/"]
            for path in open {
                for host in ["127.0.0.1:\(server.port)", "localhost", "[::1]:1", "keepsake.example.org", "app.example.org:8443"] {
                    #expect(try read(path, host: host).status < 400, "\(path) \(host)")
                }
                for host in ["evil.example", "evil.example:\(server.port)", "127.0.0.1.evil.example", "192.0.2.1"] {
                    let refused = try read(path, host: host)
                    #expect(refused.status == 403 && refused.text.contains("Host"), "\(path) \(host)")
                    #expect(try read(path, host: host, "Cookie: keepsake=x\r\n").status == 403, "\(path) \(host)")
                    for health in ["/health/live", "/health/ready"] { #expect(try read(health, host: host).status == 200) }
                }
            }
            // A request with a token may use any Host.
            let admin = try await server.backend.accounts.issueToken(email: "root@example.org", isAdmin: true)
            let bearer = "Authorization: Bearer \(admin.accessToken)\r\n"
            for path in ["/metrics", "/user/me"] { #expect(try read(path, host: "evil.example", bearer).status == 200, "\(path)") }
            #expect(try read("/metrics", host: "evil.example", "Authorization: Bearer x\r\n").status == 401)
        }
    }

    @Test("the token for metrics opens the metrics from anywhere, and no other route", arguments: Engine.allCases)
    func metricsToken(_ engine: Engine) async throws {
        let token = String(repeating: "0123456789abcdef", count: 4)
        try await TestServer.run(engine, { $0.metricsToken = MetricsToken(Secret(token)) }) { server in
            func status(_ path: String, _ token: String) async throws -> Int {
                let headers = [("X-Forwarded-For", "203.0.113.9"), ("Authorization", "Bearer \(token)")]
                return try await server.send("GET", path, headers: headers).status
            }
            #expect(try await status("/metrics", token) == 200)
            for wrong in [String(token.dropLast()), token + "0", token.uppercased(), "", "x"] {
                #expect(try await status("/metrics", wrong) == 401, "\(wrong)")
            }
            for path in ["/user/me", "/admin/status", "/events", "/auth/sessions"] {
                #expect(try await status(path, token) == 401, "\(path)")
            }
            let admin = try await server.backend.accounts.issueToken(email: "root@example.org", isAdmin: true)
            #expect(try await status("/metrics", admin.accessToken) == 200)
            #expect(try await server.send("GET", "/metrics", headers: [("X-Forwarded-For", "203.0.113.9")]).status == 401)
            #expect(!"\(server.backend.settings)".contains(token))
            // `/metrics` with this token needs no account, so it works without the database.
            try await server.backend.database.close()
            #expect(try await status("/metrics", token) == 200)
        }
    }

    @Test(
        "metrics count requests by route, never by path, and are readable only from this machine or by an administrator",
        arguments: Engine.allCases)
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
