import Core
import Foundation
import Hummingbird
import NIOCore
import NIOPosix
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

@Suite("The last response of a connection arrives", .serialized, .blocksThreads)
struct LastResponseTests {
    private static func routes(_ router: Router<WebContext>) {
        router.post("/refuse") { _, _ -> Response in throw Problem(.unauthenticated, "Who is it?") }
        router.post("/sixty") { _, _ -> ByteBuffer in ByteBuffer(repeating: 7, count: 60_000) }
        router.get("/later") { _, _ -> String in
            try await Task.sleep(for: .milliseconds(100))
            return "later"
        }
    }

    private static let bodyByteCount = 8_000_000

    /// Requests that the server refuses before their body has arrived: by a handler, for their head, and for the framing of their body.
    private static let refused = [
        "POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: \(bodyByteCount)\r\n\r\n",
        "POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n",
        "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    ]

    @Test("a client that sends its whole body before it reads gets the response, and no reset", arguments: LastResponseTests.refused)
    func wholeBody(_ head: String) async throws {
        try await ChannelServer.run(routes: Self.routes) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(head)
            try connection.send([UInt8](repeating: 97, count: Self.bodyByteCount))
            let answer = try connection.answer()
            #expect([400, 401].contains(answer.status) && answer.headers["connection"] == "close")
            #expect(throws: RawConnection.Failure.closed) { try connection.bytes(1) }
        }
    }

    @Test("curl gets the response to a refused upload over TLS")
    func secure() async throws {
        let identity = try TestIdentity()
        let file = identity.folder.path + "/body"
        try Data(repeating: 97, count: Self.bodyByteCount).write(to: URL(filePath: file))
        try await ChannelServer.run(identity: identity, routes: Self.routes) { server in
            let run = try ServerProcess.run(
                [
                    "curl", "-sS", "--max-time", "60", "--http1.1", "--cacert", identity.certificatePath, "-H", "Expect:", "--data-binary",
                    "@\(file)", "-o", "/dev/null", "-w", "%{http_code}", server.url + "/refuse",
                ], binary: "/usr/bin/env")
            #expect(run.status == 0 && run.output == "401", "\(run.errors)")
        }
    }

    @Test("a client that sends without end is disconnected, and the server reads only a limited number of its bytes")
    func endless() async throws {
        var limits = ChannelLimits()
        limits.linger = .milliseconds(300)
        limits.lingerByteCount = 500_000
        try await ChannelServer.run(limits, routes: Self.routes) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
            #expect(try connection.answer().status == 401)
            let piece = [UInt8](repeating: 97, count: 65_536)
            var sentByteCount = 0
            do {
                while sentByteCount < 500_000_000 {
                    try connection.send(piece)
                    sentByteCount += piece.count
                }
            } catch RawConnection.Failure.reset {}
            // The kernel's buffers take some of these bytes.
            #expect(sentByteCount < 40_000_000)
        }
    }

    @Test("a client that ends its side after a request that is refused gets the refusal")
    func ended() async throws {
        try await ChannelServer.run(routes: Self.routes) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\nBAD\r\n\r\n")
            connection.endSending()
            #expect(try connection.answer().text == "later")
            #expect(try connection.answer().status == 400)
            #expect(throws: RawConnection.Failure.closed) { try connection.bytes(1) }
        }
    }

    @Test("a request that arrives on a connection beyond the limits gets its 503, and no reset")
    func tooMany() async throws {
        var limits = ChannelLimits()
        limits.connectionsPerAddress = 1
        try await ChannelServer.run(limits) { server in
            let first = try RawConnection(port: server.port)
            try first.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try first.answer().text == "hello")
            // Meanwhile the second client sends its request, so the server finds it when it accepts the connection.
            for loop in Array(MultiThreadedEventLoopGroup.singleton.makeIterator()) {
                loop.execute { Thread.sleep(forTimeInterval: 0.1) }
            }
            let second = try RawConnection(port: server.port)
            try second.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try second.answer().status == 503)
            #expect(throws: RawConnection.Failure.closed) { try second.bytes(1) }
            withExtendedLifetime(first) {}
        }
    }

    #if canImport(Glibc)
        @Test("a client that does not read its last response is disconnected, also if its request ends after the response")
        func unread() async throws {
            var limits = ChannelLimits()
            limits.answer = MinimumRate(start: .milliseconds(300), ceiling: .milliseconds(300), bytesPerSecond: 1_000_000)
            limits.unsentByteCount = 4_096
            try await ChannelServer.run(limits, routes: Self.routes) { server in
                let connection = try RawConnection(port: server.port, receiveByteCount: 4_096)
                try connection.send("POST /sixty HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
                try await Task.sleep(for: .milliseconds(100))
                try connection.send("abc")
                try await Task.sleep(for: .milliseconds(900))
                // The kernel holds the beginning of the response.
                #expect(throws: RawConnection.Failure.self) { try connection.answer() }
            }
        }
    #endif
}
