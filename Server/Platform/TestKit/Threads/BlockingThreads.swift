internal import Foundation

/// Runs tasks on threads that may block, for example to read a socket or wait for a process. Swift has only as many cooperative threads as
/// processors, and the servers under test run on them: two blocking tests would wait for a server that cannot respond.
///
/// It starts another thread whenever a job arrives and no thread is idle, so a job never waits for a blocked one. A thread that is idle for
/// 10 seconds ends.
///
/// @unchecked: `condition` guards all mutable state.
package final class BlockingThreads: TaskExecutor, @unchecked Sendable {
    package static let shared = BlockingThreads()

    /// Thrown when a blocking call is made on a cooperative thread.
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

    /// Call this before each call that may block for a long time.
    /// - Throws: `Misuse` on a cooperative thread.
    package static func check() throws {
        let mayBlock = withUnsafeCurrentTask { task in task.map { $0.unownedTaskExecutor == shared.asUnownedTaskExecutor() } ?? true }
        if !mayBlock { throw Misuse() }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        defer { condition.unlock() }
        jobs.append(job)
        // Each idle thread takes one job, so further jobs need new threads.
        if jobs.count <= idleCount { condition.signal() } else { Thread.detachNewThread { [self] in work() } }
    }

    private func work() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// - Returns: `nil` when the thread was idle for too long.
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
