import NIOCore
import NIOPosix
import TestThreads
import Testing

@testable import HTTPServer

@Suite("Work in the next pass of an event loop", .serialized, .blocksThreads)
struct LoopPassTests {
    /// Work that continues in steps of 0.2 ms until the loop has accepted a connection, or until `end`. Stays on the loop.
    private final class Steps: ChannelInboundHandler {
        typealias InboundIn = any Channel

        private let eventLoop: any EventLoop
        private let usesPass: Bool
        private let end: NIODeadline
        private let done: EventLoopPromise<Bool>
        private var hasAccepted = false

        init(_ eventLoop: any EventLoop, usesPass: Bool, until end: NIODeadline, _ done: EventLoopPromise<Bool>) {
            self.eventLoop = eventLoop
            self.usesPass = usesPass
            self.end = end
            self.done = done
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            hasAccepted = true
            context.fireChannelRead(data)
        }

        func step() {
            let start = NIODeadline.now()
            guard !hasAccepted, start < end else { return done.succeed(hasAccepted) }
            while .now() - start < .microseconds(200) {}
            if usesPass {
                LoopPass.next(on: eventLoop) { self.step() }
            } else {
                eventLoop.assumeIsolated().execute { self.step() }
            }
        }
    }

    /// - Returns: whether the loop accepted a connection before the steps ended.
    private static func accepts(usesPass: Bool, time: TimeAmount) async throws -> Bool {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        let done = eventLoop.makePromise(of: Bool.self)
        let server = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(server.localAddress)
        try await eventLoop.submit {
            let steps = Steps(eventLoop, usesPass: usesPass, until: .now() + time, done)
            try server.pipeline.syncOperations.addHandler(steps, position: .first)
            steps.step()
        }.get()
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(to: address).get()
        let hasAccepted = try await done.futureResult.get()
        try await client.close()
        try await group.shutdownGracefully()
        return hasAccepted
    }

    @Test("work that continues step by step lets the loop accept connections")
    func passes() async throws { #expect(try await Self.accepts(usesPass: true, time: .seconds(10))) }

    @Test("control: as tasks, the steps keep the loop from accepting connections")
    func control() async throws { #expect(try await !Self.accepts(usesPass: false, time: .milliseconds(300))) }
}
