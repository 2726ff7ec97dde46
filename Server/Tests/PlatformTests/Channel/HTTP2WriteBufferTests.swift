import Core
import NIOCore
import NIOPosix
import TestKit
import TestThreads
import Testing

@testable import HTTPServer

@Suite("Write buffers of HTTP/2 connections", .blocksThreads)
struct HTTP2WriteBufferTests {
    private func size(_ channel: any Channel) throws -> Int? { try channel.syncOptions?.getOption(.writeBufferWaterMark).high }

    @Test("a full buffer becomes large while the budget has room, and small again when it is empty and no stream is open")
    func sizes() async throws {
        var limits = ChannelLimits()
        limits.writeBuffers = .init(total: limits.largeWriteBufferByteCount, perAccount: .max, perNetwork: .max)
        let (small, large, fixed) = (limits.writeBufferByteCount, limits.largeWriteBufferByteCount, limits)
        let ledger = ConnectionLedger(limits: limits, proxies: .none, isSecure: false)
        try await ChannelServer.run(routes: { _ in }) { server in
            let loop = MultiThreadedEventLoopGroup.singleton.any()
            let clients = ClientBootstrap(group: loop)
            let first = try await clients.connect(host: "127.0.0.1", port: server.port).get()
            let second = try await clients.connect(host: "127.0.0.1", port: server.port).get()
            try await loop.submit {
                let buffers = try [first, second].map { try HTTP2WriteBuffer(of: $0, fixed, #require(ledger.enter($0))) }
                #expect(try size(first) == small && size(second) == small)
                buffers[0].grow()
                buffers[1].grow()
                #expect(try size(first) == large && size(second) == small)
                // What is written and not flushed is in the buffer.
                first.write(ByteBuffer(repeating: 1, count: small + 1), promise: nil)
                buffers[0].shrink()
                #expect(try size(first) == large)
                first.flush()
                buffers[0].shrink()
                buffers[1].grow()
                #expect(try size(first) == small && size(second) == large)
            }.get()
            // The server may have closed the first one already, because what it got is no request.
            try? await first.close()
            try? await second.close()
        }
    }
}
