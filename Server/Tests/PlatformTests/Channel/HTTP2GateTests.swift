import Core
import Foundation
import NIOCore
import NIOPosix
import TestKit
import TestThreads
import Testing

@testable import HTTPServer

@Suite("HTTP/2 streams that wait for their turn", .serialized, .blocksThreads)
struct HTTP2GateTests {
    private static func frame(_ type: UInt8, _ stream: UInt32, _ byteCount: Int = 0) -> [UInt8] {
        [0, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF), type, 0] + RawHTTP2.bytes(stream) + [UInt8](repeating: 1, count: byteCount)
    }

    /// Each with the number of streams opened by then. The payloads look like heads of HEADERS frames.
    private static let frames: [(bytes: [UInt8], count: Int)] = [
        (Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8), 0), (frame(RawHTTP2.settings, 0), 0), (frame(RawHTTP2.headers, 1, 300), 1),
        (frame(RawHTTP2.data, 1, 20), 1),
        // The reserved bit is set.
        (frame(RawHTTP2.headers, 0x8000_0003), 2),
        (frame(RawHTTP2.headers, 1, 5), 2), (frame(RawHTTP2.ping, 0, 8), 2), (frame(RawHTTP2.headers, 7, 1), 3), (frame(9, 7, 2), 4),
        (frame(RawHTTP2.windowUpdate, 5, 4), 4), (frame(RawHTTP2.headers, 5, 4), 4),
    ]

    @Test("frames that open streams are counted where they end, whatever pieces the bytes arrive in")
    func heads() {
        let frames = Self.frames
        let bytes = frames.flatMap(\.bytes)
        var ends: [Int: Int] = [:]
        var end = 0
        for frame in frames {
            end += frame.bytes.count
            ends[end] = frame.count
        }
        for size in 1...bytes.count {
            var (heads, count, wrong) = (FrameHeads(), 0, 0)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let stop = min(start + size, bytes.count)
                count += heads.streamCount(in: ByteBuffer(bytes: bytes[start..<stop]))
                if let expected = ends[stop], expected != count { wrong += 1 }
            }
            #expect(wrong == 0, "in pieces of \(size) bytes")
        }
    }

    @Test("connections that open a hundred streams each at the same moment get all responses, also to uploads whose rest has to wait")
    func atOnce() async throws {
        var limits = ChannelLimits()
        limits.openStreams = SharedBudget.Limits(total: 100_000, perAccount: .max, perNetwork: 100_000)
        limits.connectionsPerAddress = 10_000
        try await ChannelServer.run(limits) { server in
            let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
            let clients = try (0..<8 * loops.count).map { _ in try RawHTTP2(port: server.port) }
            // Meanwhile all requests arrive, and the loops find them in one pass.
            for loop in loops { loop.execute { Thread.sleep(forTimeInterval: 0.1) } }
            let streams = (0..<100).map { UInt32(2 * $0 + 1) }
            // POST /count and GET / in few bytes, so that one read brings many (RFC 7541 appendix A).
            let upload: [UInt8] = [0x83, 0x86, 4, 6] + Array("/count".utf8) + [1, 1, 0x61]
            for client in clients {
                try client.together {
                    try client.send(RawHTTP2.headers, flags: 4, stream: 1, payload: upload)
                    for stream in streams.dropFirst() {
                        try client.send(RawHTTP2.headers, flags: 5, stream: stream, payload: [0x82, 0x86, 0x84, 1, 1, 0x61])
                    }
                    try client.body(1, [1, 2, 3], ends: true)
                    try client.send(RawHTTP2.ping, payload: [1, 2, 3, 4, 5, 6, 7, 8])
                }
            }
            for client in clients {
                var (answered, refusedCount, pingCount): (Set<UInt32>, Int, Int) = ([], 0, 0)
                while answered.count < streams.count || pingCount == 0 {
                    let frame = try client.next()
                    switch frame.type {
                    case RawHTTP2.headers: answered.insert(frame.stream)
                    case RawHTTP2.reset where frame.errorCode != 0:
                        answered.insert(frame.stream)
                        refusedCount += 1
                    case RawHTTP2.ping where frame.flags == 1: pingCount += 1
                    case RawHTTP2.ping: try client.send(RawHTTP2.ping, flags: 1, payload: frame.payload)
                    default: break
                    }
                }
                #expect(answered == Set(streams) && refusedCount == 0)
            }
        }
    }

    @Test("over TLS, the requests of one client get all responses, also those beyond the streams of one turn")
    func secure() async throws {
        let identity = try TestIdentity()
        try await ChannelServer.run(identity: identity) { server in
            let run = try ServerProcess.run(
                [
                    "curl", "-sS", "--max-time", "120", "--http2", "--parallel", "--parallel-max", "100", "--cacert",
                    identity.certificatePath, "-o", "/dev/null", "-w", "%{http_version} %{http_code} %{size_download}\n",
                    server.url + "/hello?[1-400]",
                ], binary: "/usr/bin/env")
            let lines = run.output.split(separator: "\n")
            #expect(run.status == 0 && lines.count == 400, "\(run.errors)")
            #expect(Set(lines) == ["2 200 5"])
        }
    }

    // MARK: What a gate holds

    /// Collects what a gate passes on.
    private final class Passed: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var bytes: [UInt8] = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { bytes += unwrapInboundIn(data).readableBytesView }
    }

    /// A gate on a client's connection. Stays on its event loop.
    private final class Gated {
        let passed = Passed()
        let clock = ClientClock()
        private let entry: ConnectionLedger.Entry
        private let channel: any Channel

        init(_ channel: any Channel, _ ledger: ConnectionLedger, mostByteCount: Int) throws {
            self.channel = channel
            entry = try #require(ledger.enter(channel))
            let gate = HTTP2Gate(entry: entry, clock: clock, mostByteCount: mostByteCount)
            try channel.pipeline.syncOperations.addHandlers([gate, passed])
        }

        /// Opens so many streams that what the connection's network sends next has to wait.
        func takeTurn() { _ = entry.mayOpen(StreamTurns.streamCount) { 0 } }

        func receive(_ bytes: [UInt8], piece: Int? = nil) {
            for start in stride(from: 0, to: bytes.count, by: piece ?? bytes.count) {
                let stop = min(start + (piece ?? bytes.count), bytes.count)
                channel.pipeline.syncOperations.fireChannelRead(NIOAny(ByteBuffer(bytes: bytes[start..<stop])))
            }
        }
    }

    private struct GatedConnection: Sendable {
        let channel: any Channel
        let gated: NIOLoopBound<Gated>

        /// Waits until the gate has passed on so many bytes.
        func passed(_ count: Int) async throws -> [UInt8] {
            for _ in 0..<5_000 {
                let bytes = try await channel.eventLoop.submit { gated.value.passed.bytes }.get()
                if bytes.count >= count { return bytes }
                try await Task.sleep(for: .milliseconds(2))
            }
            return []
        }
    }

    /// Runs `test` with two connections of one network, on the same event loop.
    private static func connected(
        mostByteCount: Int = 131_072, _ test: (GatedConnection, GatedConnection) async throws -> Void
    ) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let ledger = ConnectionLedger(limits: ChannelLimits(), proxies: .none, isSecure: false)
        let (made, onMade) = AsyncStream.makeStream(of: GatedConnection.self)
        let listener = try await ServerBootstrap(group: eventLoop)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let gated = try Gated(channel, ledger, mostByteCount: mostByteCount)
                    onMade.yield(GatedConnection(channel: channel, gated: NIOLoopBound(gated, eventLoop: channel.eventLoop)))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let clients = try (0..<2).map { _ in try RawConnection(port: port) }
        var iterator = made.makeAsyncIterator()
        let first = try #require(await iterator.next())
        let second = try #require(await iterator.next())
        try await test(first, second)
        withExtendedLifetime(clients) {}
        try await listener.close()
    }

    @Test("what arrives while a connection waits passes in its order, and no time counts against its client", arguments: [1, 7, 100])
    func order(_ piece: Int) async throws {
        let bytes = Self.frames.flatMap(\.bytes)
        try await Self.connected { first, _ in
            let (before, isStill) = try await first.channel.eventLoop.submit {
                let gated = first.gated.value
                gated.takeTurn()
                gated.receive(bytes, piece: piece)
                let start = gated.clock.now()
                Thread.sleep(forTimeInterval: 0.002)
                return (gated.passed.bytes, gated.clock.now() == start)
            }.get()
            // The preface, SETTINGS, and the first HEADERS frame without its end.
            #expect(before.count < 24 + 9 + 309 && bytes.starts(with: before) && isStill)
            let after = try await first.passed(bytes.count)
            #expect(after == bytes)
            let isRunning = try await first.channel.eventLoop.submit {
                let clock = first.gated.value.clock
                let start = clock.now()
                Thread.sleep(forTimeInterval: 0.002)
                return clock.now() > start
            }.get()
            #expect(isRunning)
        }
    }

    @Test("a connection that ends while its bytes are held passes nothing on, and the next one of its network gets its turn")
    func ended() async throws {
        let bytes = Self.frames.flatMap(\.bytes)
        try await Self.connected { first, second in
            try await first.channel.eventLoop.submit {
                first.gated.value.takeTurn()
                first.gated.value.receive(bytes)
                second.gated.value.receive(bytes)
                first.channel.pipeline.syncOperations.fireChannelInactive()
            }.get()
            let ofSecond = try await second.passed(bytes.count)
            let ofFirst = try await first.passed(0)
            #expect(ofSecond == bytes && ofFirst.isEmpty)
        }
    }

    @Test("a connection that would have to hold more than its limit is closed, and the next one of its network gets its turn")
    func tooMuch() async throws {
        let bytes = Self.frames.flatMap(\.bytes)
        try await Self.connected(mostByteCount: 2 * bytes.count) { first, second in
            let isOpen = try await first.channel.eventLoop.submit {
                first.gated.value.takeTurn()
                first.gated.value.receive(bytes)
                second.gated.value.receive(bytes)
                first.gated.value.receive(Self.frame(RawHTTP2.data, 1, bytes.count - 9))
                let isOpen = first.channel.isActive
                first.gated.value.receive([0])
                return isOpen
            }.get()
            try await first.channel.closeFuture.get()
            let ofSecond = try await second.passed(bytes.count)
            let ofFirst = try await first.passed(0)
            #expect(isOpen && ofSecond == bytes && ofFirst.isEmpty)
        }
    }
}
