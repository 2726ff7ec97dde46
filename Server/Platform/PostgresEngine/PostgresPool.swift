internal import Core
internal import Database
internal import NIOConcurrencyHelpers

/// The connections, and the callers that wait for one. A caller waits without blocking a thread. Requesters take turns.
///
/// Writes of one account usually wait for the same rows: the account's place in the event log, its usage, the row that they change. Each
/// such write would hold a connection while it waits for another one, until no connection is left for anybody else. So an account has a
/// share of the connections for its writes, and waits for the rest of them without a connection. Reads wait for no lock and need no share.
final class PostgresPool: Sendable {
    struct Limits: Sendable {
        /// Maximum number of waiting calls; the next is refused.
        var waiting: Int
        /// Maximum number of connections on which one account writes at a time, 1 or more.
        var writesPerAccount: Int
        /// Maximum number of connections on which all accounts of one network write at a time, 1 or more.
        var writesPerNetwork: Int
    }

    /// What a caller does with a connection.
    enum Use {
        case read
        case write
    }

    private typealias Continuation = CheckedContinuation<PostgresWorker, any Error>

    private struct Waiter {
        let number: Int
        let use: Use
        let requester: Requester
        let continuation: Continuation
    }

    /// Whose turn it is. A requester's reads do not wait behind its writes, which may be at their limit.
    private struct Line: Hashable {
        let share: Requester.Share
        let isWrite: Bool
    }

    private struct State {
        /// Reused from the end, so that few connections are open while there are few callers. While a connection is free, only writes wait
        /// that are at their limit.
        var free: [PostgresWorker]
        var waiting: FairQueue<Line, Waiter>
        /// The number of connections on which an account or a network writes.
        var writing: [Requester.Share: Int] = [:]
        var lastNumber = 0
        var isClosed = false
        private let limits: Limits

        init(_ workers: [PostgresWorker], _ limits: Limits) {
            free = workers
            waiting = FairQueue(limit: limits.waiting, limitPerKey: limits.waiting)
            self.limits = limits
        }

        /// - Returns: a free connection; `nil` when the caller has to wait.
        mutating func take(_ use: Use, _ requester: Requester) -> PostgresWorker? {
            guard !free.isEmpty, mayBegin(use, requester) else { return nil }
            count(use, requester, 1)
            return free.popLast()
        }

        /// Takes back a connection, and hands out free ones to the callers that no longer have to wait.
        mutating func give(_ worker: PostgresWorker, _ use: Use, _ requester: Requester) -> [(Waiter, PostgresWorker)] {
            count(use, requester, -1)
            if isClosed { return [] }
            free.append(worker)
            var served: [(Waiter, PostgresWorker)] = []
            while !free.isEmpty, let waiter = nextWaiter(), let worker = free.popLast() {
                count(waiter.use, waiter.requester, 1)
                served.append((waiter, worker))
            }
            return served
        }

        private mutating func nextWaiter() -> Waiter? {
            guard !waiting.isEmpty else { return nil }
            let (writing, limits) = (writing, limits)
            return waiting.dequeue(whereNext: { _, waiter in Self.mayBegin(waiter.use, waiter.requester, writing, limits) })?.element
        }

        private func mayBegin(_ use: Use, _ requester: Requester) -> Bool { Self.mayBegin(use, requester, writing, limits) }

        /// The server's own work is limited by its number of jobs.
        private static func mayBegin(_ use: Use, _ requester: Requester, _ writing: [Requester.Share: Int], _ limits: Limits) -> Bool {
            guard use == .write else { return true }
            if let account = requester.account, writing[.account(account), default: 0] >= limits.writesPerAccount { return false }
            if let network = requester.network, writing[.network(network), default: 0] >= limits.writesPerNetwork { return false }
            return true
        }

        private mutating func count(_ use: Use, _ requester: Requester, _ change: Int) {
            guard use == .write else { return }
            if let account = requester.account { count(.account(account), change) }
            if let network = requester.network { count(.network(network), change) }
        }

        private mutating func count(_ share: Requester.Share, _ change: Int) {
            let count = writing[share, default: 0] + change
            // Removed at zero, because otherwise the table would keep an entry for every requester that ever wrote.
            writing[share] = count > 0 ? count : nil
        }
    }

    /// Not a `Mutex`: that spins, and here the lock's holder has often lost its core to a database process.
    private let state: NIOLockedValueBox<State>

    init(_ workers: [PostgresWorker], _ limits: Limits) { state = NIOLockedValueBox(State(workers, limits)) }

    var waitingCount: Int { state.withLockedValue { $0.waiting.count } }

    /// Runs `body` with a connection, on the caller's thread, which it may block. A call in `body` cannot ask for another connection, because
    /// `body` does not suspend; so no caller waits for a connection while it holds one.
    /// - Throws: `DatabaseError.busy` at once when too many callers wait; `CancellationError` when the task is cancelled before `body`
    ///   began.
    func withWorker<T: Sendable>(_ use: Use, _ body: (PostgresWorker) throws -> T) async throws -> T {
        try Task.checkCancellation()
        let requester = Requester.current
        let worker: PostgresWorker
        if let free = state.withLockedValue({ $0.take(use, requester) }) { worker = free } else { worker = try await wait(use, requester) }
        defer { give(worker, use, requester) }
        return try body(worker)
    }

    /// Closes the connections. No call may be running.
    func close() {
        // Closed outside of the lock.
        let workers = state.withLockedValue { state in
            defer { state.free = [] }
            state.isClosed = true
            return state.free
        }
        for worker in workers { worker.close() }
    }

    private func wait(_ use: Use, _ requester: Requester) async throws -> PostgresWorker {
        let number = state.withLockedValue { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(number: number, use: use, requester: requester, continuation: continuation)
                let outcome: Result<PostgresWorker, any Error>? = state.withLockedValue { state in
                    // A connection may have become free since.
                    if let worker = state.take(use, requester) { return .success(worker) }
                    do throws(FairQueueRefusal) {
                        try state.waiting.enqueue(waiter, for: Line(share: requester.share, isWrite: use == .write))
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
        let waiter = state.withLockedValue { state in state.waiting.remove { $0.number == number } }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    private func give(_ worker: PostgresWorker, _ use: Use, _ requester: Requester) {
        for (waiter, worker) in state.withLockedValue({ $0.give(worker, use, requester) }) { waiter.continuation.resume(returning: worker) }
    }
}
