internal import Database
internal import Synchronization

/// The connections, and the callers that wait for one, in order. A caller waits without blocking a thread.
final class PostgresPool: Sendable {
    private typealias Continuation = CheckedContinuation<PostgresWorker, any Error>

    private struct State {
        /// Reused from the end, so that few connections are open while there are few callers.
        var free: [PostgresWorker]
        /// By the number of the call. Numbers ascend in the order of the calls.
        var waiting: [Int: Continuation] = [:]
        /// No call with a lower number waits.
        var first = 0
        var next = 0
        var isClosed = false

        /// The call that has waited longest.
        mutating func popFirst() -> Continuation? {
            // Numbers of cancelled calls are missing.
            while first < next {
                defer { first += 1 }
                if let continuation = waiting.removeValue(forKey: first) { return continuation }
            }
            return nil
        }
    }

    private let state: Mutex<State>
    /// Maximum number of waiting calls; the next is refused.
    private let waitingLimit: Int

    init(_ workers: [PostgresWorker], waitingLimit: Int) {
        state = Mutex(State(free: workers))
        self.waitingLimit = waitingLimit
    }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` with a connection, on the caller's thread, which it may block.
    /// - Throws: `DatabaseError.busy` at once when too many callers wait; `CancellationError` when the task is cancelled before `body`
    ///   began.
    func withWorker<T: Sendable>(_ body: (PostgresWorker) throws -> T) async throws -> T {
        try Task.checkCancellation()
        let worker: PostgresWorker
        if let free = state.withLock({ $0.free.popLast() }) { worker = free } else { worker = try await wait() }
        defer { give(worker) }
        return try body(worker)
    }

    /// Closes the connections. No call may be running.
    func close() {
        // Closed outside of the lock.
        let workers = state.withLock { state in
            defer { state.free = [] }
            state.isClosed = true
            return state.free
        }
        for worker in workers { worker.close() }
    }

    private func wait() async throws -> PostgresWorker {
        let number = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<PostgresWorker, any Error>? = state.withLock { state in
                    // A connection may have become free since.
                    if let worker = state.free.popLast() { return .success(worker) }
                    guard state.waiting.count < waitingLimit else { return .failure(DatabaseError.busy) }
                    state.waiting[number] = continuation
                    // Calls with higher numbers may have been served before this one began to wait.
                    state.first = min(state.first, number)
                    return nil
                }
                if let outcome { return continuation.resume(with: outcome) }
                // The task may have been cancelled before the call waited; the handler below then found nothing.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: Int) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }

    private func give(_ worker: PostgresWorker) {
        let next = state.withLock { state in
            let next = state.popFirst()
            if next == nil, !state.isClosed { state.free.append(worker) }
            return next
        }
        next?.resume(returning: worker)
    }
}
