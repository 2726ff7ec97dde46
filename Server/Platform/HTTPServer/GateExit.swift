import NIOCore

/// Stands behind HTTP's handlers. Once a connection is taken over, whatever goes in or out passes between here and the gate and
/// leaves them out: NIO's bridge to async code cannot be taken out of a pipeline.
final class GateExit: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    weak var gate: RequestGate?
    private(set) var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Where what goes out is to go on.
    private func way(_ context: ChannelHandlerContext) -> ChannelHandlerContext {
        guard let gate, gate.isBypassed, let way = gate.context else { return context }
        return way
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let gate, gate.isBypassed, let way = gate.context else { return context.write(data, promise: promise) }
        // Through the gate and not past it: it counts what leaves, for the deadline of those who do not read.
        gate.write(context: way, data: data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        guard let gate, gate.isBypassed, let way = gate.context else { return context.flush() }
        // As with writes: the gate looks at what the socket did not take.
        gate.flush(context: way)
    }

    func read(context: ChannelHandlerContext) { way(context).read() }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        way(context).close(mode: mode, promise: promise)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        way(context).triggerUserOutboundEvent(event, promise: promise)
    }
}
