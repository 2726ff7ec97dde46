/// The response to a long poll.
package struct Poll: Sendable, Equatable {
    /// The events in order, at most 100; empty when none arrived in time.
    package var events: [Event] = []
    /// The `since` of the client's next poll.
    package var next: Int64
    /// Whether events between `since` and `next` are no longer available, so that the client must load the current state again.
    package var isReset = false

    package init(events: [Event] = [], next: Int64, isReset: Bool = false) {
        self.events = events
        self.next = next
        self.isReset = isReset
    }
}

extension Hub {
    /// The longest wait of a poll. It is shorter than 30 s, because proxies end requests that are silent for that long.
    package static let longestWait = Duration.seconds(25)

    /// Returns at once when there are events after `since`. Otherwise it waits for one, and returns without events when the time is up or
    /// the server stops.
    ///
    /// - Parameters:
    ///   - since: the number that the client has seen last; `nil` waits for events committed from now on.
    ///   - limit: the most events in the response, clamped to 1...100.
    ///   - wait: the longest wait, clamped to 0...25 s.
    ///   - waiting: runs the closure that waits for an event. It may end the wait early and return `false`, for example because nobody
    ///     needs the response any more.
    /// - Throws: the errors of `subscribe`; `CancellationError`.
    package func poll(
        _ account: String, since: Int64?, limit: Int = 100, wait: Duration,
        waiting: (@escaping @Sendable () async throws -> Bool) async throws -> Bool = { try await $0() }
    ) async throws -> Poll {
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
            guard time > .zero else { return Poll(next: subscription.last) }
            let next = subscription.waiting
            let mayHaveEvents = try await waiting { [self] in try await waits(for: next, atMost: time) }
            guard mayHaveEvents else { return Poll(next: subscription.last) }
        }
    }

    /// - Returns: `true` when there may be new events; `false` when the time is up or the server stops.
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
            // Return a response instead of an error: the client polls again and reaches another node.
            return false
        }
    }
}
