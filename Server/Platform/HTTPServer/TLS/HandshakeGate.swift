import NIOCore

/// Holds back the bytes of a TLS handshake until the connection's turn comes (`StreamTurns`).
///
/// A handshake costs the server up to two milliseconds of its event loop, and the client nearly nothing: the client can send the same bytes
/// on each connection, and need not compute anything. If one pass of the loop continued the handshakes of all connections of a few
/// networks, the other connections would wait for a second.
///
/// This handler stands before the handler of TLS. It is removed when the handshake has ended.
final class HandshakeGate: ChannelInboundHandler, ChannelOutboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// What a read of a handshake costs, in streams. A network may have this many streams in each pass even if all networks together have
    /// reached their limit (`StreamTurns.smallCount`), so one handshake of each network continues in each pass.
    static let cost = StreamTurns.smallCount

    private let entry: ConnectionLedger.Entry
    private var held: HeldBytes
    /// Whether the client has ended its side of the connection while the gate holds bytes.
    private var isInputClosed = false
    private var isClosing = false
    private var context: ChannelHandlerContext?

    /// - Parameter mostByteCount: maximum number of held bytes (`HeldBytes`).
    init(entry: ConnectionLedger.Entry, mostByteCount: Int) {
        self.entry = entry
        held = HeldBytes(mostByteCount: mostByteCount)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        _ = held.take()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        if held.isEmpty {
            let mayPass = entry.mayOpen(Self.cost) { [weak self] in self?.pass() ?? 0 }
            if mayPass { return context.fireChannelRead(data) }
        }
        guard held.add(unwrapInboundIn(data)) else {
            isClosing = true
            return context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if !held.isEmpty, event as? ChannelEvent == .inputClosed {
            // The held bytes may complete the handshake, and may contain a request. If the handler of TLS got this event before them, it
            // would close the connection.
            isInputClosed = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        _ = held.take()
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        if held.mayRead() { context.read() }
    }

    /// - Returns: the cost of the bytes, in streams.
    private func pass() -> Int {
        guard let context, let bytes = held.take() else { return 0 }
        let channel = context.channel
        context.fireChannelRead(wrapInboundOut(bytes))
        // These begin at the ends of the pipeline: the handshake may have ended, and then this handler has been removed.
        channel.pipeline.fireChannelReadComplete()
        if isInputClosed {
            isInputClosed = false
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if held.takeRead() { channel.read() }
        return Self.cost
    }
}
