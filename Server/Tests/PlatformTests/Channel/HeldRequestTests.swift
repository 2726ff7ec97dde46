import Core
import Hummingbird
import NIOCore
import NIOPosix
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

@Suite("What a connection holds of requests that are sent ahead", .serialized, .blocksThreads, .timeLimit(.minutes(1)))
struct HeldRequestTests {
    private static let requestByteCount = 8_000

    /// Requests of `requestByteCount` bytes each.
    private static func requests(_ count: Int) -> String {
        let (start, end) = ("GET / HTTP/1.1\r\nHost: a\r\nX: ", "\r\n\r\n")
        let value = String(repeating: "a", count: requestByteCount - start.utf8.count - end.utf8.count)
        return String(repeating: start + value + end, count: count)
    }

    /// Discards what a gate passes on.
    private final class Passed: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
    }

    /// A gate on a client's connection. Stays on its event loop.
    private final class Gated {
        let gate: RequestGate
        private let channel: any Channel

        init(_ channel: any Channel, _ limits: ChannelLimits, _ readAhead: ReadAhead) throws {
            self.channel = channel
            let ledger = ConnectionLedger(limits: limits, proxies: .none, isSecure: false)
            let entry = try #require(ledger.enter(channel))
            let unread = readAhead.connection(channel.eventLoop, network: entry.network)
            gate = RequestGate(limits: limits, entry: entry, unread: unread, isSecure: false)
            try channel.pipeline.syncOperations.addHandlers([gate, Passed()])
        }

        func receive(_ text: String) { channel.pipeline.syncOperations.fireChannelRead(NIOAny(ByteBuffer(string: text))) }
    }

    private struct State: Sendable {
        let byteCount: Int
        /// The size in bytes of the buffer with the held bytes.
        let capacity: Int
        /// The bytes that the connection takes from the budget that all connections share.
        let share: Int
    }

    private struct GatedConnection: Sendable {
        let channel: any Channel
        let gated: NIOLoopBound<Gated>
        let readAhead: ReadAhead

        func state() async throws -> State {
            try await channel.eventLoop.submit {
                let held = gated.value.gate.held
                return State(byteCount: held.readableBytes, capacity: held.storageCapacity, share: readAhead.held)
            }.get()
        }

        /// Answers the current request, and waits until the next one has begun.
        func answer() async throws {
            let before = try await state().byteCount
            try await channel.eventLoop.submit { gated.value.gate.answered() }.get()
            while try await state().byteCount == before { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    /// Runs `test` with a connection. All connections together may hold `budget` bytes.
    private static func connected(budget: Int, _ test: (GatedConnection) async throws -> Void) async throws {
        var limits = ChannelLimits()
        limits.readAhead = SharedBudget.Limits(total: budget, perAccount: .max, perNetwork: budget)
        let readAhead = ReadAhead(limits)
        let (made, onMade) = AsyncStream.makeStream(of: GatedConnection.self)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .childChannelInitializer { [limits] channel in
                channel.eventLoop.makeCompletedFuture {
                    let gated = NIOLoopBound(try Gated(channel, limits, readAhead), eventLoop: channel.eventLoop)
                    onMade.yield(GatedConnection(channel: channel, gated: gated, readAhead: readAhead))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let client = try RawConnection(port: port)
        var iterator = made.makeAsyncIterator()
        let connection = try #require(await iterator.next())
        // The stream yields it before the connection is active.
        while !connection.channel.isActive { try await Task.sleep(for: .milliseconds(1)) }
        try await test(connection)
        withExtendedLifetime(client) {}
        try await listener.close()
    }

    @Test("what a connection holds beyond a small read takes a share of the common budget, until the requests begin")
    func counted() async throws {
        try await Self.connected(budget: 1_000_000) { connection in
            try await connection.channel.eventLoop.submit { connection.gated.value.receive(Self.requests(4)) }.get()
            var states = try await [connection.state()]
            for _ in 0..<3 {
                try await connection.answer()
                states.append(try await connection.state())
            }
            let byteCounts = (0..<4).reversed().map { $0 * Self.requestByteCount }
            let shares = states.map { $0.capacity > 16_384 ? $0.capacity : 0 }
            #expect(states.map(\.byteCount) == byteCounts && states.map(\.share) == shares)
            // A few held bytes do not keep a large buffer.
            #expect(states.dropLast().allSatisfy { $0.capacity < 2 * $0.byteCount + 2_048 })
            #expect(states[0].share >= 3 * Self.requestByteCount && states[3].share == 0)
        }
    }

    @Test("a share ends with its connection")
    func closed() async throws {
        try await Self.connected(budget: 1_000_000) { connection in
            try await connection.channel.eventLoop.submit { connection.gated.value.receive(Self.requests(4)) }.get()
            let before = connection.readAhead.held
            try await connection.channel.close()
            while connection.readAhead.held > 0 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(before >= 3 * Self.requestByteCount)
        }
    }

    @Test("without room in the budget, a connection may hold a small read; with more, it is closed")
    func refused() async throws {
        try await Self.connected(budget: 0) { connection in
            let isOpen = try await connection.channel.eventLoop.submit {
                connection.gated.value.receive(Self.requests(2))
                let isOpen = connection.channel.isActive
                connection.gated.value.receive(Self.requests(2))
                return isOpen
            }.get()
            try await connection.channel.closeFuture.get()
            #expect(isOpen)
        }
    }

    /// The size to which reads of a connection grow, in bytes.
    private static func mostReadByteCount(_ channel: any Channel) async throws -> Int {
        try await channel.eventLoop.submit {
            let allocator = try channel.syncOptions?.getOption(.recvAllocator)
            guard var sizes = allocator as? ReadSizes else { return 0 }
            for _ in 0..<20 { _ = sizes.record(actualReadBytes: sizes.byteCount) }
            return sizes.byteCount
        }.get()
    }

    @Test(
        "reads are large only while a long body arrives, its handler takes it, and the budget has room",
        arguments: [(48 * 1_048_576, 262_144), (0, 32_768)])
    func reads(budget: Int, most: Int) async throws {
        var limits = ChannelLimits()
        limits.readAhead = SharedBudget.Limits(total: budget, perAccount: .max, perNetwork: budget)
        let received = Mutex(0)
        let looked = Mutex(0)
        try await ChannelServer.run(
            limits,
            routes: { router in
                router.get("/reads") { _, context in
                    let byteCount = try await Self.mostReadByteCount(context.channel)
                    return "\(byteCount)"
                }
                router.post("/reads") { request, context in
                    var byteCount = 0
                    for try await bytes in request.body {
                        let count = received.withLock { count -> Int in
                            count += bytes.readableBytes
                            return count
                        }
                        guard count <= 210_000 else { continue }
                        byteCount = try await Self.mostReadByteCount(context.channel)
                        looked.withLock { $0 = count }
                    }
                    return "\(byteCount)"
                }
            }
        ) { server in
            let client = try RawConnection(port: server.port)
            func get() throws -> String {
                try client.send("GET /reads HTTP/1.1\r\nHost: a\r\n\r\n")
                return try client.answer().text
            }
            let atFirst = try get()
            try client.send("POST /reads HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n")
            // A read is already prepared when the handler takes the first bytes, so only the one after it is larger.
            for (byteCount, sum) in [(200_000, 200_000), (10_000, 210_000)] {
                try client.send([UInt8](repeating: 120, count: byteCount))
                while looked.withLock({ $0 }) < sum { try await Task.sleep(for: .milliseconds(1)) }
            }
            try client.send([UInt8](repeating: 120, count: 90_000))
            let inBody = try client.answer().text
            let after = try get()
            #expect([atFirst, inBody, after] == ["16384", "\(most)", "16384"])
            #expect(server.metrics.page().contains("\nkeepsake_read_ahead_bytes 0\n"))
        }
    }

    @Test("while no handler takes a long body, reads stay small", arguments: ["Content-Length: 1000000", "Transfer-Encoding: chunked"])
    func readsOfUntakenBody(_ field: String) async throws {
        let hasSent = Mutex(false)
        try await ChannelServer.run(routes: { router in
            router.post("/untaken") { _, context in
                while !hasSent.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
                // Enough time for the server to read what it reads before the handler takes bytes.
                try await Task.sleep(for: .milliseconds(100))
                let byteCount = try await Self.mostReadByteCount(context.channel)
                return "\(byteCount)"
            }
        }) { server in
            let client = try RawConnection(port: server.port)
            try client.send("POST /untaken HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
            if field.hasPrefix("Transfer") { try client.send("F0000\r\n") }
            try client.send([UInt8](repeating: 120, count: 50_000))
            hasSent.withLock { $0 = true }
            let answer = try client.answer()
            #expect(answer.text == "16384")
        }
    }

    @Test("a connection holds 16 KiB of bodies of which no handler has taken bytes, and otherwise as much as the budget allows")
    func untakenBody() async throws {
        let limits = ChannelLimits()
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let counts = try await loop.submit { () -> [Int] in
            func read(_ unread: UnreadBytes, _ meter: BodyMeter) -> Int {
                while !unread.isFull(), unread.count < limits.mostUnreadByteCount {
                    meter.arrived(ByteBuffer(repeating: 120, count: 16_384))
                }
                return unread.count
            }
            let first = ReadAhead(limits).connection(loop, network: nil)
            let body = first.connectionMeter()
            first.bodyBegins()
            let untaken = read(first, body)
            body.taken(ByteBuffer(repeating: 120, count: 16_384))
            let taken = read(first, body)
            let second = ReadAhead(limits).connection(loop, network: nil)
            let streams = [second.streamMeter(), second.streamMeter()]
            let ofStream = read(second, streams[0])
            streams[0].taken(ByteBuffer(repeating: 120, count: 16_384))
            // The other stream's body stays untaken.
            let ofBoth = read(second, streams[1])
            streams[1].end()
            return [untaken, taken, ofStream, ofBoth, read(second, streams[0])]
        }.get()
        #expect(counts[0] == limits.heldByteCount && counts[2] == limits.heldByteCount)
        #expect(counts[3] == limits.heldByteCount)
        #expect(counts[1] == limits.mostUnreadByteCount && counts[4] == limits.mostUnreadByteCount)
    }
}
