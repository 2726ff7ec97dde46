internal import Dispatch
internal import Foundation
internal import Synchronization

/// The threads of an engine. A job on such a thread may wait for the disk or for a server, which the threads of Swift's cooperative pool
/// must not.
///
/// A task that prefers these threads does not switch threads for a read. On SQLite a point read takes 20 µs this way; GRDB's four queues
/// took 75 µs.
package final class DatabaseThreads: WorkThreads {
    private let queue = Queue()
    private let count: Int

    /// - Parameter name: at most 10 characters; the threads' number follows it.
    package init(_ name: String, count: Int) {
        self.count = count
        for number in 1...count {
            // The thread must not retain `self`: `deinit` closes the queue, which ends the thread.
            let thread = Thread { [queue, executor = asUnownedTaskExecutor()] in
                while let job = queue.take() { job.runSynchronously(on: executor) }
            }
            thread.name = "\(name)-\(number)"
            thread.start()
        }
    }

    deinit { queue.close(threads: count) }

    package var backlog: Int { queue.count }

    /// Whether the current task runs on these threads.
    package var isCurrent: Bool {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor == asUnownedTaskExecutor() }
    }

    package func enqueue(_ job: consuming ExecutorJob) { queue.enter(UnownedJob(job)) }

    /// Needs no limit of its own: its elements are tasks that already exist.
    private final class Queue: Sendable {
        private struct State {
            var jobs: [UnownedJob] = []
            var head = 0
        }
        private let state = Mutex(State())
        private let isThere = DispatchSemaphore(value: 0)

        var count: Int { state.withLock { $0.jobs.count - $0.head } }

        func enter(_ job: UnownedJob) {
            state.withLock { $0.jobs.append(job) }
            isThere.signal()
        }

        /// Blocks until there is a job; `nil` once the queue is closed.
        func take() -> UnownedJob? {
            isThere.wait()
            return state.withLock { state in
                guard state.head < state.jobs.count else { return nil }
                defer {
                    state.head += 1
                    // Half of the array is used up: move the rest to the front. Each job is moved once on average.
                    if state.head * 2 >= state.jobs.count {
                        state.jobs.removeFirst(state.head)
                        state.head = 0
                    }
                }
                return state.jobs[state.head]
            }
        }

        func close(threads: Int) {
            for _ in 0..<threads { isThere.signal() }
        }
    }
}
