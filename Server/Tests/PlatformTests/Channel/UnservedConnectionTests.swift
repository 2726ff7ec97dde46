import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import TestKit
import TestThreads
import Testing

@testable import HTTPServer

@Suite("Connections and streams that no task serves any more", .serialized, .blocksThreads, .timeLimit(.minutes(1)))
struct UnservedConnectionTests {
    /// Accepts connections and serves none of them, as if the tasks that serve connections had been cancelled.
    private static func listen(_ ledger: ConnectionLedger) async throws -> any Channel {
        let limits = ChannelLimits()
        let handling = RequestHandling(
            respond: { _, _ in Response(status: .ok) }, refusal: { _ in Response(status: .badRequest) }, threads: globalConcurrentExecutor)
        let connections = HTTPChannel(handling: handling, limits: limits, tls: nil, ledger: ledger, readAhead: ReadAhead(limits))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in connections.setup(channel: channel, logger: logger).map { _ in } }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    @Test("a request on a connection that no task serves does not end the process")
    func http1() async throws {
        let ledger = ConnectionLedger(limits: ChannelLimits(), proxies: .none, isSecure: false)
        let listener = try await Self.listen(ledger)
        let client = try RawConnection(port: try #require(listener.localAddress?.port))
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        while ledger.connectionCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
        client.close()
        // The server reads the request before it sees that the client has closed the connection.
        while ledger.connectionCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
        try await listener.close()
    }

    @Test("a stream that a client begins after the connection's task was cancelled does not end the process")
    func http2() async throws {
        let listener = try await Self.listen(ConnectionLedger(limits: ChannelLimits(), proxies: .none, isSecure: false))
        let client = try RawHTTP2(port: try #require(listener.localAddress?.port))
        try client.request(1, "GET", "/", ends: true)
        try client.send(RawHTTP2.ping, payload: [1, 2, 3, 4, 5, 6, 7, 8])
        let answer = try client.frame { $0.type == RawHTTP2.ping && $0.flags == 1 }
        #expect(answer.payload == [1, 2, 3, 4, 5, 6, 7, 8])
        client.connection.close()
        try await listener.close()
    }
}
