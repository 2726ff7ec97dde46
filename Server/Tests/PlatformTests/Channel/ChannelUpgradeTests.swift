import Core
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

@Suite("Protocol upgrades", .serialized, .blocksThreads)
struct ChannelUpgradeTests {
    /// A protocol that echoes every byte and ends after a `.`.
    private static func echo(_ router: Router<WebContext>) {
        router.get("/echo") { request, context -> Response in
            guard request.headers[.authorization] == "Bearer good" else { throw Problem(.unauthenticated, "Who is it?") }
            guard let upgrade = context.upgrade else { throw Problem(.invalid, "This route accepts only upgrade requests.") }
            upgrade.takeOver(
                configure: { channel in try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel) },
                serve: { channel in
                    try await channel.executeThenClose { inbound, outbound in
                        for try await bytes in inbound {
                            try await outbound.write(bytes)
                            if bytes.readableBytesView.last == UInt8(ascii: ".") { break }
                        }
                    }
                })
            return Response(status: .switchingProtocols, headers: [.upgrade: "websocket", .connection: "upgrade"])
        }
    }

    private static func head(_ path: String = "/echo", token: String? = "good", _ fields: [String] = []) -> String {
        (["GET \(path) HTTP/1.1", "Host: a", "Upgrade: websocket", "Connection: keep-alive, Upgrade"]
            + (token.map { ["Authorization: Bearer \($0)"] } ?? []) + fields + ["", ""]).joined(separator: "\r\n")
    }

    @Test("the response is 101, bytes sent right after the request arrive, and both sides exchange bytes until the end")
    func takenOver() async throws {
        try await ChannelServer.run(routes: Self.echo) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(Self.head() + "behind it")
            let answer = try connection.answer()
            #expect(answer.status == 101)
            #expect(answer.headers["upgrade"] == "websocket" && answer.headers["connection"] == "upgrade")
            #expect(answer.headers["content-length"] == nil && answer.headers["transfer-encoding"] == nil)
            #expect(try connection.bytes(9) == Array("behind it".utf8))
            for size in [1, 100, 100_000, 3_000_000] {
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) | 0x80 }
                let sending = Task.detached(executorPreference: BlockingThreads.shared) { try connection.send(bytes) }
                #expect(try connection.bytes(size) == bytes)
                try await sending.value
            }
            try connection.send(".")
            #expect(try connection.bytes(1) == [UInt8(ascii: ".")])
            #expect(connection.isClosedByServer())
        }
    }

    @Test("any request of a connection can upgrade, also a pipelined one")
    func laterRequest() async throws {
        try await ChannelServer.run(routes: Self.echo) { server in
            let connection = try RawConnection(port: server.port)
            let hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
            try connection.send(hello)
            #expect(try connection.answer().text == "hello")
            try connection.send(hello + hello + Self.head() + "GET / HTTP/1.1\r\n")
            #expect(try connection.answer().text == "hello")
            #expect(try connection.answer().text == "hello")
            #expect(try connection.answer().status == 101)
            #expect(try connection.bytes(16) == Array("GET / HTTP/1.1\r\n".utf8))
        }
    }

    @Test("a refused upgrade is an ordinary error response, and the connection continues with HTTP")
    func refused() async throws {
        try await ChannelServer.run(routes: Self.echo) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(Self.head(token: nil))
            let refusal = try connection.answer()
            #expect(refusal.status == 401 && refusal.text.contains("Who is it?") && refusal.headers["x-request-id"] != nil)
            try connection.send(Self.head("/nothing") + "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n" + Self.head())
            #expect(try connection.answer().status == 404)
            #expect(try connection.answer().text == "hello")
            #expect(try connection.answer().status == 101)
        }
    }

    @Test(
        "a request that is no valid upgrade gets an HTTP response and does not hang",
        arguments: [
            "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: TLS/1.0, smoke/2\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nab",
            "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: upgrade,, upgrade\r\nConnection: UPGRADE\r\nUpgrade: h2c\r\n\r\n",
        ])
    func notOne(_ request: String) async throws {
        try await ChannelServer.run(routes: Self.echo) { server in
            let connection = try RawConnection(port: server.port)
            for _ in 0..<3 {
                try connection.send(request)
                #expect(try connection.answer().text == "hello")
            }
            // A route that cannot upgrade the connection throws, and the response is 400.
            try connection.send(
                request.replacing("/hello", with: "/echo").replacing("Host: a", with: "Host: a\r\nAuthorization: Bearer good"))
            #expect(try connection.answer().status == 400)
        }
    }

    @Test("a client that stops reading an upgraded connection loses it; a slow reader does not")
    func slowReader() async throws {
        var limits = ChannelLimits()
        limits.answer = MinimumRate(start: .milliseconds(1_500), ceiling: .milliseconds(1_500), bytesPerSecond: 100_000)
        let (ends, onEnd) = AsyncStream.makeStream(of: Void.self)
        try await ChannelServer.run(
            limits,
            routes: { router in
                router.get("/echo") { _, context -> Response in
                    context.upgrade?.takeOver(
                        configure: { channel in try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel) },
                        serve: { channel in
                            defer { onEnd.yield() }
                            try await channel.executeThenClose { _, outbound in
                                while true { try await outbound.write(ByteBuffer(repeating: 7, count: 100_000)) }
                            }
                        })
                    return Response(status: .switchingProtocols, headers: [.upgrade: "websocket", .connection: "upgrade"])
                }
            }
        ) { server in
            let slow = try RawConnection(port: server.port)
            try slow.send(Self.head())
            #expect(try slow.answer().status == 101)
            for _ in 0..<25 {
                _ = try slow.bytes(1_000_000)
                try await Task.sleep(for: .milliseconds(100))
            }
            let start = ContinuousClock.now
            var iterator = ends.makeAsyncIterator()
            _ = await iterator.next()
            let took = ContinuousClock.now - start
            #expect(took < .seconds(20), "\(took)")
            withExtendedLifetime(slow) {}
        }
    }

    @Test("an upgraded protocol is notified when the server stops, and ends")
    func stopping() async throws {
        final class Goodbye: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            typealias OutboundOut = ByteBuffer
            func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
                guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
                context.writeAndFlush(NIOAny(ByteBuffer(string: "bye")), promise: nil)
                context.close(promise: nil)
            }
        }
        let connection = try await ChannelServer.run(routes: { router in
            router.get("/echo") { _, context -> Response in
                context.upgrade?.takeOver(
                    configure: { channel in
                        try channel.pipeline.syncOperations.addHandler(Goodbye())
                        return channel
                    }, serve: { channel in try await channel.closeFuture.get() })
                return Response(status: .switchingProtocols, headers: [.upgrade: "websocket", .connection: "upgrade"])
            }
        }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(Self.head())
            #expect(try connection.answer().status == 101)
            return connection
        }
        #expect(try connection.bytes(3) == Array("bye".utf8))
        #expect(connection.isClosedByServer())
    }
}
