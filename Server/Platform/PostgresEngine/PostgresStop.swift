internal import Synchronization

/// Ends one read when its task is cancelled: asks the server to cancel while, and only while, the read has the connection.
final class PostgresStop: Sendable {
    private struct State {
        var isWanted = false
        var connection: PostgresConnection?
    }
    private let state = Mutex(State())

    var isWanted: Bool { state.withLock { $0.isWanted } }

    /// The read has a connection now.
    func begin(_ connection: PostgresConnection) { state.withLock { $0.connection = connection } }

    /// The connection goes on to serve others. Waits for a request to cancel that is under way: it must not meet their statements.
    func end() { state.withLock { $0.connection = nil } }

    /// Blocks for the moment it takes to reach the server.
    func want() {
        state.withLock { state in
            state.isWanted = true
            state.connection?.cancel()
        }
    }
}
