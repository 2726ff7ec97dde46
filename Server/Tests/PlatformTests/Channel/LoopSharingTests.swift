import Dispatch
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

@Suite("What one pass of an event loop does", .serialized, .blocksThreads, .timeLimit(.minutes(1)))
struct LoopSharingTests {
    /// Counts the passes of an event loop until it is stopped. Stays on the loop.
    private final class Passes {
        private let eventLoop: any EventLoop
        private(set) var count = 0
        private var isOver = false

        init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

        func start() { LoopPass.next(on: eventLoop) { self.next() } }

        func stop() { isOver = true }

        private func next() {
            guard !isOver else { return }
            count += 1
            start()
        }
    }

    /// Serves on one event loop.
    /// - Returns: for each response, how many passes of the event loop came before it.
    private static func passes(
        proxies: TrustedProxies, _ test: @Sendable (_ port: Int, _ eventLoop: any EventLoop) throws -> Void
    ) async throws -> [Int] {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        let passes = try await eventLoop.submit {
            let passes = Passes(eventLoop)
            passes.start()
            return NIOLoopBound(passes, eventLoop: eventLoop)
        }.get()
        let ofResponses = Mutex<[Int]>([])
        let handling = RequestHandling(
            respond: { _, _ in
                let count = passes.value.count
                ofResponses.withLock { $0.append(count) }
                return Response(status: .ok)
            }, refusal: { _ in Response(status: .badRequest) }, threads: globalConcurrentExecutor)
        let limits = ChannelLimits()
        let connections = HTTPChannel(
            handling: handling, limits: limits, tls: nil, ledger: ConnectionLedger(limits: limits, proxies: proxies, isSecure: false),
            readAhead: ReadAhead(limits))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let listener = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0) { channel in
            connections.setup(channel: channel, logger: logger)
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask(executorPreference: globalConcurrentExecutor) {
                try await listener.executeThenClose { inbound in
                    try await withThrowingDiscardingTaskGroup { handlers in
                        for try await connection in inbound {
                            handlers.addTask { await connections.handle(value: connection, logger: logger) }
                        }
                    }
                }
            }
            let port = try #require(listener.channel.localAddress?.port)
            try test(port, eventLoop)
            try await listener.channel.close()
            try await tasks.waitForAll()
        }
        try await eventLoop.submit { passes.value.stop() }.get()
        try await group.shutdownGracefully()
        return ofResponses.withLock { $0 }
    }

    @Test("a pass begins one of the requests that a client sends ahead, also of a trusted proxy", arguments: ["10.0.0.1", "127.0.0.1"])
    func pipelining(proxies: String) async throws {
        let proxies = try #require(TrustedProxies(proxies))
        let passes = try await Self.passes(proxies: proxies) { port, _ in
            let client = try RawConnection(port: port)
            try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 200))
            for _ in 0..<200 { #expect(try client.answer().status == 200) }
            client.close()
        }
        #expect(passes.count == 200 && Set(passes).count == 200)
    }

    @Test("a pass begins few requests with a long head, on however many connections of a network they arrive")
    func longHeads() async throws {
        let count = 16
        let passes = try await Self.passes(proxies: .none) { port, eventLoop in
            let clients = try (0..<count).map { _ in try RawConnection(port: port) }
            for client in clients {
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.answer().status == 200)
            }
            // The heads arrive while the event loop stands still.
            let goOn = DispatchSemaphore(value: 0)
            eventLoop.execute { goOn.wait() }
            let head = "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 15_000) + "\r\n\r\n"
            for client in clients { try client.send(head) }
            goOn.signal()
            for client in clients {
                #expect(try client.answer().status == 200)
                client.close()
            }
        }
        #expect(passes.count == 2 * count)
        let inOnePass = Dictionary(grouping: passes.suffix(count)) { $0 }.values.map(\.count).max()
        #expect(inOnePass ?? 0 <= 4)
    }

    /// Counts the connections that a listener accepts in each pass. Stays on its event loop.
    private final class Accepted: ChannelInboundHandler {
        typealias InboundIn = any Channel

        private let expected: Int
        private let done: EventLoopPromise<[Int]>
        private var counts: [Int] = []
        private var count = 0

        init(_ expected: Int, _ done: EventLoopPromise<[Int]>) {
            self.expected = expected
            self.done = done
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            count += 1
            context.fireChannelRead(data)
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            counts.append(count)
            count = 0
            if counts.reduce(0, +) == expected { done.succeed(counts) }
            context.fireChannelReadComplete()
        }
    }

    @Test("a pass accepts many connections, so that busy connections do not make new ones wait")
    func accepting() async throws {
        let found = Mutex<(any Channel)?>(nil)
        try await ChannelServer.run(routes: { router in
            router.get("/listener") { _, context in
                let listener = context.channel.parent
                found.withLock { $0 = listener }
                return "found"
            }
        }) { server in
            let first = try RawConnection(port: server.port)
            try first.send("GET /listener HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try first.answer().text == "found")
            let parent = found.withLock { $0 }
            let listener = try #require(parent)
            let done = listener.eventLoop.makePromise(of: [Int].self)
            try await listener.eventLoop.submit {
                try listener.pipeline.syncOperations.addHandler(Accepted(32, done), position: .first)
            }.get()
            // All connections are made while the event loop stands still.
            let (blocked, onBlocked) = AsyncStream.makeStream(of: Void.self)
            let isConnected = DispatchSemaphore(value: 0)
            listener.eventLoop.execute {
                onBlocked.yield()
                isConnected.wait()
            }
            for await _ in blocked { break }
            let clients = Result { try (0..<32).map { _ in try RawConnection(port: server.port) } }
            isConnected.signal()
            let connected = try clients.get()
            let counts = try await done.futureResult.get()
            #expect(counts == [32])
            withExtendedLifetime(connected) {}
        }
    }
}
