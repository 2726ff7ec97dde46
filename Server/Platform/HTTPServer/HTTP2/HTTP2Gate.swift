import NIOCore

/// Holds back the bytes of an HTTP/2 connection that open streams until the connection's turn comes (`StreamTurns`). It stands before NIO's
/// handler, which makes an object for each stream at once.
///
/// All bytes stay in their order, because HPACK needs the order of heads. Bytes that open no stream wait only behind bytes that do. A turn
/// comes in a later pass of the event loop and does not depend on any stream. So an upload always continues, even if its remaining bytes
/// are held back.
final class HTTP2Gate: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Never

    private let entry: ConnectionLedger.Entry
    private let clock: ClientClock
    private let mostByteCount: Int
    private var heads = FrameHeads()
    private var held: ByteBuffer?
    private var heldStreamCount = 0
    private var isReadWanted = false
    private var isClosing = false
    private var context: ChannelHandlerContext?

    /// - Parameter mostByteCount: more than one read brings. A held connection is not read, but NIO reads all that is left when a client
    ///   ends the connection. Beyond the limit, the connection is closed.
    init(entry: ConnectionLedger.Entry, clock: ClientClock, mostByteCount: Int) {
        self.entry = entry
        self.clock = clock
        self.mostByteCount = mostByteCount
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        held = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        var bytes = unwrapInboundIn(data)
        let streamCount = heads.streamCount(in: bytes)
        if held == nil {
            let mayPass = streamCount == 0 || entry.mayOpen(streamCount) { [weak self] in self?.pass() ?? 0 }
            if mayPass { return context.fireChannelRead(data) }
        }
        // A copy, because the buffer of a read may be larger than its bytes.
        var all = held ?? ByteBuffer()
        held = nil
        guard all.readableBytes + bytes.readableBytes <= mostByteCount else {
            isClosing = true
            return context.close(promise: nil)
        }
        all.writeBuffer(&bytes)
        held = all
        clock.pause(.turns)
        heldStreamCount += streamCount
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        held = nil
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        if held == nil { context.read() } else { isReadWanted = true }
    }

    /// - Returns: the number of streams that the bytes open.
    private func pass() -> Int {
        guard let context, let bytes = held else { return 0 }
        let streamCount = heldStreamCount
        held = nil
        heldStreamCount = 0
        clock.resume(.turns)
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
        if isReadWanted {
            isReadWanted = false
            // From the end of the pipeline, so that `HTTP2Watch` can hold the read back if too many received bytes wait for handlers.
            context.channel.read()
        }
        return streamCount
    }
}
