import Core
import HTTPTypes
import NIOCore
package import Synchronization

/// A part of a request as the channel hands it to the code that serves the connection.
enum ArrivedPart: Sendable {
    /// - Parameters:
    ///   - mayUpgrade: whether the client asks for another protocol, and this connection can be taken over.
    ///   - isWhole: whether the request has no body. If so, no other part follows, because each part costs a passage through the
    ///     connection's queue.
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

    /// Whether this server terminates TLS for the connection. TLS that ends at a proxy in front of the server does not count.
    package let isSecure: Bool
    /// The address of the other end of the socket; `nil` on a Unix socket.
    package let peer: IPAddress?
    /// Whether the connection speaks HTTP/2. Its requests are then streams, which are served concurrently.
    package let isHTTP2: Bool
    /// Bytes of `ChannelLimits.connectionAnswerByteCount` that the connection's responses use now.
    package let answerByteCount = Atomic(0)

    init(isSecure: Bool, peer: IPAddress?, isHTTP2: Bool = false) {
        self.isSecure = isSecure
        self.peer = peer
        self.isHTTP2 = isHTTP2
    }
}
