import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestKit
import TestThreads
import Testing

@Suite("Behind nginx with deploy/nginx.conf", .serialized, .blocksThreads)
struct NginxTests {
    @Test("nginx streams an upload, returns a range, and passes on a refusal before the body is sent")
    func bytes() async throws {
        try await Self.run { home in
            let film = Film.bytes(20 * 1_048_576, isRandom: true)
            let body = MultipartBody.file("a.mp4", film)
            let upload = try RawConnection(port: home.nginx.port)
            try upload.send(home.head("POST", "multimedia/swift", body.contentType, byteCount: body.data.count))
            try upload.send(body.data.prefix(10 * 1_048_576))
            // The server receives the first half before the client sends the second.
            #expect(Self.waits { home.wire.byteCount > 9 * 1_048_576 }, "\(home.wire.byteCount)")
            try upload.send(body.data.dropFirst(10 * 1_048_576))
            let answer = try upload.answer()
            #expect(answer.status == 200, "\(answer.text)")
            let path = try #require(answer.text.split(separator: "\"appUrl\":\"http://").last?.split(separator: "\"").first)
            let address = "/" + path.split(separator: "/").dropFirst().joined(separator: "/")

            try upload.send(home.head("GET", address, range: "bytes=5000000-5999999"))
            let range = try upload.answer()
            #expect(range.status == 206 && range.body == [UInt8](film[5_000_000..<6_000_000]))

            // The client sends no body: the response is the server's own, not nginx's error page.
            let refused = try RawConnection(port: home.nginx.port)
            try refused.send(home.head("POST", "profile-picture/swift", body.contentType, byteCount: 100 * 1_048_576))
            let refusal = try refused.answer()
            #expect(refusal.status == 413 && refusal.text.contains(#""code":413"#), "\(refusal.text)")
        }
    }

    @Test("a long poll returns at an event, a WebSocket opens, and HTTP/2 over TLS works")
    func events() async throws {
        try await Self.run { home in
            let before = try home.ask(home.head("GET", "/events?wait=0"))
            let since = before.text.split(separator: "\"seq\":").last?.prefix { $0.isNumber } ?? ""
            let poll = try RawConnection(port: home.nginx.port)
            try poll.send(home.head("GET", "/events?since=\(since)&wait=25"))
            let clock = ContinuousClock()
            let start = clock.now
            let body = MultipartBody.file("a.mp4", Film.bytes(1_000))
            let upload = try home.ask(home.head("POST", "multimedia/swift", body.contentType, byteCount: body.data.count), body.data)
            #expect(upload.status == 200)
            let answer = try poll.answer()
            #expect(answer.status == 200 && answer.text.contains("media.added"))
            #expect(clock.now - start < .seconds(20))

            let socket = try RawConnection(port: home.nginx.port)
            let handshake = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
            let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
            try socket.send(home.head("GET", "/ws/events?since=0", more: handshake + [key]))
            let switched = try socket.answer()
            // RFC 6455 §1.3 gives this value for the key.
            #expect(switched.status == 101 && switched.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")

            let page = try Tool.run(
                "curl",
                ["--silent", "--insecure", "--http2", "--write-out", " %{http_version}"]
                    + ["https://127.0.0.1:\(home.nginx.securePort)/health/live"])
            #expect(page == #"{"status":"ok"} 2"#)
        }
    }

    @Test("a client's forwarding fields, upgrade requests and invalid fields do not reach the server")
    func headers() async throws {
        try await Self.run { home in
            let lines = [
                "X-Forwarded-For: 6.6.6.6", "Forwarded: for=6.6.6.6", "X-Forwarded-Proto: gopher", "Upload-Draft-Interop-Version: 6",
                "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk", "X_Under: score",
            ]
            let answer = try home.ask("GET /health/live HTTP/1.1\r\nHost: a\r\n\(lines.joined(separator: "\r\n"))\r\n\r\n")
            #expect(answer.status == 200)
            #expect(answer.headers["server"] == "nginx")
            let seen = home.wire.text.lowercased()
            #expect(seen.contains("\r\nx-forwarded-for: 127.0.0.1\r\n") && seen.contains("\r\nx-forwarded-proto: http\r\n"))
            for word in ["6.6.6.6", "gopher", "upload-draft", "h2c", "x_under"] { #expect(!seen.contains(word), "\(word)") }
        }
    }

    @Test("nginx and the server each refuse an ambiguous request")
    func smuggling() async throws {
        try await Self.run { home in
            let hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
            let post = "POST /auth/refresh HTTP/1.1\r\nHost: a\r\n"
            for text in [
                post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
                post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + hidden,
                post + "Content-Length: 2\r\nContent-Length: 39\r\n\r\n{}" + hidden,
                post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}" + hidden,
                post + "Content-Length: 2, 2\r\n\r\n{}" + hidden,
                post + "Content-Length: +2\r\n\r\n{}" + hidden,
                post + "Content-Length : 2\r\n\r\n{}" + hidden,
                post + "Transfer-Encoding:\r\n chunked\r\nContent-Length: 2\r\n\r\n{}" + hidden,
                post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + hidden,
                "GET /health/live HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n",
                "GET /health/live HTTP/1.1\r\nHost: a\r\nX: a\rContent-Length: 5\r\n\r\n",
            ] {
                for port in [home.server.port, home.nginx.port] {
                    let connection = try RawConnection(port: port)
                    try connection.send(text)
                    #expect(try connection.answer().status == 400, "\(text)")
                    #expect(connection.isClosedByServer())
                }
            }
            #expect(!home.wire.text.contains("hidden"))
        }
    }

