import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2

/// A connection that speaks HTTP/2 (RFC 9113): every stream is a request, served beside the others.
struct HTTP2Connection: Sendable {
    private let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<HTTP2Stream>

    /// Puts the handlers into the pipeline, behind those that are there.
    init(on channel: any Channel, isSecure: Bool, limits: ChannelLimits, unread: UnreadBytes) throws {
        let watch = HTTP2Watch(limits: limits, unread: unread)
        let bound = NIOLoopBound(watch, eventLoop: channel.eventLoop)
        let pipeline = channel.pipeline.syncOperations
        streams = try pipeline.configureAsyncHTTP2Pipeline(
            mode: .server,
            connectionManagerConfiguration: .init(
                maxIdleTime: TimeAmount(limits.idle), maxAge: nil, maxGraceTime: TimeAmount(limits.farewell), keepalive: nil),
            http2HandlerConfiguration: Self.configuration(limits)
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                bound.value.opened()
                stream.closeFuture.whenComplete { _ in bound.value.closed() }
                return try HTTP2Stream(on: stream, isSecure: isSecure, limits: limits, meter: unread.meter())
            }
        }
        try pipeline.addHandler(watch)
        // The connection is long active; the handler that ends idle ones starts to count when it hears so.
        try pipeline.context(handlerType: NIOHTTP2Handler.self).fireChannelActive()
    }

    private static func configuration(_ limits: ChannelLimits) -> NIOHTTP2Handler.Configuration {
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streamCount),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.headerListByteCount),
            HTTP2Setting(parameter: .initialWindowSize, value: limits.streamWindowByteCount),
        ]
        configuration.connection.targetWindowSize = limits.connectionWindowByteCount
        // What a client causes that does not read: answers to PING and SETTINGS, resets, heads. Some 100 bytes each; beyond it the
        // connection closes.
        configuration.connection.maximumBufferedControlFrames = 1_000
        configuration.stream.targetWindowSize = limits.streamWindowByteCount
        configuration.stream.outboundBufferSizeHighWatermark = 64 * 1_024
        configuration.stream.outboundBufferSizeLowWatermark = 32 * 1_024
        configuration.stream.streamResetFrameRateLimit.maximumCount = limits.resetCount
        return configuration
    }

    func serve(_ handling: RequestHandling, _ logger: Logger) async {
        let connection = Connection.current.map { Connection(isSecure: $0.isSecure, peer: $0.peer, isHTTP2: true) }
        await Connection.$current.withValue(connection) {
            await withDiscardingTaskGroup { group in
                do {
                    for try await stream in streams.inbound {
                        group.addTask { await stream.serve(handling, logger) }
                    }
                } catch {
                    logger.trace("connection ended", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}

/// Cuts a connection that does not end by itself: NIO's own handler says goodbye politely, and waits for an answer that a client need
/// not give. Reads nothing while too much of what came was not taken.
final class HTTP2Watch: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundIn = Never

    private let limits: ChannelLimits
    private var streamCount = 0
    private var isStopping = false
    private var cut: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    private let unread: UnreadBytes
    private var isReadWanted = false

    init(limits: ChannelLimits, unread: UnreadBytes) {
        self.limits = limits
        self.unread = unread
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        unread.whenRoom { [weak self] in self?.readOn() }
        cut(in: limits.idle + limits.linger)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        cut?.cancel()
        self.context = nil
        unread.whenRoom(nil)
    }

    func read(context: ChannelHandlerContext) {
        if unread.isFull() { isReadWanted = true } else { context.read() }
    }

    private func readOn() {
        guard let context, isReadWanted, !unread.isFull() else { return }
        isReadWanted = false
        context.read()
    }

    func opened() {
        streamCount += 1
        if !isStopping { cut?.cancel() }
    }

    func closed() {
        streamCount -= 1
        if streamCount == 0, !isStopping { cut(in: limits.idle + limits.linger) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // HTTP/2 has no half of a connection: a client that sends nothing more cannot take answers either, and its streams end with it.
        if event as? ChannelEvent == .inputClosed { return context.close(promise: nil) }
        if event is ChannelShouldQuiesceEvent {
            isStopping = true
            // Without a stream the goodbye takes one way there and back: closing at once could lose a request on its way unseen.
            cut(in: streamCount == 0 ? limits.linger : limits.farewell)
        } else if event as? ChannelEvent == .inputClosed, !isStopping {
            isStopping = true
            // Nothing will open a window any more: what it has room for leaves now, and the rest would be held for nobody.
            cut(in: limits.linger)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What breaks one stream is that stream's; the rest has told the client why, and nothing sensible can follow.
        if error is NIOHTTP2Errors.StreamError || error is NIOHTTP2Errors.NoSuchStream { return }
        context.close(promise: nil)
    }

    private func cut(in time: Duration) {
        cut?.cancel()
        guard let context else { return }
        cut = context.eventLoop.scheduleTask(in: TimeAmount(time)) { [channel = context.channel] in channel.close(promise: nil) }
    }
}
