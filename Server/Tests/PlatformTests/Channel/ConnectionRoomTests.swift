import HTTPServer
import TestKit
import TestThreads
import Testing

@testable import Web

@Suite("Memory of connections", .serialized, .blocksThreads)
struct ConnectionRoomTests {
    private static var limits: ChannelLimits {
        var limits = ChannelLimits()
        limits.idle = .seconds(30)
        return limits
    }

    @Test("a connection counts more once it uses HTTP/2, and then closes as many idle ones as it needs")
    func http2Memory() async throws {
        var limits = Self.limits
        limits.leastIdle = .milliseconds(50)
        limits.connectionReservePercent = 0
        // There is room for two connections with HTTP/2, and little more.
        limits.connectionMemoryByteCount = 2 * limits.http2ByteCount + 5 * limits.plainConnectionByteCount
        try await ChannelServer.run(limits) { server in
            let idle = try (0..<2).map { _ in try RawHTTP2(port: server.port) }
            for client in idle { _ = try client.next() }
            try await Task.sleep(for: .milliseconds(100))
            let plain = try RawConnection(port: server.port)
            try plain.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try plain.answer().text == "hello")
            #expect(server.metrics.page().contains("keepsake_connections_closed_total 0\n"))
            let new = try RawHTTP2(port: server.port)
            _ = try new.next()
            let page = server.metrics.page()
            #expect(page.contains("keepsake_connections_closed_total 1\n"), "\(page)")
            #expect(page.contains("keepsake_connections_refused_total 0\n"))
            withExtendedLifetime((idle, plain)) {}
        }
    }

    @Test("networks with many connections leave half of the room to others")
    func reserve() async throws {
        var limits = Self.limits
        limits.connectionMemoryByteCount = 32 * limits.plainConnectionByteCount
        try await ChannelServer.run(limits) { server in
            func isServed(from source: String) throws -> (Bool, RawConnection) {
                let connection = try RawConnection(port: server.port, from: source)
                try connection.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                return (try connection.answer().status == 200, connection)
            }
            let greedy = try (0..<24).map { _ in try isServed(from: "127.0.0.2") }
            #expect(greedy.count(where: \.0) == 16)
            let (isOtherServed, _) = try isServed(from: "127.0.0.3")
            #expect(isOtherServed)
        }
    }
}
