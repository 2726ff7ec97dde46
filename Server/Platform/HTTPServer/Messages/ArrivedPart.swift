import Core
import HTTPTypes
import NIOCore
package import Synchronization

/// A part of a request as the channel hands it to the code that serves the connection.
enum ArrivedPart: Sendable {
    /// - Parameters:
    ///   - mayUpgrade: the client asks for another protocol, and this connection can be taken over.
    ///   - isWhole: the request has no body. No other part follows, since each part costs a passage through the connection's queue.
    case head(HTTPRequest, mayUpgrade: Bool, isWhole: Bool)
    case body(ByteBuffer)
    case end
}

/// The channel itself refuses the request. The reader of the request gets this error, and the channel reads nothing more.
struct RefusedMessage: Error {
    let problem: Problem
}

/// The connection that a request arrived on.
package final class Connection: Sendable {
    @TaskLocal package static var current: Connection?

    /// This server terminates TLS for the connection; a TLS proxy in front of it does not count.
    package let isSecure: Bool
    /// The address of the other end of the socket; `nil` on a Unix socket.
    package let peer: IPAddress?
    /// The connection speaks HTTP/2: its requests are streams, served concurrently.
    package let isHTTP2: Bool
    /// Bytes of `ChannelLimits.connectionAnswerByteCount` that the connection's responses use now.
    package let answerByteCount = Atomic(0)

    init(isSecure: Bool, peer: IPAddress?, isHTTP2: Bool = false) {
        self.isSecure = isSecure
        self.peer = peer
        self.isHTTP2 = isHTTP2
    }
}
