import Core
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

@Suite("HTTP/2 streams that wait for their turn", .serialized, .blocksThreads)
struct HTTP2GateTests {
    private static func frame(_ type: UInt8, _ stream: UInt32, _ byteCount: Int = 0) -> [UInt8] {
        [0, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF), type, 0] + RawHTTP2.bytes(stream) + [UInt8](repeating: 1, count: byteCount)
    }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Frames in the order in which they arrive. Each has the counts (`FrameHeads.Count`) of all frames up to and including itself. The
    /// payloads look like heads of HEADERS frames.
    static let frames: [(bytes: [UInt8], opening: Int, others: Int, unlimited: Int)] = [
        (preface, 0, 0, 0), (frame(RawHTTP2.settings, 0), 0, 1, 0), (frame(RawHTTP2.headers, 1, 300), 1, 1, 0),
        (frame(RawHTTP2.data, 1, 512), 1, 1, 0), (frame(RawHTTP2.data, 1, 511), 1, 2, 0),
        // The reserved bit is set.
        (frame(RawHTTP2.headers, 0x8000_0003), 2, 2, 0),
        (frame(RawHTTP2.headers, 1, 5), 2, 3, 1), (frame(RawHTTP2.ping, 0, 8), 2, 4, 1), (frame(RawHTTP2.headers, 7, 1), 3, 4, 1),
        (frame(9, 7, 2), 4, 4, 1), (frame(RawHTTP2.windowUpdate, 5, 4), 4, 5, 2), (frame(RawHTTP2.headers, 5, 4), 4, 6, 3),
        (frame(0x77, 0), 4, 7, 4), (frame(2, 7, 5), 4, 8, 4), (frame(RawHTTP2.reset, 7, 4), 4, 9, 4),
        (frame(RawHTTP2.goAway, 0, 8), 4, 10, 5),
    ]

    @Test("frames are counted by their kind where they end, whatever pieces the bytes arrive in")
    func heads() {
        let frames = Self.frames
        let bytes = frames.flatMap(\.bytes)
        var ends: [Int: FrameHeads.Count] = [:]
        var end = 0
        for frame in frames {
            end += frame.bytes.count
            ends[end] = FrameHeads.Count(opening: frame.opening, others: frame.others, unlimited: frame.unlimited)
        }
        for size in 1...bytes.count {
            var (heads, count, wrong) = (FrameHeads(), FrameHeads.Count(), 0)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let stop = min(start + size, bytes.count)
                let new = heads.count(in: ByteBuffer(bytes: bytes[start..<stop]))
                count.opening += new.opening
                count.others += new.others
                count.unlimited += new.unlimited
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
            // POST /count and GET / in few bytes, so that one read brings many requests (RFC 7541 appendix A).
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

    // MARK: Frames that need a reason

    @Test(
        "a client that acknowledges each piece twice, or twice for each 4 KB, has no limit, also if it acknowledges all of them at the end",
        arguments: [1, 100, 4_096, 16_384])
    func acknowledging(_ byteCount: Int) {
        let count = 2 * max(1, byteCount / 4_096)
        var (allowance, refusedCount) = (FrameAllowance(), 0)
        // NIO writes the head of a frame, then its payload.
        func write() {
            allowance.sent(9)
            allowance.sent(byteCount)
        }
        func acknowledge() {
            if !allowance.take(FrameHeads.Count(others: count, unlimited: count)) { refusedCount += 1 }
        }
        for _ in 0..<5_000 {
            write()
            acknowledge()
        }
        for _ in 0..<5_000 { write() }
        for _ in 0..<5_000 { acknowledge() }
        #expect(refusedCount == 0)
    }

    private static let longByteCount = 2_000

    private static func routes(_ router: Router<WebContext>) {
        router.get("/long") { _, _ in
            Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 7, count: longByteCount)))
        }
    }

    @Test("a client that acknowledges every byte of a long response on its own gets all of it")
    func smallWindow() async throws {
        try await ChannelServer.run(routes: Self.routes) { server in
            let client = try RawHTTP2(port: server.port, window: 1)
            try client.request(1, "GET", "/long", ends: true)
            var received = 0
            while true {
                let frame = try client.frame { $0.type == RawHTTP2.data || $0.type == RawHTTP2.goAway }
                try #require(frame.type == RawHTTP2.data)
                received += frame.payload.count
                if frame.flags & 1 == 1 { break }
                guard !frame.payload.isEmpty else { continue }
                let increment = RawHTTP2.bytes(UInt32(frame.payload.count))
                try client.together {
                    try client.send(RawHTTP2.windowUpdate, stream: 1, payload: increment)
                    try client.send(RawHTTP2.windowUpdate, payload: increment)
                }
            }
            #expect(received == Self.longByteCount)
        }
    }

    @Test(
        "a connection that sends many more frames than its responses need is closed with ENHANCE_YOUR_CALM, before NIO reads them",
        arguments: [RawHTTP2.windowUpdate, RawHTTP2.goAway, 0x77])
    func flood(_ type: UInt8) async throws {
        let frame = Self.frame(type, 0, 8)
        try await Self.connected { first, _ in
            let (isOpen, written) = try await first.channel.eventLoop.submit {
                let gated = first.gated.value
                gated.receive(Self.preface)
                // A write to the client allows two more frames, and a new stream allows 16 more.
                gated.send([1])
                gated.receive(Self.frame(RawHTTP2.headers, 1))
                for _ in 0..<FrameAllowance.freeCount + 2 + 16 { gated.receive(frame) }
                let isOpen = first.channel.isActive && gated.written.bytes == [1]
                gated.receive(frame)
                gated.receive(frame)
                return (isOpen, gated.written.bytes)
            }.get()
            try await first.channel.closeFuture.get()
            #expect(isOpen && written == [1] + HTTP2Gate.goAway)
            let passed = try await first.passed(0)
            #expect(passed.count <= Self.preface.count + 9 + (FrameAllowance.freeCount + 18) * frame.count)
        }
    }

    @Test("frames that open no stream wait for a turn when their network has had its own, sixteen of them and not fewer")
    func otherFrames() async throws {
        let frame = Self.frame(RawHTTP2.windowUpdate, 0, 4)
        let count = HTTP2Gate.frameCountPerStream
        try await Self.connected { first, _ in
            let (few, many) = try await first.channel.eventLoop.submit {
                let gated = first.gated.value
                gated.takeTurn()
                gated.receive(Self.preface)
                for _ in 0..<count - 1 { gated.receive(frame) }
                gated.receive(Self.frame(RawHTTP2.data, 1, 512))
                let few = gated.passed.bytes.count
                gated.receive(frame)
                return (few, gated.passed.bytes.count)
            }.get()
            #expect(few == Self.preface.count + (count - 1) * frame.count + 521 && many == few)
            let all = try await first.passed(few + frame.count)
            #expect(all.count == few + frame.count)
        }
    }

    // MARK: What a gate holds

    /// Collects what a gate passes on.
    private final class Passed: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var bytes: [UInt8] = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { bytes += unwrapInboundIn(data).readableBytesView }
    }

    /// Collects what a gate and the handlers after it write.
    private final class Written: ChannelOutboundHandler {
        typealias OutboundIn = IOData
        typealias OutboundOut = IOData

        var bytes: [UInt8] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .byteBuffer(let buffer) = unwrapOutboundIn(data) { bytes += buffer.readableBytesView }
            context.write(data, promise: promise)
        }
    }

    /// A gate on a client's connection. Stays on its event loop.
    private final class Gated {
        let written = Written()
        let passed = Passed()
        let clock = ClientClock()
        private let entry: ConnectionLedger.Entry
        private let channel: any Channel

        init(_ channel: any Channel, _ ledger: ConnectionLedger, mostByteCount: Int, budget: Int) throws {
            self.channel = channel
            entry = try #require(ledger.enter(channel))
            var limits = ChannelLimits()
            limits.readAhead = SharedBudget.Limits(total: budget, perAccount: .max, perNetwork: budget)
            let unread = ReadAhead(limits).connection(channel.eventLoop, network: entry.network)
            let gate = HTTP2Gate(entry: entry, unread: unread, clock: clock, mostByteCount: mostByteCount)
            try channel.pipeline.syncOperations.addHandlers([written, gate, passed])
        }

        /// Opens as many streams as may be open at the same time, so that the next frames from the connection's network have to wait.
        func takeTurn() { _ = entry.mayOpen(StreamTurns.streamCount) { 0 } }

        func send(_ bytes: [UInt8]) { channel.pipeline.syncOperations.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil) }

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

        /// Waits until the gate has passed on `count` bytes.
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
        mostByteCount: Int = 131_072, budget: Int = 1_000_000, _ test: (GatedConnection, GatedConnection) async throws -> Void
    ) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let ledger = ConnectionLedger(limits: ChannelLimits(), proxies: .none, isSecure: false)
        let (made, onMade) = AsyncStream.makeStream(of: GatedConnection.self)
        let listener = try await ServerBootstrap(group: eventLoop)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let gated = try Gated(channel, ledger, mostByteCount: mostByteCount, budget: budget)
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

    @Test(
        "what a connection brings without being read from, as when its client ends it, needs room in the budget", arguments: [0, 1_000_000])
    func ended(budget: Int) async throws {
        let data = [0, 0x40, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 7, count: 16_384)
        try await Self.connected(budget: budget) { first, _ in
            let isOpen = try await first.channel.eventLoop.submit {
                var isOpen: [Bool] = []
                first.gated.value.receive(Array(Self.frames[0].bytes.prefix(24)))
                for _ in 0..<3 {
                    first.gated.value.receive(data)
                    isOpen.append(first.channel.isActive)
                }
                return isOpen
            }.get()
            #expect(isOpen == [true, budget > 0, budget > 0])
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
