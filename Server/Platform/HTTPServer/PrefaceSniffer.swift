import NIOCore

/// Reads the first bytes of a connection without TLS to detect HTTP/2's preface (RFC 9113 §3.4). `Upgrade: h2c` is not supported; RFC 9113
/// deprecates it.
final class PrefaceSniffer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let promise: EventLoopPromise<HTTPChannel.Spoken>
    private let limits: ChannelLimits
    private let configure: (any Channel, _ isHTTP2: Bool) throws -> HTTPChannel.Spoken
    private var held = ByteBuffer()
    private var isDecided = false
    private var deadline: Scheduled<Void>?

    init(
        promise: EventLoopPromise<HTTPChannel.Spoken>, limits: ChannelLimits,
        configure: @escaping (any Channel, _ isHTTP2: Bool) throws -> HTTPChannel.Spoken
    ) {
        self.promise = promise
        self.limits = limits
        self.configure = configure
    }

    func handlerAdded(context: ChannelHandlerContext) { wait(limits.idle, context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        // This has no effect if the promise has succeeded already.
        promise.fail(ChannelError.ioOnClosedChannel)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDecided else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        if held.readableBytes == 0 { wait(limits.head, context) }
        held.writeBuffer(&bytes)
        let isPreface = held.readableBytesView.prefix(Self.preface.count).elementsEqual(Self.preface.prefix(held.readableBytes))
        guard !isPreface || held.readableBytes >= Self.preface.count else { return }
        isDecided = true
        deadline?.cancel()
        do {
            promise.succeed(try configure(context.channel, isPreface))
        } catch {
            promise.fail(error)
            return context.close(promise: nil)
        }
        context.fireChannelRead(wrapInboundOut(held))
        held = ByteBuffer()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let isOver = event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed
        if isOver, !isDecided { context.close(promise: nil) } else { context.fireUserInboundEventTriggered(event) }
    }

    private func wait(_ time: Duration, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(time)) { [channel = context.channel] in channel.close(promise: nil) }
    }
}
