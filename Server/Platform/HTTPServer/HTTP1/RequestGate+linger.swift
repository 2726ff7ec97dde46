import NIOCore

/// The end of a connection after its last response (RFC 9112 §9.6). If the server closed the connection while bytes of the client are
/// unread, or arrive later, TCP would reset it, and the client might lose the response. So the server closes its sending side first, and
/// drops what still arrives.
extension RequestGate {
    var hasEnded: Bool {
        if case .ended = phase { true } else { false }
    }

    /// Reads what the client still sends, to drop it; no other handler asks for these reads. After `ChannelLimits.lingerByteCount` the
    /// server reads no more: TCP then holds the client back, until the connection is cut.
    func readToDrop(_ context: ChannelHandlerContext) {
        guard case .ended(let dropped) = phase, dropped < limits.lingerByteCount else { return }
        context.read()
    }

    /// Call when the last response was written, and may not have been sent yet: drops what still arrives.
    func dropRest() {
        guard let context else { return }
        if !hasEnded { end() }
        readToDrop(context)
    }

    /// Call after `dropRest`, when the last response has been sent. From now on the connection closes when the client closes its side.
    /// - Returns: false if the client has closed its side already, or the connection is closed. The caller then closes the connection.
    func linger() -> Bool {
        guard context != nil, !isInputClosed else { return false }
        isLingering = true
        return true
    }

    /// Closes the connection at once, also over TLS.
    func cut() { if context != nil { entry.cut() } }
}
