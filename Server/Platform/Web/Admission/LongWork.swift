import Core
import Foundation

/// Turns for work that keeps a processor busy for a long time, such as writing megabytes of JSON. The work runs on the threads that run
/// handlers. Without turns, a few requests of one account would occupy all of these threads. Accounts and networks take turns, and at most
/// half of the processors work for them.
package final class LongWork: Sendable {
    /// Writing texts of at most this many bytes as JSON takes a thread for about a millisecond, which needs no turn.
    package static let byteCount: Int64 = 65_536
    /// Splitting a text of at most this many bytes into words needs no turn either.
    package static let textByteCount = 16_384

    /// Most such work takes 5 to 20 ms. A page of which each character needs an escape in JSON takes 300 ms.
    private static let headStart = Duration.milliseconds(50)

    private let work: FairWork

    package init(processors: Int = ProcessInfo.processInfo.activeProcessorCount) {
        let atOnce = max(1, processors / 2)
        work = FairWork(
            FairSemaphore.Limits(
                permits: atOnce, permitsPerKey: 1, permitsPerNetwork: max(1, atOnce * 3 / 4), waiting: 512, waitingPerKey: 32,
                waitingPerNetwork: 128, headStart: Self.headStart))
    }

    /// The number of requests that work, and of those that wait for their turn.
    package var counts: (working: Int, waiting: Int) { work.counts }

    /// Waits for the requester's turn. The turn ends with `release`, or when the last reference to it is dropped.
    /// - Throws: `.tooManyRequests` when too many requests of the account or network wait; `.unavailable` when too many requests wait in
    ///   total; `CancellationError`.
    func turn(_ requester: Requester) async throws -> FairSemaphore.Permit { try await work.turn(requester) }
}
