import Core
import HTTPTypes
import NIOCore

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
final class Connection: Sendable {
    @TaskLocal static var current: Connection?

    /// TLS, here and not before a proxy.
    let isSecure: Bool
    /// The other end of the socket; `nil` on a Unix socket.
    let peer: IPAddress?

    init(isSecure: Bool, peer: IPAddress?) {
        self.isSecure = isSecure
        self.peer = peer
    }
}
