import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TestKit
import TestThreads
import Testing

@testable import Web

/// Tests with curl, a client that shares no code with the server.
@Suite("HTTP with curl", .serialized, .blocksThreads)
struct CurlProtocolTests {
    enum Way: String, CaseIterable, Sendable {
        case http1 = "HTTP/1.1"
        case upgradeToHTTP2 = "HTTP/1.1 with Upgrade: h2c"
        case priorKnowledge = "HTTP/2 by prior knowledge"
        case tlsHTTP1 = "HTTP/1.1 over TLS"
        case tlsHTTP2 = "HTTP/2 over TLS"

        var isSecure: Bool { self == .tlsHTTP1 || self == .tlsHTTP2 }
        var flags: [String] {
            switch self {
            case .http1, .tlsHTTP1: ["--http1.1"]
            case .upgradeToHTTP2, .tlsHTTP2: ["--http2"]
            case .priorKnowledge: ["--http2-prior-knowledge"]
            }
        }
        var version: String { self == .priorKnowledge || self == .tlsHTTP2 ? "2" : "1.1" }
    }

    private func curl(_ server: ChannelServer, _ way: Way, _ arguments: [String]) throws -> String {
        var all = ["curl", "-sS", "--max-time", "120"] + way.flags
        if let identity = server.identity { all += ["--cacert", identity.certificatePath] }
        let run = try ServerProcess.run(all + arguments, binary: "/usr/bin/env")
        #expect(run.status == 0, "\(way.rawValue): \(run.errors)")
        return run.output
    }

    private func serving(
        _ way: Way, routes: (Router<WebContext>) -> Void = { _ in }, _ test: @Sendable (ChannelServer) async throws -> Void
    ) async throws {
        let identity = way.isSecure ? try TestIdentity() : nil
        try await ChannelServer.run(identity: identity, routes: routes, test)
    }

    @Test("curl gets a response, and two on one connection", arguments: Way.allCases)
    func get(_ way: Way) async throws {
        try await serving(way) { server in
            let url = server.url + "/hello"
            // curl 7.88 cannot reuse a connection with prior knowledge (curl issue 10634); `HTTP2Tests` covers that.
            let isOnce = way == .priorKnowledge
            let output = try curl(server, way, ["-w", " %{http_version} %{num_connects}\n", url] + (isOnce ? [] : [url]))
            #expect(output == "hello \(way.version) 1\n" + (isOnce ? "" : "hello \(way.version) 0\n"))
        }
    }

    // An HTTP/2 client refuses a stream on which the response to HEAD has a body (RFC 9113 §8.1.1).
    @Test("a refused HEAD has no body, and the connection stays", arguments: Way.allCases.filter { $0 != .priorKnowledge })
    func refusedHead(_ way: Way) async throws {
        try await serving(way) { server in
            let url = server.url + "/nowhere"
            let arguments = ["-I", "-o", "/dev/null", "-o", "/dev/null", "-w", "%{http_code} %{num_connects}\n", url, url]
            let output = try curl(server, way, arguments)
            #expect(output == "404 1\n404 0\n")
        }
    }

    @Test("a body of 20 MB arrives whole, also without a length and after 100 Continue", arguments: Way.allCases)
    func upload(_ way: Way) async throws {
        try await serving(way) { server in
            let folder = try TemporaryFolder()
            let file = folder.path + "/body"
            try Data(count: 20_000_000).write(to: URL(filePath: file))
            let url = server.url + "/count"
            #expect(try curl(server, way, ["--data-binary", "@" + file, url]) == "20000000")
            #expect(try curl(server, way, ["-T", "-", "-X", "POST", url], input: file) == "20000000")
            // With this option, curl waits longer for the status 100 than its total time limit allows.
            let waits = ["-H", "Expect: 100-continue", "--expect100-timeout", "600"]
            #expect(try curl(server, way, waits + ["--data-binary", "@" + file, url]) == "20000000")
        }
    }

    private func curl(_ server: ChannelServer, _ way: Way, _ arguments: [String], input: String) throws -> String {
        var words = ["curl", "-sS", "--max-time", "120"] + way.flags + arguments
        if let identity = server.identity { words += ["--cacert", identity.certificatePath] }
        let line = words.map { "'\($0)'" }.joined(separator: " ") + " < '\(input)'"
        let run = try ServerProcess.run(["-c", line], binary: "/bin/sh")
        #expect(run.status == 0, "\(way.rawValue): \(run.errors)")
        return run.output
    }

    @Test("a response of 20 MB arrives whole", arguments: Way.allCases)
    func download(_ way: Way) async throws {
        try await serving(
            way,
            routes: { router in
                router.get("/large") { _, _ in
                    Response(
                        status: .ok,
                        body: ResponseBody { writer in
                            for _ in 0..<80 { try await writer.write(ByteBuffer(repeating: 7, count: 250_000)) }
                            try await writer.finish(nil)
                        })
                }
            }
        ) { server in
            let output = try curl(server, way, ["-o", "/dev/null", "-w", "%{http_code} %{size_download}", server.url + "/large"])
            #expect(output == "200 20000000")
        }
    }

    @Test("a client that is still sending its body receives an early error response", arguments: Way.allCases)
    func refusal(_ way: Way) async throws {
        try await serving(
            way,
            routes: { router in
                router.post("/refuse") { request, _ -> Response in
                    var count = 0
                    for try await chunk in request.body {
                        count += chunk.readableBytes
                        if count > 100_000 { break }
                    }
                    return Response(status: .contentTooLarge, body: ResponseBody(byteBuffer: ByteBuffer(string: "too much")))
                }
            }
        ) { server in
            let folder = try TemporaryFolder()
            let file = folder.path + "/body"
            try Data(count: 50_000_000).write(to: URL(filePath: file))
            let output = try curl(
                server, way, ["-w", " %{http_code} %{size_upload}", "-H", "Expect:", "--data-binary", "@" + file, server.url + "/refuse"])
            let words = output.split(separator: " ")
            #expect(output.hasPrefix("too much 413"))
            #expect(words.last.flatMap { Int($0) }.map { $0 < 30_000_000 } == true, "it should not send all of it: \(output)")
        }
    }

    @Test("one HTTP/2 connection carries thirty requests at a time")
    func parallel() async throws {
        try await serving(.tlsHTTP2) { server in
            var arguments = ["--parallel", "--parallel-max", "30", "-w", "%{http_version}:%{num_connects}\n"]
            for _ in 0..<30 { arguments += ["-o", "/dev/null", server.url + "/hello"] }
            let lines = try curl(server, .tlsHTTP2, arguments).split(separator: "\n")
            #expect(lines.count == 30 && lines.allSatisfy { $0.hasPrefix("2:") })
            #expect(lines.filter { $0 == "2:1" }.count == 1, "\(lines)")
        }
    }

    @Test("a server with a certificate accepts neither TLS 1.1 nor plain HTTP")
    func tlsOnly() async throws {
        try await serving(.tlsHTTP1) { server in
            let identity = try #require(server.identity)
            let old = try ServerProcess.run(
                [
                    "curl", "-sS", "--max-time", "60", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0", "--cacert",
                    identity.certificatePath, server.url + "/hello",
                ],
                binary: "/usr/bin/env")
            #expect(old.status == 35, "\(old.errors)")
            let plain = try ServerProcess.run(
                ["curl", "-sS", "--max-time", "60", server.url.replacing("https", with: "http") + "/hello"], binary: "/usr/bin/env")
            #expect(plain.status != 0 && !plain.output.contains("hello"))
        }
    }
}
