import MediaTools
import NIOCore
import NIOPosix
import Synchronization

/// A fake clamd that accepts connections and sends a given reply.
final class StandInScanner: Sendable {
    enum When: Sendable {
        /// As soon as a connection opens.
        case atOnce
        /// After the first bytes.
        case afterFirst
        /// After the empty chunk that ends a file.
        case afterLast
        /// After the empty chunk that ends a file, and after `replyNow`.
        case whenTold
    }

    private let channel: any Channel
    let address: ClamdAddress
    private let told: EventLoopPromise<Void>
    private let ends: Ends

    private final class Ends: Sendable {
        let count = Atomic(0)
    }

    /// - Parameter reply: the reply; `nil` never replies.
    init(_ when: When, _ reply: String?, thenCloses: Bool = true) async throws {
        let told = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        let ends = Ends()
        (self.told, self.ends) = (told, ends)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Answerer(when: when, reply: reply, thenCloses: thenCloses, ends: ends, told: told.futureResult))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        address = .tcp(host: "127.0.0.1", port: channel.localAddress!.port!)
    }

    deinit {
        replyNow()
        channel.close(promise: nil)
    }

    /// The number of files that have arrived completely.
    var endCount: Int { ends.count.load(ordering: .acquiring) }

    /// With `whenTold`, replies to all complete files, and from now on to each one.
    func replyNow() { told.succeed(()) }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        let when: When
        let reply: String?
        let thenCloses: Bool
        let ends: Ends
        let told: EventLoopFuture<Void>
        var last: [UInt8] = []

        init(when: When, reply: String?, thenCloses: Bool, ends: Ends, told: EventLoopFuture<Void>) {
            self.when = when
            self.reply = reply
            self.thenCloses = thenCloses
            self.ends = ends
            self.told = told
        }

        func channelActive(context: ChannelHandlerContext) { if when == .atOnce { answer(context) } }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            last = Array((last + unwrapInboundIn(data).readableBytesView).suffix(4))
            let isEnd = last == [0, 0, 0, 0]
            if isEnd { _ = ends.count.wrappingAdd(1, ordering: .acquiringAndReleasing) }
            if when == .afterFirst || when == .afterLast && isEnd { answer(context) }
            if when == .whenTold, isEnd, let reply {
                told.whenComplete { [channel = context.channel] _ in _ = channel.writeAndFlush(ByteBuffer(string: reply)) }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func answer(_ context: ChannelHandlerContext) {
            guard let reply else { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: reply)), promise: nil)
            if thenCloses { context.close(promise: nil) }
        }
    }
}
