internal import NIOConcurrencyHelpers
internal import Synchronization

/// While PostgreSQL cannot be reached, only one caller at a time tries to connect, at most every 200 ms; the others get the last error at
/// once. After a connection was lost, nobody knows yet whether PostgreSQL can be reached. Then one caller tries to connect, and the others
/// wait for the outcome. Otherwise all connections of the pool would try at the same time, each for five seconds if nothing responds.
final class PostgresOutage: Sendable {
    private struct Failure {
        let until: ContinuousClock.Instant
        let error: any Error
    }

    private struct State {
        /// The last failure; `nil` when a caller has connected since.
        var failure: Failure?
        /// Whether a caller tries to connect after that failure.
        var isTrying = false
        /// Whether a connection was lost, and no caller has connected or failed since.
        var isUnknown = false
        /// The number of times that a caller has connected.
        var openedCount = 0
    }

    private let pause: Duration
    private let state = Mutex(State())
    /// The lock of the caller that connects while the outcome is unknown. It is no `Mutex`, because a `Mutex` spins.
    private let turn = NIOLock()

    init(pause: Duration = .milliseconds(200)) { self.pause = pause }

    /// - Parameter afterLoss: whether the caller has lost a connection.
    func connecting<Connection>(afterLoss: Bool, _ connect: () throws -> Connection) throws -> Connection {
        let (isUnknown, openedCount): (Bool, Int) = state.withLock { state in
            if afterLoss { state.isUnknown = true }
            return (state.isUnknown && state.failure == nil, state.openedCount)
        }
        guard isUnknown else { return try attempt(connect) }
        turn.lock()
        // If the caller before has connected, those that waited for it need not connect one after the other.
        if state.withLock({ $0.openedCount }) != openedCount {
            turn.unlock()
            return try attempt(connect)
        }
        defer { turn.unlock() }
        return try attempt(connect)
    }

    private func attempt<Connection>(_ connect: () throws -> Connection) throws -> Connection {
        let (known, isTrier): ((any Error)?, Bool) = state.withLock { state in
            guard let failure = state.failure else { return (nil, false) }
            if state.isTrying || failure.until > .now { return (failure.error, false) }
            state.isTrying = true
            return (nil, true)
        }
        if let known { throw known }
        do {
            let connection = try connect()
            end(isTrier: isTrier, nil)
            return connection
        } catch {
            end(isTrier: isTrier, Failure(until: .now + pause, error: error))
            throw error
        }
    }

    private func end(isTrier: Bool, _ failure: Failure?) {
        state.withLock { state in
            state.failure = failure
            state.isUnknown = false
            if failure == nil { state.openedCount += 1 }
            if isTrier { state.isTrying = false }
        }
    }
}
