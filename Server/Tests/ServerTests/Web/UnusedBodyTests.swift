import Foundation
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// Requests that have a body although their route takes none.
@Suite("Bodies that a route does not take", .blocksThreads)
struct UnusedBodyTests {
    private func head(_ person: TestServer.Person, _ path: String, _ fields: [String]) -> String {
        (["GET \(path) HTTP/1.1", "Host: localhost", "Authorization: Bearer \(person.token)"] + fields + ["", ""]).joined(separator: "\r\n")
    }

    @Test("a short body is dropped, and the connection serves the next request", arguments: StoragePair.allCases)
    func short(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let connection = try RawConnection(port: server.port)
            for _ in 0..<2 {
                try connection.send(head(ada, "/user/me", ["Content-Length: 16384"]) + String(repeating: "a", count: 16_384))
                #expect(try connection.answer().status == 200)
                try connection.send(head(ada, "/user/me", ["Transfer-Encoding: chunked"]) + "2\r\n{}\r\n0\r\n\r\n")
                #expect(try connection.answer().status == 200)
            }
        }
    }

    @Test("a long body is refused with 413, whether its length was announced or not", arguments: StoragePair.allCases)
    func long(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let announced = try RawConnection(port: server.port)
            try announced.send(head(ada, "/events?wait=25", ["Content-Length: 16385"]))
            let refused = try announced.answer()
            #expect(refused.status == 413 && String(decoding: refused.body, as: UTF8.self).contains("takes no body"))
            let chunked = try RawConnection(port: server.port)
            try chunked.send(
                head(ada, "/events?wait=25", ["Transfer-Encoding: chunked"]) + "4001\r\n" + String(repeating: "a", count: 16_385) + "\r\n")
            #expect(try chunked.answer().status == 413)
        }
    }

    @Test("a client that waits for 100 Continue gets it for a short body, and 413 for a long one")
    func expectation() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let connection = try RawConnection(port: server.port)
            try connection.send(head(ada, "/user/me", ["Content-Length: 2", "Expect: 100-continue"]))
            #expect(try connection.answer().status == 100)
            try connection.send("{}")
            #expect(try connection.answer().status == 200)
            try connection.send(head(ada, "/user/me", ["Content-Length: 100000", "Expect: 100-continue"]))
            #expect(try connection.answer().status == 413)
        }
    }

    @Test("over HTTP/2, a long body is refused, too")
    func http2() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            for (byteCount, status) in [(16_384, "200"), (16_385, "413")] {
                let body = FileManager.default.temporaryDirectory.appending(path: "unused-\(UUID().uuidString)")
                try Data(repeating: 97, count: byteCount).write(to: body)
                defer { try? FileManager.default.removeItem(at: body) }
                let curl = try ServerProcess.run(
                    [
                        "curl", "-sS", "--http2-prior-knowledge", "--max-time", "60", "-o", "/dev/null", "-w",
                        "%{http_version} %{http_code}",
                        "-X", "GET", "-H", "\(ada.bearer.0): \(ada.bearer.1)", "--data-binary", "@\(body.path)", "\(server.url)/user/me",
                    ], binary: "/usr/bin/env")
                #expect(curl.output == "2 \(status)", "\(curl.errors)")
            }
        }
    }
}
