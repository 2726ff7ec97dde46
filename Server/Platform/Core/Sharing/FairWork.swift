internal import Dispatch

/// Work for requests that keeps a processor or a database connection busy. A bounded number of requests do such work at a time, those
/// that wait take turns by account and by network, and what they compute runs on threads that no other request needs.
package final class FairWork: Sendable {
    private let semaphore: FairSemaphore
    private let queue: DispatchQueue

    /// - Parameter name: what the threads are called.
    package init(_ name: String, _ limits: FairSemaphore.Limits) {
        semaphore = FairSemaphore(limits)
        // Its threads are at most as many as there are turns.
        queue = DispatchQueue(label: name, attributes: .concurrent)
    }

    /// Turns that are taken, and requests that wait for one.
    package var counts: (working: Int, waiting: Int) { (semaphore.heldCount, semaphore.waitingCount) }

    /// Waits for a turn, which ends with `release` or when nobody refers to it any more.
    /// - Throws: `.tooManyRequests` when this account or network has too many that wait, `.unavailable` when all together have;
    ///   `CancellationError`.
    package func turn(_ requester: Requester = .current) async throws -> FairSemaphore.Permit {
        do {
            return try await semaphore.acquire(for: requester)
        } catch FairQueueRefusal.keyIsFull {
            throw Problem(
                .tooManyRequests, "Too many requests of this kind from your account or network wait already.", retryAfter: .seconds(1))
        } catch FairQueueRefusal.full {
            throw Problem(.unavailable, "Too many requests of this kind wait already.", retryAfter: .seconds(2))
        }
    }

    /// Runs `body` on a thread of its own, which it may keep busy. To be called by whoever has a turn.
    package func compute<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
