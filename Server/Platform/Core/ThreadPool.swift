internal import DequeModule
internal import Dispatch
internal import Foundation
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// Threads for work that computes for a long time or waits for the disk.
///
/// Swift's own threads must stay free for tasks that switch quickly. Dispatch's concurrent queues do not help: on Linux, all of these
/// queues and Swift's tasks share as many threads as there are processors.
package final class ThreadPool: Sendable {
    /// For work that computes. All kinds of it share one thread for each processor, at least two, so that the threads that serve requests
    /// get a processor soon. `ComputingThreads` decides which kind is next.
    package static let computing = ThreadPool(
        "compute", count: max(2, ProcessInfo.processInfo.activeProcessorCount), hasLowPriority: true)
    /// For calls that wait for the disk or for a server.
    package static let blocking = ThreadPool("blocking", count: 8)

    private let queue = Queue()

    /// - Parameters:
    ///   - name: at most 10 characters; the thread's number follows it.
    ///   - hasLowPriority: whether other threads of the process get a processor first. On Linux only.
    package init(_ name: String, count: Int, hasLowPriority: Bool = false) {
        for number in 1...count {
            // The thread must not retain `self`: `deinit` ends the threads.
            let thread = Thread { [queue] in
                // On other systems, `nice` changes the priority of the whole process.
                #if canImport(Glibc)
                    if hasLowPriority { _ = nice(5) }
                #endif
                while let work = queue.take() { work() }
            }
            thread.name = "\(name)-\(number)"
            thread.start()
        }
    }

    deinit { queue.close() }

    /// Runs `body` on a thread that it may block. Waiting calls run in order; their number has no limit.
    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.enter { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Runs `body` on a thread that it may block. The caller does not wait for it.
    package func start(_ body: @escaping @Sendable () -> Void) { queue.enter(body) }

    private final class Queue: Sendable {
        private struct State {
            var waiting: Deque<@Sendable () -> Void> = []
            var isClosed = false
        }

        private let state = Mutex(State())
        /// Counts the bodies that wait for a thread.
        private let available = DispatchSemaphore(value: 0)

        func enter(_ work: @escaping @Sendable () -> Void) {
            state.withLock { $0.waiting.append(work) }
            available.signal()
        }

        /// Blocks until there is work; `nil` once the queue is closed.
        func take() -> (@Sendable () -> Void)? {
            available.wait()
            return state.withLock { state in
                // Each thread that ends wakes the next one, which then also ends.
                if state.isClosed, state.waiting.isEmpty { available.signal() }
                return state.waiting.popFirst()
            }
        }

        func close() {
            state.withLock { $0.isClosed = true }
            available.signal()
        }
    }
}
