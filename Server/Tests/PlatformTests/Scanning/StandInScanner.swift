import MediaTools
import NIOCore
import NIOPosix

/// A fake clamd that accepts connections and sends a given reply.
final class StandInScanner: Sendable {
    enum When: Sendable {
        /// As soon as a connection opens.
        case atOnce
        /// After the first bytes.
        case afterFirst
        /// After the empty chunk that ends a file.
        case afterLast
    }

    private let channel: any Channel
    let address: ClamdAddress

    /// - Parameter reply: the reply; `nil` never replies.
    init(_ when: When, _ reply: String?, thenCloses: Bool = true) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answerer(when: when, reply: reply, thenCloses: thenCloses))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        address = .tcp(host: "127.0.0.1", port: channel.localAddress!.port!)
    }

    deinit { channel.close(promise: nil) }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        let when: When
        let reply: String?
        let thenCloses: Bool
        var last: [UInt8] = []

        init(when: When, reply: String?, thenCloses: Bool) {
            self.when = when
            self.reply = reply
            self.thenCloses = thenCloses
        }

        func channelActive(context: ChannelHandlerContext) { if when == .atOnce { answer(context) } }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            last = Array((last + unwrapInboundIn(data).readableBytesView).suffix(4))
            if when == .afterFirst || when == .afterLast && last == [0, 0, 0, 0] { answer(context) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func answer(_ context: ChannelHandlerContext) {
            guard let reply else { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: reply)), promise: nil)
            if thenCloses { context.close(promise: nil) }
        }
    }
}
