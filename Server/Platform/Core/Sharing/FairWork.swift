/// Runs work for requests that keeps a processor or a database connection busy. A bounded number of requests do such work at a time.
/// Waiting requests take turns by account and by network. The work runs on the threads of `ThreadPool.computing`, which serve no requests.
/// Each `FairWork` is a kind of work: when the threads are busy, the kind that has used them for the shortest time is next.
package final class FairWork: Sendable {
    private let semaphore: FairSemaphore
    private let threads: ComputingThreads

    /// - Parameter threads: where the work runs.
    package init(_ limits: FairSemaphore.Limits, threads: ComputingThreads = .shared) {
        semaphore = FairSemaphore(limits)
        self.threads = threads
    }

    /// Requests that work, and requests that wait for a turn.
    package var counts: (working: Int, waiting: Int) { (semaphore.heldCount, semaphore.waitingCount) }

    /// Waits for a turn. The turn ends with `release`, or when the last reference to it is dropped. Until then it counts among the turns
    /// that the current request holds (`HeldTurns`).
    /// - Throws: `.tooManyRequests` when too many requests of this account or network wait already, `.unavailable` when too many requests
    ///   wait in total; `CancellationError`.
    package func turn(_ requester: Requester = .current) async throws -> FairSemaphore.Permit {
        do {
            return try await semaphore.acquire(for: requester, holder: Requester.source?.turns)
        } catch FairQueueRefusal.keyIsFull {
            throw Problem(
                .tooManyRequests, "Too many requests of this kind from your account or network are waiting. Try again shortly.",
                retryAfter: .seconds(1))
        } catch FairQueueRefusal.full {
            throw Problem(.unavailable, "Too many requests of this kind are waiting. Try again shortly.", retryAfter: .seconds(2))
        }
    }

    /// Runs `body` on a thread that it may block. The caller must hold a turn.
    /// - Parameter hasBegun: whether `body` continues work that an earlier body has begun. It then goes before most work of this kind that
    ///   has not begun.
    package func compute<T: Sendable>(hasBegun: Bool = false, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await threads.run(body, of: ObjectIdentifier(self), hasBegun: hasBegun)
    }
}
