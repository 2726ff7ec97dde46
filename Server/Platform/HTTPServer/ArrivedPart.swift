import Core
import HTTPTypes
import NIOCore
package import Synchronization

/// A part of a request, with what its channel found out about it.
enum ArrivedPart: Sendable {
    /// - Parameter mayUpgrade: the client asks for another protocol, and the connection could be taken over.
    case head(HTTPRequest, mayUpgrade: Bool)
    case body(ByteBuffer)
    case end
}

/// What the channel refuses itself: it says so to whoever reads the request, and nothing more of the connection is read.
struct RefusedMessage: Error {
    let problem: Problem
}

/// What the channel knows of the connection that a request came by.
package final class Connection: Sendable {
    @TaskLocal package static var current: Connection?

    /// TLS, here and not before a proxy.
    package let isSecure: Bool
    /// The other end of the socket; `nil` on a Unix socket.
    package let peer: IPAddress?
    /// Its requests are streams, served side by side.
    package let isHTTP2: Bool
    /// What its answers hold of `ChannelLimits.connectionAnswerByteCount`.
    package let answerByteCount = Atomic(0)

    init(isSecure: Bool, peer: IPAddress?, isHTTP2: Bool = false) {
        self.isSecure = isSecure
        self.peer = peer
        self.isHTTP2 = isHTTP2
    }
}
