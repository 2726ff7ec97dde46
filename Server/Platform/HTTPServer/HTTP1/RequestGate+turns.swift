import NIOCore

/// The turns of the connections of a network (`StreamTurns`).
extension RequestGate {
    /// Begins the next held request in a later pass of the event loop. The gate may hold thousands of requests. If each began as a task of
    /// the event loop, NIO would run all these tasks, and so answer all requests, before it looks at another connection.
    func awaitTurn() {
        awaitsTurn = true
        arm()
        entry.awaitTurn { [weak self] in self?.takeTurn() ?? 0 }
    }

    /// - Returns: what the request that begins costs, in streams (`StreamTurns`).
    private func takeTurn() -> Int {
        awaitsTurn = false
        guard let context, phase == .idle || isHead else { return 0 }
        costInTurn = 0
        goOn(context)
        defer { costInTurn = nil }
        return phase == .idle ? 0 : max(1, costInTurn ?? 0)
    }

    /// Whether a request whose head has arrived may begin now. A network's connections take turns for long heads. Otherwise each pass could
    /// begin a long one on every connection.
    func mayBegin(headByteCount: Int) -> Bool {
        let cost = StreamTurns.cost(ofHead: headByteCount)
        if costInTurn != nil {
            costInTurn = cost
            return true
        }
        if cost == 0 || entry.mayOpen(cost, pass: { [weak self] in self?.takeTurn() ?? 0 }) { return true }
        awaitsTurn = true
        // The client has done its part, so its time for the head ends here.
        clock.idle()
        return false
    }

    private var isHead: Bool { if case .head = phase { true } else { false } }
}
