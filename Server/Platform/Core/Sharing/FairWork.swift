internal import Dispatch

/// Runs work for requests that keeps a processor or a database connection busy. A bounded number of requests do such work at a time.
/// Waiting requests take turns by account and by network. The work runs on threads of its own, so that it does not delay other requests.
package final class FairWork: Sendable {
    private let semaphore: FairSemaphore
    private let queue: DispatchQueue

    /// - Parameter name: the name of the threads.
    package init(_ name: String, _ limits: FairSemaphore.Limits) {
        semaphore = FairSemaphore(limits)
        // The number of permits bounds the number of this queue's threads.
        queue = DispatchQueue(label: name, attributes: .concurrent)
    }

    /// Requests that work, and requests that wait for a turn.
    package var counts: (working: Int, waiting: Int) { (semaphore.heldCount, semaphore.waitingCount) }

    /// Waits for a turn. The turn ends with `release`, or when the last reference to it is dropped.
    /// - Throws: `.tooManyRequests` when too many requests of this account or network wait already, `.unavailable` when too many requests
    ///   wait in total; `CancellationError`.
    package func turn(_ requester: Requester = .current) async throws -> FairSemaphore.Permit {
        do {
            return try await semaphore.acquire(for: requester)
        } catch FairQueueRefusal.keyIsFull {
            throw Problem(
                .tooManyRequests, "Too many requests of this kind from your account or network are waiting.", retryAfter: .seconds(1))
        } catch FairQueueRefusal.full {
            throw Problem(.unavailable, "Too many requests of this kind are waiting. Try again shortly.", retryAfter: .seconds(2))
        }
    }

    /// Runs `body` on a thread that it may block. The caller must hold a turn.
    package func compute<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
