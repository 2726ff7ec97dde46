import NIOCore
import NIOWebSocket

/// Pings, which keep a way through routers and proxies open and tell a peer that is gone from one that is silent.
extension WebSocketHandler {
    func schedulePing(in time: Duration) { setAlarm(in: time) { $0.ping() } }

    private func ping() {
        guard phase == .open, let context else { return }
        heard = false
        let promise = context.eventLoop.makePromise(of: Void.self)
        var isOut = false
        promise.futureResult.assumeIsolated().whenSuccess {
            isOut = true
            self.awaitPong(writes: self.writes) { isOut }
        }
        write(.ping, ByteBuffer(), promise: promise)
        if !isOut { awaitPong(writes: writes) { isOut } }
    }

    /// - Parameter writes: how many messages had been taken by the kernel.
    private func awaitPong(writes: Int, isOut: @escaping () -> Bool) {
        guard phase == .open else { return }
        setAlarm(in: limits.pongWithin) { handler in
            guard handler.phase == .open else { return }
            // Any word is a sign of life; and who is not read cannot give one.
            if handler.heard || handler.isFull {
                return handler.schedulePing(in: max(.zero, handler.limits.pingEvery - handler.limits.pongWithin))
            }
            // The ping itself still waits behind messages, of which the peer takes some.
            if !isOut(), handler.writes > writes { return handler.awaitPong(writes: handler.writes, isOut: isOut) }
            handler.ending = .silent
            handler.write(.connectionClose, WebSocketClose(.goingAway, "No answer to a ping.").payload)
            handler.shut()
        }
    }
}
