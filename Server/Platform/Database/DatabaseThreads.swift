internal import Dispatch
internal import Foundation
internal import NIOConcurrencyHelpers

/// The threads of an engine. A job on such a thread may wait for the disk or for a server, which the threads of Swift's cooperative pool
/// must not.
///
/// A task that prefers these threads does not switch threads for a read. On SQLite a point read takes 20 µs this way; GRDB's four queues
/// took 75 µs.
package final class DatabaseThreads: WorkThreads {
    private let queue = Queue()

    /// - Parameter name: at most 10 characters; the threads' number follows it.
    package init(_ name: String, count: Int) {
        for number in 1...count {
            // The thread must not retain `self`: `deinit` closes the queue, which ends the thread.
            let thread = Thread { [queue, executor = asUnownedTaskExecutor()] in
                while let job = queue.take() { job.runSynchronously(on: executor) }
            }
            thread.name = "\(name)-\(number)"
            thread.start()
        }
    }

    deinit { queue.close() }

    package var backlog: Int { queue.count }

    /// Whether the current task runs on these threads.
    package var isCurrent: Bool {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor == asUnownedTaskExecutor() }
    }

    package func enqueue(_ job: consuming ExecutorJob) { queue.enter(UnownedJob(job)) }

    /// The queue has no limit, because its elements are tasks that exist already.
    ///
    /// At most one thread at a time is being woken. Once awake, it takes a job, and wakes the next thread if there are more. Waking and
    /// putting a thread to sleep costs as much as a short job; threads that are awake often take the jobs first.
    private final class Queue: Sendable {
        private struct State {
            var jobs: [UnownedJob] = []
            var head = 0
            /// Threads that sleep, without the one that is being woken.
            var asleep = 0
            var isWaking = false
            var isClosed = false

            var count: Int { jobs.count - head }

            mutating func pop() -> UnownedJob? {
                guard head < jobs.count else { return nil }
                defer {
                    head += 1
                    // Half of the array is used up: move the rest to the front. Each job is moved once on average.
                    if head * 2 >= jobs.count {
                        jobs.removeFirst(head)
                        head = 0
                    }
                }
                return jobs[head]
            }

            /// Call it whenever there may be a job and nobody on the way to take it.
            /// - Returns: whether the caller must wake a thread.
            mutating func mustWake() -> Bool {
                guard count > 0, asleep > 0, !isWaking else { return false }
                asleep -= 1
                isWaking = true
                return true
            }
        }

        private enum Next {
            case job(UnownedJob, wakesAnother: Bool)
            case sleep
            case end
        }

        private let state = NIOLockedValueBox(State())
        private let wakeUp = DispatchSemaphore(value: 0)

        var count: Int { state.withLockedValue { $0.count } }

        func enter(_ job: UnownedJob) {
            let mustWake = state.withLockedValue { state in
                state.jobs.append(job)
                return state.mustWake()
            }
            if mustWake { wakeUp.signal() }
        }

        /// Blocks until there is a job; `nil` once the queue is closed.
        func take() -> UnownedJob? {
            var isWoken = false
            while true {
                switch next(isWoken: isWoken) {
                case .job(let job, let wakesAnother):
                    if wakesAnother { wakeUp.signal() }
                    return job
                case .end: return nil
                case .sleep:
                    wakeUp.wait()
                    isWoken = true
                }
            }
        }

        private func next(isWoken: Bool) -> Next {
            state.withLockedValue { state in
                if isWoken { state.isWaking = false }
                if let job = state.pop() { return .job(job, wakesAnother: state.mustWake()) }
                if state.isClosed { return .end }
                state.asleep += 1
                return .sleep
            }
        }

        /// Ends all threads, also those that are not asleep yet.
        func close() {
            let asleep = state.withLockedValue { state in
                defer { state.asleep = 0 }
                state.isClosed = true
                return state.asleep
            }
            for _ in 0..<asleep { wakeUp.signal() }
        }
    }
}
