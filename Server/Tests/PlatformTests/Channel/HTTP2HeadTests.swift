import TestThreads
import Testing

@testable import Web

@Suite("Heads of HTTP/2 requests", .serialized, .blocksThreads)
struct HTTP2HeadTests {
    @Test("a method of more than 32 letters is refused before the request is logged, and the connection continues")
    func longMethods() async throws {
        try await ChannelServer.run { server in
            let client = try RawHTTP2(port: server.port)
            for (stream, method, status) in [(UInt32(1), 33, 400), (3, 120, 400), (5, 32, 404)] {
                try client.request(stream, String(repeating: "M", count: method), "/hello", ends: true)
                let head = try client.frame { $0.stream == stream && $0.type == RawHTTP2.headers }
                #expect(RawHTTP2.status(head) == status, "\(method) letters")
            }
            let requests = server.metrics.page().split(separator: "\n").filter { $0.hasPrefix("keepsake_http_requests_total{") }
            #expect(requests == [#"keepsake_http_requests_total{method="other",route="unmatched",status="404"} 1"#])
        }
    }

    @Test("Host must have the same bytes as the authority, apart from the case of ASCII letters")
    func host() async throws {
        try await ChannelServer.run { server in
            let client = try RawHTTP2(port: server.port)
            // The last name begins with the Kelvin sign, whose lower case is a `k`.
            for (stream, host, status) in [(UInt32(1), "K.Example", 200), (3, "k.example.", 400), (5, "\u{212A}.example", 400)] {
                try client.request(stream, "GET", "/hello", [("host", host)], authority: "k.example", ends: true)
                let head = try client.frame { $0.stream == stream && $0.type == RawHTTP2.headers }
                #expect(RawHTTP2.status(head) == status, "\(host)")
            }
        }
    }
}
