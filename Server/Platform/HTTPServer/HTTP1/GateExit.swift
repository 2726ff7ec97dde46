import NIOCore

/// The handler after HTTP's handlers in the pipeline. Once another protocol has taken over the connection, bytes and events pass directly
/// between this handler and the gate, and skip HTTP's handlers. Those stay in the pipeline, because NIO's bridge to async code cannot be
/// removed from it.
final class GateExit: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    weak var gate: RequestGate?
    private(set) var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// The context to pass an outbound event to. While another protocol has the connection, it is the gate's, so that the event skips
    /// HTTP's handlers. Otherwise it is this handler's own.
    private func way(_ context: ChannelHandlerContext) -> ChannelHandlerContext {
        guard let gate, gate.isBypassed, let way = gate.context else { return context }
        return way
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let gate, gate.isBypassed, let way = gate.context else { return context.write(data, promise: promise) }
        // Call the gate instead of bypassing it: it counts the bytes written, for the deadline of a client that does not read.
        gate.write(context: way, data: data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        guard let gate, gate.isBypassed, let way = gate.context else { return context.flush() }
        // Call the gate here too: it checks how many bytes the socket did not take.
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
