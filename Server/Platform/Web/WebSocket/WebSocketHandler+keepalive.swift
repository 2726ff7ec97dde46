import NIOCore
import NIOWebSocket

/// Sends pings. They keep the connection open through routers and proxies, and detect a peer that has gone.
extension WebSocketHandler {
    func schedulePing(in time: Duration) { setAlarm(in: time) { $0.ping() } }

    private func ping() {
        guard phase == .open, let context else { return }
        hasReceivedBytes = false
        let promise = context.eventLoop.makePromise(of: Void.self)
        var isOut = false
        promise.futureResult.assumeIsolated().whenSuccess {
            isOut = true
            self.awaitPong(writes: self.writes) { isOut }
        }
        write(.ping, ByteBuffer(), promise: promise)
        if !isOut { awaitPong(writes: writes) { isOut } }
    }

    /// - Parameter writes: how many messages the kernel had taken when the wait began.
    private func awaitPong(writes: Int, isOut: @escaping () -> Bool) {
        guard phase == .open else { return }
        setAlarm(in: limits.pongWithin) { handler in
            guard handler.phase == .open else { return }
            // Any bytes from the peer show that it is alive. While reading is paused, none can arrive.
            if handler.hasReceivedBytes || handler.isFull || handler.isWaitingForMemory {
                return handler.schedulePing(in: max(.zero, handler.limits.pingEvery - handler.limits.pongWithin))
            }
            // The ping itself still waits behind messages, and the peer keeps taking some of them, so wait longer.
            if !isOut(), handler.writes > writes { return handler.awaitPong(writes: handler.writes, isOut: isOut) }
            handler.ending = .silent
            handler.write(.connectionClose, WebSocketClose(.goingAway, "No answer to a ping.").payload)
            handler.shut()
        }
    }
}
