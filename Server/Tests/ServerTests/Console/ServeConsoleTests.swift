import ArgumentParser
import Console
import Crypto
import Foundation
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("The console's pages", .blocksThreads)
struct ServeConsoleTests {
    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml", "woff2": "font/woff2",
    ]

    @Test("each file is served with its content type and an ETag, and again only when it has changed")
    func files() async throws {
        try await TestServer.run(.sqlite) { server in
            for file in ConsoleFile.all where file.path != "missing.html" {
                let path = file.path == "index.html" ? "/console/" : "/console/\(file.path)"
                let answer = try await server.send("GET", path)
                #expect(answer.status == 200 && answer.body == Data(file.bytes), "\(path)")
                #expect(answer.header("Content-Type") == Self.types[URL(filePath: file.path).pathExtension], "\(path)")
                #expect(answer.header("Cache-Control") == "no-cache" && answer.header("X-Content-Type-Options") == "nosniff")
                let etag = try #require(answer.header("ETag"))
                #expect(etag == "\"" + SHA256.hash(data: answer.body).map { String(format: "%02x", $0) }.joined() + "\"")
                let again = try await server.send("GET", path, headers: [("If-None-Match", etag)])
                #expect(again.status == 304 && again.body.isEmpty && again.header("ETag") == etag)
                #expect(try await server.send("GET", path, headers: [("If-None-Match", "\"other\"")]).body == answer.body)
                let head = try await server.send("HEAD", path)
                #expect(head.status == 200 && head.header("Content-Length") == String(file.bytes.count) && head.header("ETag") == etag)
            }
        }
    }

    @Test("the pages learn the size of a file and the time zone that the operator set", arguments: [nil, "120"])
    func limits(_ setting: String?) async throws {
        let settings = try await Settings.read(Serve.parse(setting.map { ["--max-file-mb", $0] } ?? []).options, environment: [:])
        try await TestServer.run(.sqlite) {
            $0.uploads = settings.uploads
        } _: { server in
            let answer = try await server.send("GET", "/console/limits.json")
            #expect(answer.status == 200 && answer.header("Content-Type") == "application/json")
            #expect(try answer.json()["fileByteCount"] as? Int == (setting == nil ? 52_428_800 : 125_829_120))
            // `timeZone` must be a name that registrations accept.
            #expect(try answer.json()["timeZone"] as? String == "UTC")
        }
    }

    @Test("the server's root redirects to the console, and an unknown page is a 404 page with a message")
    func ways() async throws {
        try await TestServer.run(.sqlite) { server in
            // The test's client follows redirects.
            for path in ["/", "/console", "/console/"] {
                #expect(try await server.send("GET", path).text.contains("<title>Keepsake</title>"), "\(path)")
            }
            for path in [
                "/console/nothing", "/console/lib", "/console/lib/", "/console/lib/nothing.js", "/console/views/a/b",
                "/console/missing.html", "/console/index.html",
                "/console/lib/api.js/x",
            ] {
                let answer = try await server.send("GET", path)
                #expect(answer.status == 404 && answer.header("Content-Type") == Self.types["html"], "\(path)")
                #expect(answer.text.contains("Page not found") && answer.header("Cache-Control") == "no-store")
                #expect(answer.header("Content-Security-Policy")?.contains("script-src 'self'") == true)
            }
            let post = try await server.send("POST", "/console/", body: Data())
            #expect(post.status == 405 && post.header("Allow") == "GET, HEAD")
        }
    }

    @Test("no path leads out of the console's folder, however it is encoded")
    func traversal() async throws {
        try await TestServer.run(.sqlite) { server in
            for path in [
                "/console/../health/live", "/console/%2e%2e/health/live", "/console/..%2fhealth%2flive", "/console//etc/passwd",
                "/console/lib/..%5c..%5cPackage.swift", "/console/lib/../../../../etc/passwd", "/console/%00", "/console/lib%2fapi.js",
            ] {
                let answer = try Self.raw(path, server)
                #expect([400, 404].contains(answer.status), "\(path): \(answer.status)")
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(!text.contains("root:") && !text.contains(#""status":"ok""#) && !text.contains("swift-tools"), "\(path)")
            }
        }
    }

    /// Sends the path unchanged, because HTTP clients normalize addresses.
    private static func raw(_ path: String, _ server: TestServer) throws -> RawConnection.Answer {
        let connection = try RawConnection(port: server.port)
        try connection.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        return try connection.answer()
    }

    @Test("the console's pages may run only its own code, and other responses may run none")
    func fences() async throws {
        try await TestServer.run(.sqlite) { server in
            let policy = try #require(try await server.send("GET", "/console/").header("Content-Security-Policy"))
            let rules = Dictionary(
                uniqueKeysWithValues: policy.split(separator: ";").map { rule in
                    let words = rule.split(separator: " ").map(String.init)
                    return (words[0], words.dropFirst().joined(separator: " "))
                })
            #expect(rules["default-src"] == "'none'" && rules["base-uri"] == "'none'" && rules["form-action"] == "'none'")
            #expect(rules["frame-ancestors"] == "'none'" && rules["script-src"] == "'self'" && rules["style-src"] == "'self'")
            #expect(rules["font-src"] == "'self'")
            #expect(rules["connect-src"] == "'self'" && rules["require-trusted-types-for"] == "'script'")
            for word in ["unsafe", "http", "*", "data:", "ws:"] { #expect(!policy.contains(word), "\(word)") }
            for path in ["/console/app.js", "/console/style/base.css", "/console/nothing"] {
                #expect(try await server.send("GET", path).header("Content-Security-Policy") == policy)
            }
            let page = try await server.send("GET", "/console/")
            #expect(page.header("Permissions-Policy")?.contains("microphone=(self)") == true)
            #expect(page.header("Referrer-Policy") == "no-referrer" && page.header("Cross-Origin-Opener-Policy") == "same-origin")
            for path in ["/health/live", "/openapi.json", "/user/me", "/nothing", "/consoles"] {
                let answer = try await server.send("GET", path)
                #expect(answer.header("Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'", "\(path)")
                #expect(answer.header("Permissions-Policy") == nil)
            }
        }
    }

    @Test("a page on any of the server's names may use its cookie, and a page of another host may not")
    func names() async throws {
        try await TestServer.run(.sqlite, { $0.publicURL = "https://keepsake.example.org" }) { server in
            let ada = try await server.person()
            let cookie = try #require(try await server.send("POST", "/auth/session", as: ada).json()["cookie"] as? String)
            func rename(_ host: String, origin: String) async throws -> Int {
                let headers = [("Cookie", cookie), ("Origin", origin), ("Content-Type", "application/json")]
                let url = "http://\(host):\(server.port)/user/me"
                return try await server.send("PATCH", url, headers: headers, body: Data(#"{"name":"Ada"}"#.utf8)).status
            }
            let port = server.port
            #expect(try await rename("127.0.0.1", origin: "http://127.0.0.1:\(port)") == 200)
            #expect(try await rename("localhost", origin: "http://localhost:\(port)") == 200)
            #expect(try await rename("127.0.0.1", origin: "https://keepsake.example.org") == 200)
            for origin in [
                "http://localhost:\(port)", "https://127.0.0.1:\(port)", "http://127.0.0.1", "http://127.0.0.1:\(port + 1)",
                "http://127.0.0.1.evil.example:\(port)", "null", "",
            ] {
                #expect(try await rename("127.0.0.1", origin: origin) == 403, "\(origin)")
            }
        }
    }
}
