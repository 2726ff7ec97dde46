import Connections
import NIOCore

/// Collects one reply up to the NUL that ends it. A connection that ends before the NUL has no reply.
final class ClamdReplyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// clamd's replies are shorter: a signature's name and a few words.
    private static let maxByteCount = 4_096

    private let promise: EventLoopPromise<ClamdReply>
    private var gathered: [UInt8] = []
    private var isDone = false
    /// Whether clamd has begun to reply. It does so only once, when it has finished its work.
    private var hasBytes = false
    private var closesAfterReply = false
    private var failure: (any Error)?

    /// - Parameter promise: always succeeds, never fails.
    init(_ promise: EventLoopPromise<ClamdReply>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasBytes = true
        if closesAfterReply { return context.close(promise: nil) }
        guard !isDone else { return }
        gathered.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        if let end = gathered.firstIndex(of: 0) {
            let text = String(validating: gathered[..<end], as: UTF8.self)
            answer(text.map(ClamdReply.text) ?? .none(reason: "its answer is not UTF-8"))
        } else if gathered.count > Self.maxByteCount {
            answer(.none(reason: "its answer has no end"))
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Do not complete the promise yet: after a failed write there may be a reply to read.
        failure = failure ?? error
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        let what = gathered.isEmpty ? "it closed the connection without an answer" : "it closed the connection in the middle of its answer"
        answer(.none(reason: failure.map { "\(what) (\(ConnectionFault($0).words))" } ?? what))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        answer(.none(reason: "the connection was closed"))
    }

    /// Called before the server closes the connection, so that `reason` is reported instead of the closing.
    func giveUp(_ reason: String) { answer(.none(reason: reason)) }

    /// Closes the connection as soon as clamd replies. Nobody waits for the reply itself.
    func closeAfterReply(_ channel: any Channel) {
        answer(.none(reason: "the connection was closed"))
        if hasBytes { channel.close(promise: nil) } else { closesAfterReply = true }
    }

    private func answer(_ reply: ClamdReply) {
        guard !isDone else { return }
        isDone = true
        gathered = []
        promise.succeed(reply)
    }
}