    @Test("nginx turns bare line feeds, which the server refuses, into CRLF and one request")
    func lineEnds() async throws {
        try await Self.run { home in
            let text = "GET /health/live HTTP/1.1\nHost: a\nX: y\n\n"
            let direct = try RawConnection(port: home.server.port)
            try direct.send(text)
            #expect(try direct.answer().status == 400)
            #expect(direct.isClosedByServer())
            // RFC 9112 §2.2 lets a recipient accept a bare LF, but it must not forward any.
            #expect(try home.ask(text).status == 200)
            let seen = home.wire.text
            #expect(seen.components(separatedBy: "\n").dropLast().allSatisfy { $0.hasSuffix("\r") })
            #expect(seen.components(separatedBy: " HTTP/1.1\r\n").count == 2)
        }
    }

    // MARK: Setup

    private struct Home {
        let server: ServerProcess
        let nginx: NginxProcess
        let wire: Wire
        let id: String
        let token: String

        /// - Parameter path: relative to the caller's library, or absolute if it begins with a slash.
        func head(
            _ method: String, _ path: String, _ contentType: String? = nil, byteCount: Int? = nil, range: String? = nil, more: [String] = []
        ) -> String {
            var lines = [
                "\(method) \(path.hasPrefix("/") ? path : "/api/users/user/\(id)/\(path)") HTTP/1.1", "Host: keepsake.example.org",
            ]
            lines.append("Authorization: Bearer \(token)")
            if let contentType { lines.append("Content-Type: \(contentType)") }
            if let byteCount { lines.append("Content-Length: \(byteCount)") }
            lines += more
            if let range { lines.append("Range: \(range)") }
            return lines.joined(separator: "\r\n") + "\r\n\r\n"
        }

        func ask(_ head: String, _ body: Data = Data()) throws -> RawConnection.Answer {
            let connection = try RawConnection(port: nginx.port)
            try connection.send(Data(head.utf8) + body)
            return try connection.answer()
        }
    }

    /// The bytes that nginx sent to the server.
    private final class Wire: Sendable {
        private let seen = Mutex<[UInt8]>([])
        func add(_ bytes: [UInt8]) { seen.withLock { $0 += bytes } }
        var byteCount: Int { seen.withLock { $0.count } }
        var text: String { String(decoding: seen.withLock { $0 }, as: UTF8.self) }
    }

    private static func run(_ test: (Home) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let environment = [
            "KEEPSAKE_RATE_LIMITS": "off", "KEEPSAKE_PUBLIC_URL": "http://keepsake.example.org", "KEEPSAKE_TRUSTED_PROXIES": "127.0.0.1",
        ]
        let server = try ServerProcess(data: folder.path, environment: environment)
        defer { server.killNow() }
        let wire = Wire()
        let proxy = try Proxy(toPort: server.port) { bytes, direction in
            if direction == .toServer { wire.add(bytes) }
            return .pass
        }
        defer { proxy.close() }
        let issued = try ServerProcess.run(
            ["token", "--data", folder.path, "--email", "ada@example.org", "--json"], environment: environment)
        let json = try JSONSerialization.jsonObject(with: Data(issued.output.utf8)) as? [String: String] ?? [:]
        let nginx = try NginxProcess.start(beforePort: proxy.port)
        try await test(Home(server: server, nginx: nginx, wire: wire, id: json["user_id"] ?? "", token: json["access_token"] ?? ""))
        #expect(!nginx.errors.contains("[alert]") && !nginx.errors.contains("[crit]"), "\(nginx.errors)")
    }

    /// Polls until `isSo` returns true, for at most thirty seconds.
    private static func waits(until isSo: () -> Bool) -> Bool {
        for _ in 0..<3_000 {
            if isSo() { return true }
            usleep(10_000)
        }
        return false
    }
}
