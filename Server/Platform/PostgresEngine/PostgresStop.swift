internal import Dispatch
internal import Foundation
internal import Synchronization

/// Stops one read when its task is cancelled. It asks PostgreSQL to cancel the statement, but only while the read uses the connection.
final class PostgresStop: Sendable {
    private struct State {
        var isWanted = false
        var connection: PostgresConnection?
        /// The thread that sends the cancel request is in this group.
        var sending: DispatchGroup?
    }
    private let state = Mutex(State())

    var isWanted: Bool { state.withLock { $0.isWanted } }

    /// Called when the read has got a connection.
    func begin(_ connection: PostgresConnection) { state.withLock { $0.connection = connection } }

    /// Called before another read uses the connection. Waits for a cancel request in progress, which must not cancel a later statement. If
    /// the server does not take the request in time, the connection counts as lost.
    func end() {
        let (connection, sending) = state.withLock { state in
            defer { (state.connection, state.sending) = (nil, nil) }
            return (state.connection, state.sending)
        }
        guard let connection, let sending, sending.wait(timeout: connection.silenceEnd) == .timedOut else { return }
        connection.giveUp()
    }

    /// Sends the cancel request on a thread of its own, because libpq waits without a timeout for a server that does not answer.
    func want() {
        state.withLock { state in
            state.isWanted = true
            guard let connection = state.connection, state.sending == nil else { return }
            let sending = DispatchGroup()
            state.sending = sending
            sending.enter()
            Thread.detachNewThread {
                connection.cancel()
                sending.leave()
            }
        }
    }
}
