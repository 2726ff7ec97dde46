import NIOCore

/// Holds back the bytes of an HTTP/2 connection that open streams, or that contain many other frames, until the connection's turn comes
/// (`StreamTurns`). It stands before NIO's handler, which makes an object for each stream at once. It also closes connections that send far
/// more frames than their requests and responses need (`FrameAllowance`).
///
/// All bytes stay in their order, because HPACK needs the heads in order. Bytes of bodies wait only if other frames are held before them. A
/// turn comes in a later pass of the event loop and does not depend on any stream. So an upload always continues, even if its remaining
/// bytes are held back.
final class HTTP2Gate: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// This many frames cost as much as one stream. Frames that open a stream and long DATA frames do not count here.
    static let frameCountPerStream = 16
    /// GOAWAY with ENHANCE_YOUR_CALM (RFC 9113 §6.8 and §7). It sets no limit on the last stream's number, because the server may have
    /// begun all of the streams.
    static let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0xB]

    private let entry: ConnectionLedger.Entry
    private let unread: UnreadBytes
    private let clock: ClientClock
    private var heads = FrameHeads()
    private var frames = WholeFrames()
    private var allowance = FrameAllowance()
    /// The number of frames that have not been charged yet; fewer than `frameCountPerStream`.
    private var restCount = 0
    private var held: HeldBytes
    /// What the held bytes cost, measured in streams.
    private var heldCost = 0
    private var isClosing = false
    private var hasPassedBytes = false
    private var context: ChannelHandlerContext?

    /// - Parameter mostByteCount: maximum number of held bytes (`HeldBytes`).
    init(entry: ConnectionLedger.Entry, unread: UnreadBytes, clock: ClientClock, mostByteCount: Int) {
        self.entry = entry
        self.unread = unread
        self.clock = clock
        held = HeldBytes(mostByteCount: mostByteCount)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        _ = held.take()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        let bytes = unwrapInboundIn(data)
        guard unread.mayTake(bytes.readableBytes, mostOfRead: mostByteCountOfRead(context)) else { return close(context) }
        let counted = heads.count(in: bytes)
        guard allowance.take(counted) else { return refuse(context) }
        let cost = cost(counted)
        if held.isEmpty {
            let mayPass = cost == 0 || entry.mayOpen(cost) { [weak self] in self?.pass() ?? 0 }
            if mayPass { return pass(bytes, context) }
        }
        guard held.add(bytes) else { return close(context) }
        clock.pause(.turns)
        heldCost += cost
    }

    /// A read, and over TLS the incomplete record before it.
    private func mostByteCountOfRead(_ context: ChannelHandlerContext) -> Int {
        2 * (ReadSizes.ofChannel(context.channel)?.mostByteCount ?? 0)
    }

    /// - Returns: the cost in streams. A remainder of less than one stream is added to the next read, so that many small reads cost as much
    ///   as a large one.
    private func cost(_ frames: FrameHeads.Count) -> Int {
        let (cost, rest) = (restCount + frames.others).quotientAndRemainder(dividingBy: Self.frameCountPerStream)
        restCount = rest
        return frames.opening + cost
    }

    /// Tells the client why, and closes the connection.
    private func refuse(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer(bytes: Self.goAway))), promise: nil)
        close(context)
    }

    /// Closes the connection, and passes no more of its bytes to NIO's handler.
    private func close(_ context: ChannelHandlerContext) {
        isClosing = true
        _ = held.take()
        context.close(promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        allowance.sent(unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        _ = held.take()
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        guard held.mayRead() else { return }
        unread.readBegins()
        context.read()
    }

    /// Call this with all bytes that have arrived and have not been passed on.
    private func pass(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let whole = frames.pass(bytes, begunByteCount: heads.begunByteCount) else { return }
        // NIO's parser keeps the buffer of the first bytes for as long as the connection is open, and copies later bytes into it. Over TLS,
        // this buffer has 32 KiB, and the next read would need another one.
        context.fireChannelRead(wrapInboundOut(hasPassedBytes ? whole : whole.withoutUnusedMemory()))
        hasPassedBytes = true
    }

    /// - Returns: the cost of the bytes, in streams.
    private func pass() -> Int {
        guard let context, let bytes = held.take() else { return 0 }
        let cost = heldCost
        heldCost = 0
        clock.resume(.turns)
        pass(bytes, context)
        context.fireChannelReadComplete()
        // The read starts at the end of the pipeline, so that `HTTP2Watch` can hold it back if too many received bytes wait for handlers.
        if held.takeRead() { context.channel.read() }
        return cost
    }
}
