import NIOCore

/// The steps to switch from HTTP to another protocol: `switchProtocol`, then `takeOver`, then `start`.
extension RequestGate {
    /// Call this when the response is 101: the bytes after the request do not belong to HTTP.
    func switchProtocol() {
        phase = .switching
        clock.stop()
    }

    /// Writes bypass HTTP's handlers from now on. Received bytes are held until `start`, since the next protocol's handlers are not in
    /// place yet.
    /// - Returns: whether the 101 response was written.
    func takeOver() -> Bool {
        guard phase == .switching else { return false }
        isBypassed = true
        return true
    }

    /// Call this when the next protocol's handlers are in place.
    func start() {
        guard let context, phase == .switching else { return }
        phase = .takenOver
        if held.readableBytes > 0 {
            exit.context?.fireChannelRead(wrapInboundOut(held))
            exit.context?.fireChannelReadComplete()
            held = ByteBuffer()
            heldShare = nil
        }
        if isInputClosed { exit.context?.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        if isStopping { exit.context?.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        // The channel closed in the meantime; tell the new handlers.
        if !context.channel.isActive { exit.context?.fireChannelInactive() }
        // HTTP's handlers may have held back a read, and nothing else would repeat it.
        context.read()
    }
}
