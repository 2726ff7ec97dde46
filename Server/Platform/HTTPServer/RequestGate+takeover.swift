import NIOCore

/// The way from HTTP to another protocol: `switchProtocol`, then `takeOver`, then `start`.
extension RequestGate {
    /// The answer is 101: what follows is not HTTP.
    func switchProtocol() {
        phase = .switching
        clock.stop()
    }

    /// From now on what is written goes past HTTP's handlers. What arrives is held until `start`, since nobody is there yet to take it.
    /// - Returns: whether the answer 101 was written.
    func takeOver() -> Bool {
        guard phase == .switching else { return false }
        isBypassed = true
        return true
    }

    /// The next protocol's handlers are in place.
    func start() {
        guard let context, phase == .switching else { return }
        phase = .takenOver
        if held.readableBytes > 0 {
            exit.context?.fireChannelRead(wrapInboundOut(held))
            exit.context?.fireChannelReadComplete()
            held = ByteBuffer()
        }
        if isInputClosed { exit.context?.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        if isStopping { exit.context?.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        // Closed in the meantime; the handlers have to hear of it.
        if !context.channel.isActive { exit.context?.fireChannelInactive() }
        // HTTP's reader may have kept a read back that nobody would ask for again.
        context.read()
    }
}
