import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOSSL
import NIOTLS

/// One accepted connection: detects its protocol, then serves it. With a certificate it speaks TLS, and ALPN selects the protocol (RFC
/// 7301). Without one it speaks HTTP/1.1, or HTTP/2 if the client starts with it (RFC 9113 §3.3).
struct HTTPChannel: ServerChildChannel {
    enum Spoken: Sendable {
        case http1(HTTP1Connection)
        case http2(HTTP2Connection)
        /// The connection exceeds a limit, so it is not served.
        case refused
    }

    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let spoken: EventLoopFuture<Spoken>
    }

    let handling: RequestHandling
    let limits: ChannelLimits
    let tls: TLSIdentity?
    let ledger: ConnectionLedger
    let readAhead: ReadAhead
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // Read once per pass of the event loop, so that the bytes of a read are counted before the next read. Four reads in a pass
            // could bring a megabyte.
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1)
            try channel.limitUnsent(limits.unsentByteCount)
            guard let entry = ledger.enter(channel) else {
                try channel.syncOptions?.setOption(.autoRead, value: false)
                try channel.syncOptions?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16_384))
                return Value(channel: channel, spoken: channel.eventLoop.makeSucceededFuture(.refused))
            }
            channel.closeFuture.whenComplete { [ledger] _ in ledger.leave(entry) }
            let unread = readAhead.connection(channel.eventLoop, network: entry.network)
            let sizes = tls == nil ? ReadSizes.ofHeads(limits) : unread.keptReads
            try channel.syncOptions?.setOption(.recvAllocator, value: sizes)
            let negotiated = try tls.map { try negotiate(channel, $0, entry, unread) } ?? sniff(channel, entry, unread)
            return Value(channel: channel, spoken: negotiated)
        }
    }

    func handle(value: Value, logger: Logger) async {
        let executor = LoopExecutor(value.channel.eventLoop)
        await withTaskExecutorPreference(executor) { await serve(value, logger) }
        // The task refers to its executor without retaining it, so keep the executor in memory until here.
        withExtendedLifetime(executor) {}
    }

    private func serve(_ value: Value, _ logger: Logger) async {
        await withTaskCancellationHandler {
            await Connection.$current.withValue(
                Connection(isSecure: tls != nil, peer: value.channel.remoteAddress?.ipAddress.flatMap(IPAddress.init))
            ) {
                // `get` throws when the client disconnected before it sent anything, or when the TLS handshake failed.
                switch try? await value.spoken.get() {
                case .http1(let connection): await connection.serve(handling, logger)
                case .http2(let connection): await connection.serve(handling, logger)
                case .refused: await refuse(value.channel)
                case nil: break
                }
            }
        } onCancel: {
            value.channel.close(promise: nil)
        }
    }

    private func spoken(
        _ channel: any Channel, isHTTP2: Bool, _ entry: ConnectionLedger.Entry, _ unread: UnreadBytes
    ) throws -> Spoken {
        if isHTTP2 {
            guard ledger.beginHTTP2(entry) else {
                // Not at once: the channel may be in the middle of reading.
                channel.eventLoop.execute { entry.cut() }
                return .refused
            }
            return .http2(try HTTP2Connection(on: channel, isSecure: tls != nil, limits: limits, entry: entry, unread: unread))
        }
        let connection = try HTTP1Connection(on: channel, isSecure: tls != nil, limits: limits, entry: entry, unread: unread)
        channel.keepUntilClosed(connection)
        return .http1(connection)
    }

    /// Starts TLS and negotiates the protocol by ALPN; HTTP/1.1 if the client sends no ALPN.
    private func negotiate(
        _ channel: any Channel, _ tls: TLSIdentity, _ entry: ConnectionLedger.Entry, _ unread: UnreadBytes
    ) throws -> EventLoopFuture<Spoken> {
        let stop = QuiesceHandler()
        // The connections of a trusted proxy carry many clients, so they take no turns.
        let gate = entry.network.map { _ in HandshakeGate(entry: entry, mostByteCount: 2 * limits.keptReadByteCount) }
        let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Spoken> { result, channel in
            channel.eventLoop.makeCompletedFuture {
                // The protocol's handlers react to the server's stop themselves.
                channel.pipeline.syncOperations.removeHandler(stop, promise: nil)
                if let gate { channel.pipeline.syncOperations.removeHandler(gate, promise: nil) }
                return try spoken(channel, isHTTP2: result == .negotiated("h2"), entry, unread)
            }
        }
        if let gate { try channel.pipeline.syncOperations.addHandler(gate) }
        try channel.pipeline.syncOperations.addHandlers([NIOSSLServerHandler(context: tls.context), negotiation])
        try channel.pipeline.syncOperations.addHandler(stop)
        let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limits.head)) { channel.close(promise: nil) }
        negotiation.protocolNegotiationResult.whenComplete { _ in deadline.cancel() }
        return negotiation.protocolNegotiationResult
    }

    private func sniff(
        _ channel: any Channel, _ entry: ConnectionLedger.Entry, _ unread: UnreadBytes
    ) throws -> EventLoopFuture<Spoken> {
        let promise = channel.eventLoop.makePromise(of: Spoken.self)
        try channel.pipeline.syncOperations.addHandler(
            PrefaceSniffer(promise: promise, limits: limits) { channel, isHTTP2 in
                try spoken(channel, isHTTP2: isHTTP2, entry, unread)
            })
        return promise.futureResult
    }

    /// Refuses a connection beyond the limits. Over TLS it closes without a response, since a response would need the costly handshake.
    private func refuse(_ channel: any Channel) async {
        if tls == nil {
            let answer = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            try? await channel.writeAndFlush(ByteBuffer(string: answer))
            // Read once without waiting. If a request that has arrived stayed unread, TCP would reset the connection, and the client might
            // lose the response. No limit counts these connections, so they must not stay open for longer.
            channel.eventLoop.execute {
                channel.read()
                // Two passes, because in the next one the loop may come to this work before it reads.
                LoopPass.next(on: channel.eventLoop) {
                    LoopPass.next(on: channel.eventLoop) { channel.close(promise: nil) }
                }
            }
            try? await channel.closeFuture.get()
        } else {
            try? await channel.close()
        }
    }
}

/// Closes a connection at once when the server stops.
private final class QuiesceHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
