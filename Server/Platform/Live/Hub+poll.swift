/// What a long poll answers.
package struct Poll: Sendable, Equatable {
    /// In order, at most 100; none when nothing came in time.
    package var events: [Event] = []
    /// The `since` to ask with next.
    package var next: Int64
    /// What came between `since` and `next` is no longer known: the client asks for the state of things anew.
    package var isReset = false

    package init(events: [Event] = [], next: Int64, isReset: Bool = false) {
        self.events = events
        self.next = next
        self.isReset = isReset
    }
}

extension Hub {
    /// The longest a poll waits: proxies end requests that are silent for 30 s.
    package static let longestWait = Duration.seconds(25)

    /// Answers at once when there is something after `since`, otherwise as soon as there is, or with nothing when the time is up or
    /// the server stops.
    ///
    /// - Parameters:
    ///   - since: the number seen last; `nil` waits for what is committed from now on.
    ///   - limit: events in the answer, 1...100; what is outside is brought inside.
    ///   - wait: 0...25 s, likewise.
    /// - Throws: as `subscribe`; `CancellationError`.
    package func poll(_ account: String, since: Int64?, limit: Int = 100, wait: Duration) async throws -> Poll {
        let limit = max(1, min(limit, settings.pageLimit))
        let end = ContinuousClock.now + min(max(wait, .zero), Self.longestWait)
        let subscription = try await subscribe(account, since: since)
        while true {
            switch try await subscription.look(limit: limit) {
            case .events(let events): return Poll(events: events, next: events.last?.seq ?? subscription.last)
            case .reset(let head), .gap(let head): return Poll(next: head, isReset: true)
            case .nothing: break
            }
            let time = end - .now
            guard time > .zero, try await waits(for: subscription.waiting, atMost: time) else { return Poll(next: subscription.last) }
        }
    }

    /// - Returns: whether it is worth another look; false when the time is up or the server stops.
    private func waits(for waiting: @escaping @Sendable () async throws -> Void, atMost time: Duration) async throws -> Bool {
        do {
            return try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await waiting()
                    return true
                }
                group.addTask { [self] in
                    try await pause(time)
                    return false
                }
                defer { group.cancelAll() }
                return try await group.next() ?? false
            }
        } catch LiveError.shuttingDown {
            // Answered, not refused: the client asks again, elsewhere.
            return false
        }
    }
}
