internal import Foundation

/// Runs tasks on threads that may block: reading a socket, waiting for a process. Swift's cooperative threads are as few as the
/// processors, and the servers under test run on them: two tests that blocked both would wait for a server that cannot answer.
///
/// Whenever a job comes and no thread is idle, another is started, so a job never waits for one that blocks. A thread that had nothing
/// to do for 10 seconds ends.
///
/// @unchecked: everything that changes is guarded by `condition`.
package final class BlockingThreads: TaskExecutor, @unchecked Sendable {
    package static let shared = BlockingThreads()

    /// A call that blocks was made on a cooperative thread.
    package struct Misuse: Error, CustomStringConvertible {
        package let description =
            "This blocks a thread that Swift's tasks share. Give the suite the trait .blocksThreads: @Suite(\"…\", .blocksThreads)"
    }

    private static let longestIdle = 10.0
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var idleCount = 0

    /// Runs `body` and its child tasks on these threads. An unstructured `Task` does not inherit them.
    package static func run<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        try await withTaskExecutorPreference(shared) { try await body() }
    }

    /// Called before each call that may block for long.
    /// - Throws: `Misuse` on a thread that runs other tasks, too.
    package static func check() throws {
        let mayBlock = withUnsafeCurrentTask { task in task.map { $0.unownedTaskExecutor == shared.asUnownedTaskExecutor() } ?? true }
        if !mayBlock { throw Misuse() }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        defer { condition.unlock() }
        jobs.append(job)
        // As many jobs as idle threads: each will take one.
        if jobs.count <= idleCount { condition.signal() } else { Thread.detachNewThread { [self] in work() } }
    }

    private func work() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// - Returns: nil when none came for a while.
    private func next() -> UnownedJob? {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: Self.longestIdle)
        idleCount += 1
        defer { idleCount -= 1 }
        while jobs.isEmpty {
            if !condition.wait(until: end) && jobs.isEmpty { return nil }
        }
        return jobs.removeFirst()
    }
}
