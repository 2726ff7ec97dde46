internal import Synchronization

/// One call of `read` or `write`, as the threads see it.
protocol PostgresCall: AnyObject, Sendable {
    /// Runs the transaction on a worker's thread and resumes the caller.
    func run(_ worker: PostgresWorker)
}

/// The transaction that a caller waits for. A cancelled call stays in the queue and is skipped when its turn comes.
final class PostgresTransactionCall<T: Sendable>: PostgresCall {
    private enum Stage {
        case waiting(CheckedContinuation<T, any Error>)
        case started
        case over
    }
    private let stage: Mutex<Stage>
    private let transaction: @Sendable (PostgresWorker) throws -> T

    init(_ continuation: CheckedContinuation<T, any Error>, _ transaction: @escaping @Sendable (PostgresWorker) throws -> T) {
        stage = Mutex(.waiting(continuation))
        self.transaction = transaction
    }

    func run(_ worker: PostgresWorker) {
        guard let continuation = leaveWaiting(.started) else { return }
        continuation.resume(with: Result { try transaction(worker) })
    }

    /// Prevents a call from running if it has not started; does nothing afterwards.
    func cancel(_ error: any Error) { leaveWaiting(.over)?.resume(throwing: error) }

    private func leaveWaiting(_ next: Stage) -> CheckedContinuation<T, any Error>? {
        stage.withLock { stage in
            guard case .waiting(let continuation) = stage else { return nil }
            stage = next
            return continuation
        }
    }
}

/// Connects a call with the task that waits for it. The task may be cancelled before the call exists.
final class PostgresWaiting<T: Sendable>: Sendable {
    private struct State {
        var isCancelled = false
        var call: PostgresTransactionCall<T>?
    }
    private let state = Mutex(State())

    /// - Returns: false when the task was cancelled already.
    func begin(_ call: PostgresTransactionCall<T>) -> Bool {
        state.withLock { state in
            state.call = call
            return !state.isCancelled
        }
    }

    func cancel() {
        let call = state.withLock { state in
            state.isCancelled = true
            return state.call
        }
        call?.cancel(CancellationError())
    }
}
