internal import Core
internal import Database
internal import NIOConcurrencyHelpers

/// The connections, and the callers that wait for one. A caller waits without blocking a thread. `ConnectionQueue` says who is next.
final class PostgresPool: Sendable {
    private struct Waiter: Sendable {
        let number: Int
        let continuation: CheckedContinuation<PostgresWorker, any Error>
    }

    private struct State {
        /// The free connections, which the queue counts too. The last one is reused first, so that few connections are open while there are
        /// few callers.
        var free: [PostgresWorker]
        var queue: ConnectionQueue<Waiter>
        var lastNumber = 0
        var isClosed = false

        init(_ workers: [PostgresWorker], _ limits: ConnectionLimits) {
            free = workers
            queue = ConnectionQueue(connections: workers.count, limits)
        }

        /// - Returns: a free connection; `nil` when the caller has to wait.
        mutating func take(_ use: ConnectionUse, _ requester: Requester) -> PostgresWorker? {
            guard !free.isEmpty, queue.take(use, requester) else { return nil }
            return free.popLast()
        }

        /// Takes back a connection, and hands out free ones to the callers that no longer have to wait.
        mutating func give(
            _ worker: PostgresWorker, _ use: ConnectionUse, _ requester: Requester, after time: Duration
        ) -> [(Waiter, PostgresWorker)] {
            queue.give(use, requester, after: time)
            return takeBack([worker])
        }

        /// Like `give`, for connections that no caller has used.
        mutating func takeBack(_ workers: [PostgresWorker]) -> [(Waiter, PostgresWorker)] {
            if isClosed { return [] }
            free += workers
            var served: [(Waiter, PostgresWorker)] = []
            while !free.isEmpty, let waiter = queue.next(), let worker = free.popLast() { served.append((waiter, worker)) }
            return served
        }
    }

    /// This is no `Mutex`, because a `Mutex` spins, and here the lock's holder has often lost its core to a database process.
    private let state: NIOLockedValueBox<State>

    init(_ workers: [PostgresWorker], _ limits: ConnectionLimits) { state = NIOLockedValueBox(State(workers, limits)) }

    var waitingCount: Int { state.withLockedValue { $0.queue.count } }

    /// Runs `body` with a connection, on the caller's thread, which it may block. `body` cannot wait for another connection, because it
    /// does not suspend; so no caller waits for a connection while it holds one.
    /// - Throws: `DatabaseError.busy` at once when too many callers wait; `CancellationError` when the task is cancelled before `body`
    ///   began.
    func withWorker<T: Sendable>(_ use: ConnectionUse, _ body: (PostgresWorker) throws -> T) async throws -> T {
        try Task.checkCancellation()
        let isForHolder = Requester.holdsTurn && state.withLockedValue { $0.queue.beginForHolder() }
        defer { if isForHolder { state.withLockedValue { $0.queue.endForHolder() } } }
        let requester = isForHolder ? Requester.server : Requester.current
        let worker: PostgresWorker
        if let free = state.withLockedValue({ $0.take(use, requester) }) { worker = free } else { worker = try await wait(use, requester) }
        let start = ContinuousClock.now
        defer { give(worker, use, requester, after: start.duration(to: .now)) }
        return try body(worker)
    }

    /// Closes the free connections that have large buffers. Blocks.
    func releaseMemory() {
        let workers = state.withLockedValue { state in
            defer { state.free.removeAll(where: \.hasLargeBuffers) }
            return state.free.filter(\.hasLargeBuffers)
        }
        // The workers are closed outside of the lock.
        for worker in workers { worker.close() }
        resume(state.withLockedValue { $0.takeBack(workers) })
    }

    /// Closes the connections. No call may be running.
    func close() {
        // The workers are closed outside of the lock.
        let workers = state.withLockedValue { state in
            defer { state.free = [] }
            state.isClosed = true
            return state.free
        }
        for worker in workers { worker.close() }
    }

    private func wait(_ use: ConnectionUse, _ requester: Requester) async throws -> PostgresWorker {
        let number = state.withLockedValue { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(number: number, continuation: continuation)
                let outcome: Result<PostgresWorker, any Error>? = state.withLockedValue { state in
                    // A connection may have become free since.
                    if let worker = state.take(use, requester) { return .success(worker) }
                    do throws(FairQueueRefusal) {
                        try state.queue.wait(waiter, use, requester)
                    } catch {
                        return .failure(DatabaseError.busy)
                    }
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
        let waiter = state.withLockedValue { state in state.queue.remove { $0.number == number } }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    private func give(_ worker: PostgresWorker, _ use: ConnectionUse, _ requester: Requester, after time: Duration) {
        resume(state.withLockedValue { $0.give(worker, use, requester, after: time) })
    }

    private func resume(_ served: [(Waiter, PostgresWorker)]) {
        for (waiter, worker) in served { waiter.continuation.resume(returning: worker) }
    }
}
