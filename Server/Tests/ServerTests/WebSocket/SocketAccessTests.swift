import Foundation
import Logging
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Who may open a socket", .blocksThreads)
struct SocketAccessTests {
    private func status(_ server: TestServer, _ query: String, _ headers: [(String, String)]) throws -> Int {
        let connection = try RawConnection(port: server.port)
        try connection.send(WebSocketClient.request("/ws/events\(query)", headers))
        return try connection.answer().status
    }

    @Test(arguments: Engine.allCases)
    func `the credential is asked for before the upgrade, in the header or the query`(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            #expect(try status(server, "", [ada.bearer]) == 101)
            #expect(try status(server, "?access_token=\(ada.token)", []) == 101)
            #expect(try status(server, "", []) == 401)
            #expect(try status(server, "?access_token=", []) == 401)
            #expect(try status(server, "?access_token=\(ada.token)x", []) == 401)
            #expect(try status(server, "", [("Authorization", "Bearer nonsense")]) == 401)
            #expect(try status(server, "?access_token=\(ada.token)", [("Authorization", "Bearer nonsense")]) == 401, "the header counts")
            #expect(try status(server, "", [("Authorization", "Basic YWRhOngK")]) == 401)
            // Other routes do not accept a token in the query.
            #expect(try await server.send("GET", "/events?wait=0&access_token=\(ada.token)").status == 401)
        }
    }

    @Test func `a page of another origin may not, one of ours or of the list may`() async throws {
        try await TestServer.run(.sqlite, { $0.origins = ["https://app.example.org"] }) { server in
            let ada = try await server.person()
            for (origin, expected) in [
                ("https://app.example.org", 101), (server.url, 101), ("https://evil.example.org", 403), ("null", 403),
                ("http://127.0.0.1:1", 403),
            ] {
                #expect(try status(server, "", [ada.bearer, ("Origin", origin)]) == expected, "\(origin)")
            }
        }
    }

    @Test func `an app whose library sends the URL of the socket as its origin may open one`() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            // Starscream sends scheme, host and port of the URL that it opens.
            for origin in ["ws://127.0.0.1:\(server.port)", "wss://keepsake.example.org", "WSS://keepsake.example.org"] {
                #expect(try status(server, "", [ada.bearer, ("Origin", origin)]) == 101, "\(origin)")
            }
            // The Origin proves nothing about the caller.
            #expect(try status(server, "", [("Origin", "ws://127.0.0.1:\(server.port)")]) == 401)
            for origin in ["wsx://keepsake.example.org", "https://wss://keepsake.example.org", "wss:keepsake.example.org", "ws"] {
                #expect(try status(server, "", [ada.bearer, ("Origin", origin)]) == 403, "\(origin)")
            }
        }
    }

    @Test func `what is no handshake is refused in the words of the surface`() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let plain = try await server.send("GET", "/ws/events", as: ada)
            #expect(plain.status == 426)
            #expect(plain.header("Upgrade") == "websocket" && plain.header("Sec-WebSocket-Version") == "13")
            #expect(Set(try plain.json().keys) == ["error", "message"])
            #expect(try await server.send("GET", "/ws/events").status == 426)
            for method in ["POST", "HEAD", "PUT", "DELETE"] {
                let answer = try await server.send(method, "/ws/events", as: ada)
                #expect(answer.status == 405 && answer.header("Allow") == "GET", "\(method)")
            }
            #expect(try status(server, "?since=-1", [ada.bearer]) == 400)
            #expect(try status(server, "?since=x", [ada.bearer]) == 400)
            let old = try RawConnection(port: server.port)
            try old.send(WebSocketClient.request("/ws/events", [ada.bearer]).replacingOccurrences(of: "HTTP/1.1", with: "HTTP/1.0"))
            #expect(try old.answer().status == 400)
            let key = try RawConnection(port: server.port)
            try key.send(WebSocketClient.request("/ws/events", [ada.bearer]).replacingOccurrences(of: "dGhlIHNhb", with: "dGhlIHNh*"))
            #expect(try key.answer().status == 400)
        }
    }

    @Test func `over HTTP/2 the answer says that it takes HTTP/1_1, and breaks no rule of HTTP/2`() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let curl = try ServerProcess.run(
                [
                    "curl", "-s", "-S", "--http2-prior-knowledge", "-w", " %{http_version} %{http_code}", "-H",
                    "\(ada.bearer.0): \(ada.bearer.1)",
                ]
                    + ["\(server.url)/ws/events"], binary: "/usr/bin/env")
            #expect(curl.output.hasSuffix(" 2 426") && curl.output.contains("HTTP/1.1"), "\(curl.output) \(curl.errors)")
        }
    }

    @Test func `a refused connection goes on with HTTP`() async throws {
        try await TestServer.run(.sqlite) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(WebSocketClient.request("/ws/events"))
            #expect(try connection.answer().status == 401)
            try connection.send("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try connection.answer().status == 200)
        }
    }

    @Test func `no token of a query is ever logged`() async throws {
        let lines = LogLines(level: .trace)
        let token = try await TestServer.run(.sqlite, logger: lines.logger) { server in
            let ada = try await server.person()
            #expect(try status(server, "?access_token=\(ada.token)&since=-1", []) == 400)
            #expect(try status(server, "?access_token=\(ada.token)x", []) == 401)
            #expect(try status(server, "?access_token=\(ada.token)", [("Origin", "https://evil.example.org")]) == 403)
            let client = try WebSocketClient(port: server.port, path: "/ws/events?access_token=\(ada.token)")
            try client.close()
            _ = try client.next()
            return ada.token
        }
        let text = lines.text
        #expect(text.contains("/ws/events") && text.contains("101"))
        #expect(!text.contains(token) && !text.contains(token.suffix(40)) && !text.contains("access_token"))
    }
}
