import Core
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Follows each request and its response on an HTTP/1 connection. It tells the gate when both are complete, and decides whether the
/// connection stays open.
///
/// A response that starts while its request still arrives gets `Connection: close`, unless the rest of the request is small enough to drop.
/// A client that waits for `100 Continue` and gets a final response instead may or may not send its body. The server cannot tell that body
/// from the next request, so the connection closes too (RFC 9110 §10.1.1).
final class HTTP1Exchange: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = ArrivedPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The most bytes of a refused body that are read and dropped.
    static let dropByteCount = 256 * 1024

    let presence = ClientPresence()
    private let gate: RequestGate
    private let meter: BodyMeter
    private var isArriving = false
    private var isAnswering = false
    private var isWaiting = false
    /// The response to HEAD has no body, whatever wrote it: a client would read the body as the start of the next response
    /// (RFC 9110 §9.3.2).
    private var isHead = false
    private var isSwitching = false
    /// The response is 503.
    private var isRefused = false
    /// The server accepts no further request on this connection.
    private var isLast = false
    /// Completes when the last response has been sent.
    private(set) var lastWrite: EventLoopFuture<Void>?

    /// The handler that converts `HTTPResponsePart`, which has no files, to NIO's own parts, which may be files.
    private var converter: ChannelHandlerContext?
    private let refusalPause: TimeAmount
    private var joined = JoinedPieces()

    init(gate: RequestGate, limits: ChannelLimits, meter: BodyMeter) {
        self.gate = gate
        self.meter = meter
        refusalPause = TimeAmount(limits.refusalPause)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        converter = try? context.pipeline.syncOperations.context(handlerType: HTTP1ToHTTPServerCodec.self)
    }

    func handlerRemoved(context: ChannelHandlerContext) { converter = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            isArriving = true
            isAnswering = true
            isHead = head.method == .head
            isWaiting = gate.framing?.expectsContinue ?? false
            if gate.framing?.closes ?? true { isLast = true }
            head.path = head.path.map(Self.originForm)
            context.fireChannelRead(wrapInboundOut(.head(head, mayUpgrade: gate.framing?.mayUpgrade ?? false)))
        case .body(let bytes):
            isWaiting = false
            let ready = joined.add(bytes)
            pass(ready.first, context)
            pass(ready.second, context)
        case .end:
            pass(joined.take(), context)
            isArriving = false
            context.fireChannelRead(wrapInboundOut(.end))
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
            context.write(data, promise: promise)
        case .head(let head) where head.status.kind == .informational:
            if head.status == .continue {
                isWaiting = false
                gate.continued()
            }
            context.write(data, promise: promise)
        case .head(var head):
            if isArriving, isWaiting || !isNearlyHere { isLast = true }
            if isLast { head.headerFields[.connection] = "close" }
            isRefused = head.status == .serviceUnavailable
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body where isHead: promise?.succeed()
        case .body: context.write(data, promise: promise)
        case .end:
            let written = promise ?? context.eventLoop.makePromise()
            lastWrite = written.futureResult
            context.write(data, promise: written)
            gate.clock.wroteAnswer()
            let actions = presence.takeOnceSent()
            written.futureResult.assumeIsolated().whenComplete { [gate] _ in
                gate.clock.answerLeft()
                for action in actions { action() }
            }
            ended(context)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let body = event as? FileBody else { return context.triggerUserOutboundEvent(event, promise: promise) }
        if isHead {
            promise?.succeed()
        } else if let converter {
            // Past the converter, to the encoder.
            converter.write(NIOAny(HTTPServerResponsePart.body(.fileRegion(body.region))), promise: promise)
        } else {
            promise?.fail(ChannelError.ioOnClosedChannel)
        }
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
        // The parser refuses what the gate let through.
        switch error {
        case HTTPParserError.invalidEOFState: context.fireErrorCaught(error)
        case is HTTPParserError, is HTTP1TypeConversionError: gate.refuse(Problem(.invalid, "The request is not valid HTTP/1.1."))
        default: context.fireErrorCaught(error)
        }
    }

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

    /// The path of an absolute URL (RFC 9112 §3.2.2). The gate has checked that its host equals the Host field.
    private static func originForm(_ target: String) -> String {
        guard !target.hasPrefix("/"), target != "*", let scheme = target.range(of: "://") else { return target }
        guard let start = target[scheme.upperBound...].firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
        return target[start] == "/" ? String(target[start...]) : "/" + target[start...]
    }
}
