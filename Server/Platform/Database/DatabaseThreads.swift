package import Core
internal import Dispatch
internal import Foundation
internal import NIOConcurrencyHelpers

#if canImport(Glibc)
    internal import Glibc
#endif

/// The threads of an engine. A job on such a thread may wait for the disk or for a server, which the threads of Swift's cooperative pool
/// must not. Accounts and networks take turns (`ThreadTurns`).
///
/// A task that prefers these threads does not switch threads for a read. On SQLite a point read takes 20 µs this way; GRDB's four queues
/// took 75 µs.
package final class DatabaseThreads: WorkThreads {
    private let queue: Queue

    /// - Parameter name: at most 10 characters; the threads' number follows it.
    package init(_ name: String, count: Int) {
        queue = Queue(threads: count)
        for number in 0..<count {
            // The thread must not retain `self`: `deinit` closes the queue, which ends the thread.
            let thread = Thread { [queue] in
                Self.current.set(to: queue)
                Self.yieldToEventLoops()
                while let work = queue.take(on: number) { work.job.runSynchronously(on: work.executor) }
            }
            thread.name = "\(name)-\(number + 1)"
            thread.start()
        }
    }

    deinit { queue.close() }

    /// Lowers the priority of the current thread. There are more of these threads than processors. When all compute, the event loops would
    /// get a processor as rarely as each of them, and new connections and short requests would wait for seconds.
    private static func yieldToEventLoops() {
        // On Linux, `nice` changes the priority of the thread. On other systems, it changes that of the whole process.
        #if canImport(Glibc)
            _ = nice(5)
        #endif
    }

    package var backlog: Int { queue.count }

    /// The queue of the current thread.
    private static let current = ThreadLocal()

    /// Whether the current task runs on these threads.
    package var isCurrent: Bool { Self.current.isSet(to: queue) }

    /// Runs jobs of the server itself.
    package func enqueue(_ job: consuming ExecutorJob) {
        queue.enter(Work(job: UnownedJob(job), executor: asUnownedTaskExecutor()), for: .server)
    }

    package func executor(for source: any RequesterSource) -> any TaskExecutor { Shared(queue: queue, source: source) }

    /// These threads for the requester of the current task.
    package var currentExecutor: any TaskExecutor { Requester.source.map { executor(for: $0) } ?? self }

    /// The same threads, for the jobs of one requester.
    private final class Shared: TaskExecutor {
        private let queue: Queue
        private let source: any RequesterSource

        init(queue: Queue, source: any RequesterSource) {
            self.queue = queue
            self.source = source
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let work = Work(job: UnownedJob(job), executor: asUnownedTaskExecutor())
            queue.enter(work, for: source.requester, holdsTurn: !source.turns.isEmpty)
        }
    }

    private struct Work: Sendable {
        let job: UnownedJob
        let executor: UnownedTaskExecutor
    }

    /// A place in each thread for the queue from which it takes its jobs.
    private struct ThreadLocal: Sendable {
        private let key: pthread_key_t

        init() {
            var key = pthread_key_t()
            let code = pthread_key_create(&key, nil)
            precondition(code == 0, "no key for data of threads: \(code)")
            self.key = key
        }

        func set(to queue: Queue) { pthread_setspecific(key, Unmanaged.passUnretained(queue).toOpaque()) }
        func isSet(to queue: Queue) -> Bool { pthread_getspecific(key) == Unmanaged.passUnretained(queue).toOpaque() }
    }

    /// The queue has no limit, because its elements are tasks that exist already.
    ///
    /// At most one thread at a time is being woken. Once awake, it takes a job, and wakes the next thread if there are more. Waking and
    /// putting a thread to sleep costs as much as a short job; threads that are awake often take the jobs first.
    private final class Queue: Sendable {
        private struct State {
            var turns: ThreadTurns<Work>
            /// Threads that sleep, without the one that is being woken.
            var asleep = 0
            var isWaking = false
            var isClosed = false

            /// Call it whenever there may be a job that no awake thread will take.
            /// - Returns: whether the caller must wake a thread.
            mutating func mustWake() -> Bool {
                guard turns.count > 0, asleep > 0, !isWaking else { return false }
                asleep -= 1
                isWaking = true
                return true
            }
        }

        private enum Next {
            case work(Work, wakesAnother: Bool)
            case sleep
            case end
        }

        private let state: NIOLockedValueBox<State>
        private let wakeUp = DispatchSemaphore(value: 0)

        init(threads: Int) { state = NIOLockedValueBox(State(turns: ThreadTurns(threads: threads))) }

        var count: Int { state.withLockedValue { $0.turns.count } }

        func enter(_ work: Work, for requester: Requester, holdsTurn: Bool = false) {
            let mustWake = state.withLockedValue { state in
                state.turns.enter(work, for: requester, holdsTurn: holdsTurn)
                return state.mustWake()
            }
            if mustWake { wakeUp.signal() }
        }

        /// Blocks until there is a job for the thread, whose last job has ended; `nil` once the queue is closed.
        func take(on thread: Int) -> Work? {
            var isWoken = false
            while true {
                switch next(on: thread, isWoken: isWoken) {
                case .work(let work, let wakesAnother):
                    if wakesAnother { wakeUp.signal() }
                    return work
                case .end: return nil
                case .sleep:
                    wakeUp.wait()
                    isWoken = true
                }
            }
        }

        private func next(on thread: Int, isWoken: Bool) -> Next {
            let now = DispatchTime.now().uptimeNanoseconds
            return state.withLockedValue { state in
                if isWoken { state.isWaking = false }
                state.turns.end(on: thread, at: now)
                if let work = state.turns.next(on: thread, at: now) { return .work(work, wakesAnother: state.mustWake()) }
                if state.isClosed, state.turns.count == 0 { return .end }
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
