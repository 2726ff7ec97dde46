internal import Synchronization

/// One caller of `read` or `write`, as the threads see it.
protocol PostgresCall: AnyObject, Sendable {
    /// On a worker's thread: runs the transaction and tells the caller.
    func run(_ worker: PostgresWorker)
}

/// What a caller waits for. Its place in the queue stays when it is cancelled, and is passed over when its turn comes.
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

    /// Before it has started it never runs; later this does nothing.
    func cancel(_ error: any Error) { leaveWaiting(.over)?.resume(throwing: error) }

    private func leaveWaiting(_ next: Stage) -> CheckedContinuation<T, any Error>? {
        stage.withLock { stage in
            guard case .waiting(let continuation) = stage else { return nil }
            stage = next
            return continuation
        }
    }
}

/// Joins a call with the task that waits for it, which may be cancelled before the call exists.
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
