internal import Dispatch
internal import Synchronization

/// Runs the bodies of several kinds of `FairWork` on the threads of one pool, in the order of `ComputingOrder`.
package final class ComputingThreads: Sendable {
    /// Runs a body, and calls `ended` when the body has ended, before the body's caller continues.
    private typealias Work = @Sendable (_ ended: () -> Void) -> Void

    package static let shared = ComputingThreads(ThreadPool.computing)

    private let pool: ThreadPool
    private let order = Mutex(ComputingOrder<ObjectIdentifier, Work>())

    package init(_ pool: ThreadPool) { self.pool = pool }

    /// The number of bodies that wait for a thread.
    package var waitingCount: Int { order.withLock { $0.count } }

    /// Runs `body` on a thread that it may block.
    /// - Parameters:
    ///   - kind: identifies the kind of work.
    ///   - hasBegun: whether the body continues work that an earlier body has begun.
    func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T, of kind: ObjectIdentifier, hasBegun: Bool) async throws -> T {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
            let work: Work = { ended in
                let result = Result(catching: body)
                ended()
                continuation.resume(with: result)
            }
            order.withLock { $0.enter(work, of: kind, hasBegun: hasBegun) }
            // When the pool has a thread for this call, the thread runs the body that is next at that time, which may be another one. There
            // is one call for each body, so all of them run.
            pool.start { [self] in runNext() }
        }
    }

    private func runNext() {
        guard let entry = order.withLock({ $0.next(at: Self.now) }) else { return }
        entry.body { order.withLock { $0.ended(entry, at: Self.now) } }
    }

    /// In microseconds.
    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000 }
}
