import Core
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP2

/// One HTTP/2 stream: one request and its response.
struct HTTP2Stream: Sendable {
    private let parts: NIOAsyncChannel<ArrivedPart, HTTPResponsePart>
    private let exchange: NIOLoopBound<HTTP2Exchange>
    private let presence: ClientPresence
    private let limits: ChannelLimits
    private let meter: BodyMeter

    init(
        on stream: any Channel, isSecure: Bool, limits: ChannelLimits, meter: BodyMeter, entry: ConnectionLedger.Entry, clock: ClientClock
    ) throws {
        self.limits = limits
        self.meter = meter
        let exchange = HTTP2Exchange(
            eventLoop: stream.eventLoop, isSecure: isSecure, limits: limits, meter: meter, entry: entry, clock: clock)
        self.exchange = NIOLoopBound(exchange, eventLoop: stream.eventLoop)
        let pipeline = stream.pipeline.syncOperations
        try pipeline.addHandler(HTTP2FramePayloadToHTTPServerCodec())
        try pipeline.addHandler(exchange)
        presence = exchange.presence
        parts = try NIOAsyncChannel(
            wrappingChannelSynchronously: stream,
            // A frame holds at most 16 KiB. The exchange reads ahead of the handler as far as the connection's `UnreadBytes` allow.
            configuration: .init(backPressureStrategy: .init(lowWatermark: 4, highWatermark: 16)))
    }

    func serve(_ handling: RequestHandling, _ logger: Logger) async {
        let (channel, exchange) = (parts.channel, exchange)
        // The meter runs until the handler ends, even if the client has reset the stream: the handler may hold received bytes until then.
        defer { meter.end() }
        do {
            try await parts.executeThenClose { inbound, outbound in
                let parts = RequestParts(inbound.makeAsyncIterator(), meter)
                do {
                    guard let (head, _) = try await parts.nextHead() else { return }
                    // The client may reset the stream, or disconnect, before its task runs.
                    guard !presence.isGone else { return }
                    let request = Request(head: head, body: RequestBody(asyncSequence: parts))
                    try await ClientPresence.$current.withValue(presence) {
                        // A task of its own, because a task keeps the memory of its deepest call until it ends: about 18 KB here, and the
                        // client may take long to read the response.
                        async let made = handling.respond(request, channel)
                        let response = await made
                        try await ResponseWriter(outbound: outbound).write(response: response.head, body: response.body)
                    }
                } catch let refused as RefusedMessage {
                    let response = handling.refusal(refused.problem)
                    try await ResponseWriter(outbound: outbound).write(response: response.head, body: response.body)
                }
                // Closing drops unsent bytes, so wait for the whole response.
                try await channel.eventLoop.flatSubmit { exchange.value.answered }.get()
                guard !parts.hasEnded else { return }
                await readPast(parts)
                try await channel.eventLoop.submit { exchange.value.reset() }.get()
            }
        } catch {
            logger.trace("stream ended", metadata: ["error": "\(error)"])
        }
    }

    /// A response that ends before its request is followed by RST_STREAM with NO_ERROR: the client need not send the rest (RFC 9113 §8.1).
    /// Some clients treat a reset that arrives with the response as a failure. So the server first reads and drops as much as over HTTP/1:
    /// 256 KB, for at most 2 s.
    private func readPast(_ parts: RequestParts) async {
        let exchange = exchange
        let deadline = self.parts.channel.eventLoop.scheduleTask(in: TimeAmount(limits.linger)) { exchange.value.reset() }
        defer { deadline.cancel() }
        var dropped = 0
        while dropped <= HTTP1Exchange.dropByteCount {
            guard case .body(let bytes)? = try? await parts.nextPart() else { return }
            dropped += bytes.readableBytes
        }
        // Drop what still arrives, so that it does not block the connection's other streams.
        try? await self.parts.channel.eventLoop.submit { exchange.value.drop() }.get()
        try? await self.parts.channel.closeFuture.get()
    }
}
