import Core
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// An HTTP/1.1 connection: its channel handlers, and the loop that serves one request after another.
struct HTTP1Connection: Sendable {
    private let parts: NIOAsyncChannel<ArrivedPart, HTTPResponsePart>
    private let gate: NIOLoopBound<RequestGate>
    private let exchange: NIOLoopBound<HTTP1Exchange>
    private let presence: ClientPresence
    private let limits: ChannelLimits
    private let meter: BodyMeter
    private let isSecure: Bool

    /// Adds the handlers to the end of the pipeline.
    init(
        on channel: any Channel, isSecure: Bool, limits: ChannelLimits, entry: ConnectionLedger.Entry, unread: UnreadBytes
    ) throws {
        self.limits = limits
        self.isSecure = isSecure
        meter = unread.connectionMeter()
        let gate = RequestGate(limits: limits, entry: entry, unread: unread, isSecure: isSecure)
        let exchange = HTTP1Exchange(gate: gate, limits: limits, meter: meter, isSecure: isSecure)
        self.gate = NIOLoopBound(gate, eventLoop: channel.eventLoop)
        self.exchange = NIOLoopBound(exchange, eventLoop: channel.eventLoop)
        // The gate enforces the limits first. The parser has limits of its own, which must not be lower.
        var decoder = NIOHTTPDecoderLimitConfiguration()
        decoder.maxHeaderFieldSize = limits.headerListByteCount
        decoder.maxHeaderListSize = limits.headerListByteCount
        decoder.maxHeaderFieldCount = limits.headerFieldCount * 2
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(gate)
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoder)
        try pipeline.addHandler(exchange)
        presence = exchange.presence
        parts = try NIOAsyncChannel(
            wrappingChannelSynchronously: channel,
            configuration: .init(
                // Backpressure: when the disk is slow, stop reading the socket instead of buffering. At most four reads wait, and the gate
                // counts their bytes.
                backPressureStrategy: .init(lowWatermark: 1, highWatermark: 4), isOutboundHalfClosureEnabled: true))
        try pipeline.addHandler(gate.exit)
    }

    func serve(_ handling: RequestHandling, _ logger: Logger) async {
        do {
            try await parts.executeThenClose { inbound, outbound in
                do {
                    try await ClientPresence.$current.withValue(presence) {
                        try await serve(handling, RequestParts(inbound.makeAsyncIterator(), meter), outbound)
                    }
                } catch let refused as RefusedMessage {
                    try await refuse(handling.refusal(refused.problem), outbound)
                }
            }
        } catch {
            logger.trace("connection ended", metadata: ["error": "\(error)"])
        }
    }

    private func serve(
        _ handling: RequestHandling, _ parts: RequestParts,
        _ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>
    ) async throws {
        while let (head, mayUpgrade) = try await parts.nextHead() {
            let request = Request(head: head, body: RequestBody(asyncSequence: parts))
            if mayUpgrade {
                let upgrade = ChannelUpgrade()
                // Use a separate task: a task keeps the memory of its deepest call until it ends, and this connection may last for days.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { [channel] in
                        try await ChannelUpgrade.$current.withValue(upgrade) {
                            try await send(await handling.respond(request, channel), outbound)
                        }
                    }
                    try await group.waitForAll()
                }
                if try await takeOver(upgrade, handling.threads) { return }
            } else {
                let response = await handling.respond(request, channel)
                if let short = ShortResponse(response, channel) {
                    try await short.write()
                } else {
                    try await send(response, outbound)
                }
            }
            if parts.hasEnded { continue }
            guard await readPast(parts) else { break }
        }
        try await linger(outbound)
    }

    private func send(_ response: Response, _ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>) async throws {
        try await ResponseWriter(outbound: outbound).write(response: response.head, body: response.body)
    }

    private var channel: any Channel { parts.channel }

    /// Hands the connection over if the response was 101, and waits until the next protocol has ended.
    /// - Returns: whether the connection no longer speaks HTTP.
    private func takeOver(_ upgrade: ChannelUpgrade, _ threads: any TaskExecutor) async throws -> Bool {
        let takeover = upgrade.take()
        let gate = gate
        // This runs after the write of the response, which uses the same event loop.
        let isSwitched = try await channel.eventLoop.submit { gate.value.takeOver() }.get()
        guard isSwitched else { return false }
        guard let takeover else { return true }
        try await withTaskExecutorPreference(threads) { try await takeover(channel) { gate.value.start() } }
        return true
    }

    /// Reads and drops the rest of a request whose response was sent before the request ended, for at most `linger`. Only a small rest is
    /// read here: if more is missing, the response was the connection's last (`HTTP1Exchange`).
    /// - Returns: whether the connection can take another request.
    private func readPast(_ parts: RequestParts) async -> Bool {
        if !parts.hasBody {
            _ = try? await parts.nextPart()
            return parts.hasEnded
        }
        let exchange = exchange
        let isLast = try? await channel.eventLoop.submit { exchange.value.isLast }.get()
        guard isLast == false else { return false }
        let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limits.linger)) { [channel] in channel.close(promise: nil) }
        defer { deadline.cancel() }
        while true {
            // The response has been sent, so an error here only ends the connection; no client needs it.
            switch try? await parts.nextPart() {
            case .body: continue
            case .end: return true
            case .head, nil: return false
            }
        }
    }

    /// Ends the connection after its last response: waits until the response has been sent, closes the sending side, and drops what the
    /// client still sends, until the client closes its side too, at most for `linger` (`RequestGate.linger`).
    private func linger(_ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>) async throws {
        let (gate, exchange) = (gate, exchange)
        // Closing the connection drops unsent bytes.
        try await channel.eventLoop.flatSubmit { [channel] () -> EventLoopFuture<Void> in
            gate.value.dropRest()
            return exchange.value.lastWrite ?? channel.eventLoop.makeSucceededVoidFuture()
        }.get()
        let mayStillSend = try await channel.eventLoop.submit { gate.value.linger() }.get()
        guard mayStillSend else { return }
        outbound.finish()
        let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limits.linger)) { gate.value.cut() }
        defer { deadline.cancel() }
        try await channel.closeFuture.get()
    }

    /// Sends the response and ends the connection.
    private func refuse(_ answer: Response, _ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>) async throws {
        var response = answer
        response.headers[.connection] = "close"
        try await send(response, outbound)
        try await linger(outbound)
    }
}
