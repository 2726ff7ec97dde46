import Core
import Foundation
import NIOCore
import NIOPosix
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

@Suite("TLS handshakes that wait for their turn", .serialized, .blocksThreads)
struct HandshakeGateTests {
    /// Collects what a gate passes on, how many reads it says are complete, and after how many bytes the client has ended its side.
    private final class Passed: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var bytes: [UInt8] = []
        var completeCount = 0
        var endedAfter: Int?

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { bytes += unwrapInboundIn(data).readableBytesView }

        func channelReadComplete(context: ChannelHandlerContext) { completeCount += 1 }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { endedAfter = bytes.count }
        }
    }

    /// A gate on a client's connection. Stays on its event loop.
    private final class Gated {
        let passed = Passed()
        private let channel: any Channel

        init(_ channel: any Channel, _ ledger: ConnectionLedger) throws {
            self.channel = channel
            let entry = try #require(ledger.enter(channel))
            let gate = HandshakeGate(entry: entry, mostByteCount: 100)
            try channel.pipeline.syncOperations.addHandlers([gate, passed])
        }

        func receive(_ bytes: [UInt8]) { channel.pipeline.syncOperations.fireChannelRead(NIOAny(ByteBuffer(bytes: bytes))) }

        /// The client ends its side of the connection, and still reads.
        func end() { channel.pipeline.syncOperations.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    }

    private struct GatedConnection: Sendable {
        let channel: any Channel
        let gated: NIOLoopBound<Gated>

        /// Waits until the gate has passed on `count` bytes.
        func passed(_ count: Int) async throws -> (bytes: [UInt8], completeCount: Int, endedAfter: Int?) {
            for _ in 0..<5_000 {
                let passed = try await channel.eventLoop.submit {
                    let passed = gated.value.passed
                    return (bytes: passed.bytes, completeCount: passed.completeCount, endedAfter: passed.endedAfter)
                }.get()
                if passed.bytes.count >= count { return passed }
                try await Task.sleep(for: .milliseconds(2))
            }
            return ([], 0, nil)
        }
    }

    /// The number of handshakes of one network that continue in a pass.
    private static let share = StreamTurns.streamCount / HandshakeGate.cost

    /// Runs `test` with connections of one network, on the same event loop.
    private static func connected(_ count: Int, _ test: ([GatedConnection]) async throws -> Void) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let ledger = ConnectionLedger(limits: ChannelLimits(), proxies: .none, isSecure: true)
        let (made, onMade) = AsyncStream.makeStream(of: GatedConnection.self)
        let listener = try await ServerBootstrap(group: eventLoop)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let gated = try Gated(channel, ledger)
                    onMade.yield(GatedConnection(channel: channel, gated: NIOLoopBound(gated, eventLoop: channel.eventLoop)))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let clients = try (0..<count).map { _ in try RawConnection(port: port) }
        var iterator = made.makeAsyncIterator()
        var connections: [GatedConnection] = []
        for _ in 0..<count { connections.append(try #require(await iterator.next())) }
        try await test(connections)
        withExtendedLifetime(clients) {}
        try await listener.close()
    }

    @Test("one pass of an event loop continues a few handshakes of a network, and the others follow in later passes")
    func turns() async throws {
        try await Self.connected(2 * Self.share) { connections in
            let passedCount = try await connections[0].channel.eventLoop.submit {
                for (index, connection) in connections.enumerated() { connection.gated.value.receive([UInt8(index), 1]) }
                // Bytes that arrive while a connection waits follow the first ones.
                for connection in connections.suffix(Self.share) { connection.gated.value.receive([2]) }
                return connections.count { !$0.gated.value.passed.bytes.isEmpty }
            }.get()
            #expect(passedCount == Self.share)
            for (index, connection) in connections.enumerated() {
                let hasWaited = index >= Self.share
                let passed = try await connection.passed(hasWaited ? 3 : 2)
                #expect(passed.bytes == [UInt8(index), 1] + (hasWaited ? [2] : []))
                #expect(!hasWaited || passed.completeCount == 1)
            }
        }
    }

    @Test("when a client ends its side of a connection that waits, TLS learns it after the held bytes")
    func halfClosed() async throws {
        try await Self.connected(Self.share + 1) { connections in
            let last = connections[Self.share]
            try await last.channel.eventLoop.submit {
                for connection in connections { connection.gated.value.receive([1, 2]) }
                for connection in connections { connection.gated.value.end() }
            }.get()
            for connection in connections {
                let passed = try await connection.passed(2)
                #expect(passed.bytes == [1, 2] && passed.endedAfter == 2)
            }
        }
    }

    @Test("a connection that would have to hold more than its limit is closed, and the next one of its network gets its turn")
    func tooMuch() async throws {
        try await Self.connected(Self.share + 2) { connections in
            let (first, second) = (connections[Self.share], connections[Self.share + 1])
            try await first.channel.eventLoop.submit {
                for connection in connections { connection.gated.value.receive([UInt8](repeating: 1, count: 60)) }
                first.gated.value.receive([UInt8](repeating: 1, count: 41))
            }.get()
            try await first.channel.closeFuture.get()
            let ofSecond = try await second.passed(60)
            let ofFirst = try await first.passed(0)
            #expect(ofSecond.bytes.count == 60 && ofFirst.bytes.isEmpty)
        }
    }

    @Test("clients that connect at the same moment all get their responses", arguments: ["--http1.1", "--http2"])
    func atOnce(_ version: String) async throws {
        let identity = try TestIdentity()
        try await ChannelServer.run(identity: identity) { server in
            let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
            // Meanwhile all clients connect, and the loops find them in one pass.
            for loop in loops { loop.execute { Thread.sleep(forTimeInterval: 0.1) } }
            let run = try ServerProcess.run(
                [
                    "curl", "-sS", "--max-time", "60", version, "--parallel", "--parallel-immediate", "--parallel-max", "50", "--cacert",
                    identity.certificatePath, "-o", "/dev/null", "-w", "%{http_code} %{size_download}\n", server.url + "/hello?[1-50]",
                ], binary: "/usr/bin/env")
            let lines = run.output.split(separator: "\n")
            #expect(run.status == 0 && lines.count == 50, "\(run.errors)")
            #expect(Set(lines) == ["200 5"])
        }
    }
}
