internal import Database
internal import Logging
internal import Synchronization

/// Logs once when the database becomes unreachable or has no room, and once when it works again.
final class JobOutage: Sendable {
    private enum Cause { case full, away }

    private struct State {
        /// The causes that were logged. Empty while the database works.
        var causes: Set<Cause> = []
        var failureCount = 0
    }

    private let state = Mutex(State())
    private let logger: Logger
    private let explainFull: @Sendable () -> String

    /// - Parameter explainFull: says which disk is full.
    init(logger: Logger, explainFull: @escaping @Sendable () -> String) {
        self.logger = logger
        self.explainFull = explainFull
    }

    /// The number of failures until now. Read it before a call of the database, for `ended`.
    var failureCount: Int { state.withLock { $0.failureCount } }

    func began(_ error: any Error) {
        // The server is stopping; the database is not the cause.
        if error is CancellationError { return }
        let cause: Cause = if case DatabaseError.full = error { .full } else { .away }
        let isNews = state.withLock { state in
            state.failureCount += 1
            return state.causes.insert(cause).inserted
        }
        guard isNews else { return }
        switch cause {
        case .full:
            logger.error(
                "the disk of the database is full; jobs continue by themselves when it has room", metadata: ["reason": "\(explainFull())"])
        case .away:
            logger.error("the database is not available; jobs wait until it is back", metadata: ["error": "\(JobErrorText.of(error))"])
        }
    }

    /// Call it when a call of the database has succeeded.
    /// - Parameters:
    ///   - failureCount: the value of the property before the call. If another call failed meanwhile, this call may have succeeded before
    ///     the outage began, so it proves nothing.
    ///   - hasWritten: whether the call changed a row. Reads succeed on a full disk.
    func ended(since failureCount: Int, hasWritten: Bool) {
        let ended = state.withLock { state -> Cause? in
            guard state.failureCount == failureCount else { return nil }
            let wasAway = state.causes.remove(.away) != nil
            if hasWritten, state.causes.remove(.full) != nil { return .full }
            return wasAway && state.causes.isEmpty ? .away : nil
        }
        switch ended {
        case .full: logger.info("the disk of the database has room again; jobs continue")
        case .away: logger.info("the database is back; jobs continue")
        case nil: break
        }
    }
}
