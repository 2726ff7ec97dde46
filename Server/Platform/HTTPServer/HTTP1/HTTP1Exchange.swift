import Core
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Follows each request and its response on an HTTP/1 connection, and converts their parts from and to NIO's. It tells the gate when both
/// are complete, and decides whether the connection stays open.
///
/// A response that starts while its request still arrives gets `Connection: close`, unless the rest of the request is small enough to drop.
/// A client that waits for `100 Continue` and gets a final response instead may or may not send its body. The server cannot tell that body
/// from the next request, so the connection closes too (RFC 9110 §10.1.1).
final class HTTP1Exchange: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = ArrivedPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// If at most this much of a request is missing when its response begins, the server reads and drops the rest, and the connection stays
    /// open. Over HTTP/2, also the most bytes of a refused body that are read and dropped.
    static let dropByteCount = 256 * 1024

    let presence = ClientPresence()
    private let gate: RequestGate
    private let meter: BodyMeter
    private var isArriving = false
    /// Whether the request has no body.
    private var isWhole = false
    private var isAnswering = false
    private var isWaiting = false
    /// Whether the request's method is HEAD. The response then has no body, even if a handler writes one: the client would read the body as
    /// the start of the next response (RFC 9110 §9.3.2).
    private var isHead = false
    private var isSwitching = false
    /// Whether the response is 503.
    private var isRefused = false
    /// Whether the server accepts no further request on this connection.
    private(set) var isLast = false
    /// Completes when the last response has been sent.
    private(set) var lastWrite: EventLoopFuture<Void>?

    /// The context of NIO's encoder. A response that is complete in memory is written from this context, so it bypasses the encoder.
    private var encoder: ChannelHandlerContext?
    private let isSecure: Bool
    private let refusalPause: TimeAmount
    private var joined = JoinedPieces()

    init(gate: RequestGate, limits: ChannelLimits, meter: BodyMeter, isSecure: Bool) {
        self.gate = gate
        self.isSecure = isSecure
        self.meter = meter
        refusalPause = TimeAmount(limits.refusalPause)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
    }

    func handlerRemoved(context: ChannelHandlerContext) { encoder = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let received):
            guard let head = try? HTTPRequest(received, isSecure: isSecure) else { return refuse() }
            isArriving = true
            isAnswering = true
            isHead = head.method == .head
            isWaiting = gate.framing?.expectsContinue ?? false
            if gate.framing?.closes ?? true { isLast = true }
            isWhole = gate.framing?.body == RequestFraming.Body.none
            context.fireChannelRead(wrapInboundOut(.head(head, mayUpgrade: gate.framing?.mayUpgrade ?? false, isWhole: isWhole)))
        case .body(let bytes):
            isWaiting = false
            let ready = joined.add(bytes)
            pass(ready.first, context)
            pass(ready.second, context)
        case .end:
            pass(joined.take(), context)
            isArriving = false
            if !isWhole { context.fireChannelRead(wrapInboundOut(.end)) }
            if isLast, !isAnswering { gate.finish() }
        }
    }

    private func pass(_ bytes: ByteBuffer?, _ context: ChannelHandlerContext) {
        guard let bytes else { return }
        meter.arrived(bytes)
        context.fireChannelRead(wrapInboundOut(.body(bytes)))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        pass(joined.take(), context)
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status == .switchingProtocols:
            // A 101 response to a request without an upgrade ends HTTP on this connection; nothing valid can follow.
            if gate.framing?.mayUpgrade ?? false { isSwitching = true } else { isLast = true }
            context.write(wrapOutboundOut(.head(HTTPResponseHead(head))), promise: promise)
        case .head(let head) where head.status.kind == .informational:
            if head.status == .continue {
                isWaiting = false
                gate.continued()
            }
            context.write(wrapOutboundOut(.head(HTTPResponseHead(head))), promise: promise)
        case .head(var head):
            begin(head.status)
            if isLast { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(HTTPResponseHead(head))), promise: promise)
        case .body where isHead: promise?.succeed()
        case .body(let bytes): context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
        case .end(let trailers):
            let written = promise ?? context.eventLoop.makePromise()
            context.write(wrapOutboundOut(.end(trailers.map(HTTPHeaders.init))), promise: written)
            end(written, context)
        }
    }

    /// Called when a final response begins.
    private func begin(_ status: HTTPResponse.Status) {
        if isArriving, isWaiting || !isNearlyHere { isLast = true }
        isRefused = status == .serviceUnavailable
    }

    /// Called when the last byte of the response was written; `written` completes when it has been sent.
    private func end(_ written: EventLoopPromise<Void>, _ context: ChannelHandlerContext) {
        lastWrite = written.futureResult
        gate.clock.wroteAnswer()
        let actions = presence.takeOnceSent()
        written.futureResult.assumeIsolated().whenComplete { [gate] _ in
            gate.clock.answerLeft()
            for action in actions { action() }
        }
        ended(context)
    }

    private func write(_ response: WholeResponse, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        guard let encoder else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        begin(response.status)
        let (first, second) = response.encoded(isHead: isHead, closes: isLast, context.channel.allocator)
        let written = promise ?? context.eventLoop.makePromise()
        // A write from the encoder's own context bypasses the encoder.
        encoder.write(NIOAny(IOData.byteBuffer(first)), promise: second == nil ? written : nil)
        if let second { encoder.write(NIOAny(IOData.byteBuffer(second)), promise: written) }
        end(written, context)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        if let response = event as? WholeResponse { return write(response, context, promise) }
        guard let body = event as? FileBody else { return context.triggerUserOutboundEvent(event, promise: promise) }
        // The file comes as an event, because `HTTPResponsePart` cannot hold files. NIO's own parts can.
        if isHead { promise?.succeed() } else { context.write(wrapOutboundOut(.body(.fileRegion(body.region))), promise: promise) }
    }

    private func ended(_ context: ChannelHandlerContext) {
        isAnswering = false
        if isSwitching {
            gate.switchProtocol()
        } else if isLast, !isArriving {
            gate.finish()
        } else if isRefused, !isArriving {
            _ = context.eventLoop.assumeIsolated().scheduleTask(in: refusalPause) { [gate] in gate.answered() }
        } else {
            gate.answered()
        }
    }

    private var isNearlyHere: Bool {
        if case .length(let left) = gate.phase { left <= Self.dropByteCount } else { false }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        pass(joined.take(), context)
        // The parser may refuse bytes that the gate accepted.
        switch error {
        case HTTPParserError.invalidEOFState: context.fireErrorCaught(error)
        case is HTTPParserError: refuse()
        default: context.fireErrorCaught(error)
        }
    }

    private func refuse() { gate.refuse(Problem(.invalid, "The request is not valid HTTP/1.1.")) }

    func channelInactive(context: ChannelHandlerContext) {
        presence.leave()
        for action in presence.takeOnceSent() { action() }
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { presence.leave() }
        guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
        if isArriving || isAnswering { isLast = true } else { context.close(promise: nil) }
    }
}
