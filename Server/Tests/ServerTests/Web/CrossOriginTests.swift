import Foundation
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Pages of other origins")
struct CrossOriginTests {
    private static let app = ("Origin", "https://app.example.org")

    @Test func `of the list may ask and read, errors too; others are told nothing`() async throws {
        try await TestServer.run(.sqlite, { $0.origins = ["https://app.example.org"] }) { server in
            let path = "/api/users/user/x/multimedia"
            let preflight = try await server.send(
                "OPTIONS", path,
                headers: [Self.app, ("Access-Control-Request-Method", "GET"), ("Access-Control-Request-Headers", "authorization")])
            #expect(preflight.status == 204 && preflight.body.isEmpty)
            #expect(preflight.header("Access-Control-Allow-Origin") == "https://app.example.org")
            #expect(preflight.header("Access-Control-Allow-Credentials") == "true")
            #expect(preflight.header("Access-Control-Allow-Methods") == "GET, HEAD, OPTIONS")
            let fields = Set(preflight.header("Access-Control-Allow-Headers")?.split(separator: ", ").map(String.init) ?? [])
            // A page needs these headers to sign in, to repeat a creation, and to resume a download or a stream.
            #expect(fields.isSuperset(of: ["Authorization", "Content-Type", "Idempotency-Key", "If-Range", "Range", "Last-Event-ID"]))
            #expect(preflight.header("Vary") == "Origin")
            for (method, target, status) in [("GET", path, 401), ("GET", "/nowhere", 404), ("PUT", "/user/me", 405)] {
                let answer = try await server.send(method, target, headers: [Self.app])
                #expect(answer.status == status)
                #expect(answer.header("Access-Control-Allow-Origin") == "https://app.example.org")
                #expect(answer.header("Access-Control-Expose-Headers")?.contains("X-Request-Id") == true)
            }
            for origin in ["https://evil.example.org", "null", "https://app.example.org:8443", "http://app.example.org"] {
                let headers = [("Origin", origin), ("Access-Control-Request-Method", "GET")]
                let answer = try await server.send("OPTIONS", path, headers: headers)
                #expect(answer.status == 204 && answer.header("Access-Control-Allow-Origin") == nil, "\(origin)")
            }
        }
    }

    @Test func `OPTIONS says what a route takes, and an unknown route has no OPTIONS`() async throws {
        try await TestServer.run(.sqlite) { server in
            let answer = try await server.send("OPTIONS", "/user/me")
            #expect(answer.status == 204 && answer.header("Allow") == "GET, HEAD, OPTIONS, PATCH")
            #expect(answer.header("Access-Control-Allow-Origin") == nil)
            #expect(try await server.send("OPTIONS", "/nowhere").status == 404)
        }
    }

    @Test func `every answer tells browsers what not to do with it`() async throws {
        try await TestServer.run(.sqlite) { server in
            for path in ["/health/live", "/user/me", "/nowhere"] {
                let answer = try await server.send("GET", path)
                #expect(answer.header("X-Content-Type-Options") == "nosniff")
                #expect(answer.header("Referrer-Policy") == "no-referrer")
                #expect(answer.header("Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'")
                #expect(answer.header("Strict-Transport-Security") == nil)
            }
        }
    }
}
