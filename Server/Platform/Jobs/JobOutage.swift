internal import Logging
internal import Synchronization

/// Logs once when the database becomes unreachable, and once when it is reachable again.
final class JobOutage: Sendable {
    private struct State {
        var isAway = false
        var failureCount = 0
    }

    private let state = Mutex(State())
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// The number of failures until now. Read it before a call of the database, for `ended`.
    var failureCount: Int { state.withLock { $0.failureCount } }

    func began(_ error: any Error) {
        // The server stops; the database is not the cause.
        if error is CancellationError { return }
        let isNews = state.withLock { state in
            defer { state.isAway = true }
            state.failureCount += 1
            return !state.isAway
        }
        if isNews {
            logger.error("the database is not available; jobs wait until it is back", metadata: ["error": "\(JobErrorText.of(error))"])
        }
    }

    /// A call of the database succeeded.
    /// - Parameter failureCount: from before the call. When another call failed meanwhile, this one's success may be older than the outage.
    func ended(since failureCount: Int) {
        let isNews = state.withLock { state in
            guard state.failureCount == failureCount else { return false }
            defer { state.isAway = false }
            return state.isAway
        }
        if isNews { logger.info("the database is back; jobs continue") }
    }
}
