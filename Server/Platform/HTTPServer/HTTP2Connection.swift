import Core
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2

/// An HTTP/2 connection (RFC 9113): each stream carries one request; streams are served concurrently.
struct HTTP2Connection: Sendable {
    /// `nil` for a stream that was refused.
    private let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<HTTP2Stream?>

    /// Adds the handlers to the end of the pipeline.
    init(
        on channel: any Channel, isSecure: Bool, limits: ChannelLimits, entry: ConnectionLedger.Entry, unread: UnreadBytes
    ) throws {
        let clock = ClientClock()
        let buffer = try HTTP2WriteBuffer(of: channel, limits, entry)
        let watch = HTTP2Watch(limits: limits, entry: entry, unread: unread, clock: clock, buffer: buffer)
        let bound = NIOLoopBound(watch, eventLoop: channel.eventLoop)
        let pipeline = channel.pipeline.syncOperations
        if !isSecure { try channel.syncOptions?.setOption(.recvAllocator, value: unread.keptReads) }
        // The connections of a trusted proxy carry many clients, so they take no turns.
        if entry.network != nil {
            try pipeline.addHandler(HTTP2Gate(entry: entry, unread: unread, clock: clock, mostByteCount: 2 * limits.keptReadByteCount))
        }
        streams = try pipeline.configureAsyncHTTP2Pipeline(
            mode: .server,
            connectionManagerConfiguration: .init(
                maxIdleTime: TimeAmount(limits.idle), maxAge: nil, maxGraceTime: TimeAmount(limits.farewell), keepalive: nil),
            http2HandlerConfiguration: Self.configuration(limits)
        ) { stream in
            stream.eventLoop.makeCompletedFuture { () throws -> HTTP2Stream? in
                guard let open = try? entry.openStream() else {
                    // This runs later, because NIO can reset a stream only when it is active.
                    stream.eventLoop.execute { stream.close(promise: nil) }
                    return nil
                }
                bound.value.opened()
                stream.closeFuture.whenComplete { _ in
                    bound.value.closed()
                    open.release()
                }
                let new = try HTTP2Stream(
                    on: stream, isSecure: isSecure, limits: limits, meter: unread.streamMeter(), entry: entry, clock: bound.value.clock)
                stream.keepUntilClosed(new)
                return new
            }
        }
        try pipeline.addHandler(watch)
        // The connection became active before this handler was added; the handler's idle timer starts only with this event.
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
        // The most control frames that NIO buffers for a client that does not read: acknowledgements of PING and SETTINGS, resets, heads.
        // Each takes about 100 bytes. Beyond this limit NIO closes the connection.
        configuration.connection.maximumBufferedControlFrames = 200
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
                    for try await case let stream? in streams.inbound {
                        group.addTask { await stream.serve(handling, logger) }
                    }
                } catch {
                    logger.trace("connection ended", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}

/// Closes a connection that does not end by itself. NIO's handler sends GOAWAY and waits, but the client need not react to it. This handler
/// also stops reading while too many received bytes wait for handlers, and sets the size of the connection's write buffer.
final class HTTP2Watch: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundIn = Never

    private let limits: ChannelLimits
    private var streamCount = 0
    private var isStopping = false
    private var cut: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    private let entry: ConnectionLedger.Entry
    private let unread: UnreadBytes
    let clock: ClientClock
    private let buffer: HTTP2WriteBuffer
    private var isReadWanted = false

    init(limits: ChannelLimits, entry: ConnectionLedger.Entry, unread: UnreadBytes, clock: ClientClock, buffer: HTTP2WriteBuffer) {
        self.limits = limits
        self.buffer = buffer
        self.clock = clock
        self.entry = entry
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
        isReadWanted = true
        readOn()
    }

    private func readOn() {
        guard let context, isReadWanted else { return }
        guard !unread.isFull() else { return clock.pause(.unreadBytes) }
        clock.resume(.unreadBytes)
        isReadWanted = false
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !context.channel.isWritable { buffer.grow() }
        context.fireChannelWritabilityChanged()
    }

    func opened() {
        streamCount += 1
        if !isStopping { cut?.cancel() }
    }

    func closed() {
        streamCount -= 1
        if streamCount == 0 {
            entry.requestEnded()
            buffer.shrink()
        }
        if streamCount == 0, !isStopping { cut(in: limits.idle + limits.linger) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // HTTP/2 has no half-closed connections: a client that sends nothing more cannot acknowledge responses, so its streams end too.
        if event as? ChannelEvent == .inputClosed { return context.close(promise: nil) }
        if event is ChannelShouldQuiesceEvent {
            isStopping = true
            // GOAWAY needs one round trip, even on a connection without streams. A request that is already on its way is refused with
            // REFUSED_STREAM, so the client knows that it may repeat it; a connection that closes at once would not say so.
            cut(in: streamCount == 0 ? limits.linger : limits.farewell)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A stream error ends only its stream. After any other error, NIO has already told the client the reason, and nothing valid can
        // follow.
        if error is NIOHTTP2Errors.StreamError || error is NIOHTTP2Errors.NoSuchStream { return }
        context.close(promise: nil)
    }

    private func cut(in time: Duration) {
        cut?.cancel()
        guard let context else { return }
        cut = context.eventLoop.scheduleTask(in: TimeAmount(time)) { [channel = context.channel] in channel.close(promise: nil) }
    }
}
