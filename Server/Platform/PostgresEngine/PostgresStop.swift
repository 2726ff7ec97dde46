internal import Synchronization

/// Stops one read when its task is cancelled. It asks PostgreSQL to cancel the statement, but only while the read uses the connection.
final class PostgresStop: Sendable {
    private struct State {
        var isWanted = false
        var connection: PostgresConnection?
    }
    private let state = Mutex(State())

    var isWanted: Bool { state.withLock { $0.isWanted } }

    /// Called when the read has got a connection.
    func begin(_ connection: PostgresConnection) { state.withLock { $0.connection = connection } }

    /// Called before another read uses the connection. Waits for a cancel request in progress, which must not cancel a later statement.
    func end() { state.withLock { $0.connection = nil } }

    /// Blocks until the cancel request was sent.
    func want() {
        state.withLock { state in
            state.isWanted = true
            state.connection?.cancel()
        }
    }
}
