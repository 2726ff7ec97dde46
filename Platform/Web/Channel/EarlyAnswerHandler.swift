import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Marks an answer that goes out while its request still arrives with `Connection: close`, unless what is left is small
/// enough to read past. A client that waits for `100 Continue` and got an answer instead may or may not send its body,
/// so what follows on that connection cannot be told apart: it closes too (RFC 9110 §10.1.1).
final class EarlyAnswerHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How much of a refused body is read and dropped.
    static let dropByteCount = 256 * 1024

    private var isArriving = false
    private var isWaiting = false
    /// Announced and not yet here; `nil` when the length is not announced.
    private var missing: Int?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isArriving = true
            isWaiting = head.headerFields[.expect]?.lowercased() == "100-continue"
            missing = head.headerFields[.contentLength].flatMap { Int($0) }
        case .body(let bytes):
            isWaiting = false
            missing = missing.map { $0 - bytes.readableBytes }
        case .end:
            isArriving = false
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        if head.status.kind == .informational {
            if head.status == .continue { isWaiting = false }
        } else if isArriving, isWaiting || missing.map({ $0 > Self.dropByteCount }) ?? true {
            head.headerFields[.connection] = "close"
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
