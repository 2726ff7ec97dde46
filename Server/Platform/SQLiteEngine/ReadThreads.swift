internal import Database
internal import Dispatch
internal import Foundation
internal import Synchronization

/// The threads that read, as many as there are connections for it: whoever runs on one finds a connection free, and may wait for the disk
/// there, which Swift's own pool with its one thread a core must not.
///
/// A task that prefers them changes no thread for a read. A point read then takes 20 µs, and took 75 by GRDB's four queues.
final class ReadThreads: WorkThreads {
    private let queue = Queue()
    private let count: Int

    init(count: Int) {
        self.count = count
        for number in 1...count {
            // Not `self`: a thread ends when nobody has the executor any more.
            let thread = Thread { [queue, executor = asUnownedTaskExecutor()] in
                while let job = queue.take() { job.runSynchronously(on: executor) }
            }
            thread.name = "read-\(number)"
            thread.start()
        }
    }

    deinit { queue.close(threads: count) }

    var backlog: Int { queue.count }

    /// Whether the task that asks runs here.
    var isCurrent: Bool {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor == asUnownedTaskExecutor() }
    }

    func enqueue(_ job: consuming ExecutorJob) { queue.enter(UnownedJob(job)) }

    /// Without a bound of its own: what waits here are tasks that are there already.
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
                    // Half of the array has left: move the rest to the front, which costs each job one move.
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
