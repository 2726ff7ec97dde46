import Core
import Foundation
import Synchronization
import TestKit
import TestThreads
import Testing

@Suite("Threads for long work", .blocksThreads)
struct ThreadPoolTests {
    @Test("while all threads of the pools are busy, tasks run on Swift's own threads")
    func apart() async throws {
        let end = DispatchSemaphore(value: 0)
        let started = Mutex(0)
        let count = 2 * max(2, ProcessInfo.processInfo.activeProcessorCount)
        // More than there are processors, so that threads shared with Swift's tasks would all be busy.
        let pools = [ThreadPool("first", count: count), ThreadPool("second", count: count)]
        let work = pools.flatMap { pool in
            (0..<count).map { _ in
                Task {
                    try await pool.run {
                        started.withLock { $0 += 1 }
                        end.wait()
                    }
                }
            }
        }
        try await eventually { started.withLock { $0 } == 2 * count }
        #expect(await Task.detached { 7 }.value == 7)
        for _ in work { end.signal() }
        for task in work { try await task.value }
    }

    @Test("work waits for a thread in its order, an error reaches the caller, and what waits still runs when the pool is dropped")
    func order() async throws {
        struct Refused: Error {}
        let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let order = Mutex<[Int]>([])
        var pool: ThreadPool? = ThreadPool("one", count: 1)
        pool?.start {
            begun.signal()
            end.wait()
        }
        begun.wait()
        for number in 1...5 { pool?.start { order.withLock { $0.append(number) } } }
        let last = Task { [pool] in try await pool?.run { throw Refused() } }
        end.signal()
        await #expect(throws: Refused.self) { try await last.value }
        pool?.start { order.withLock { $0.append(6) } }
        pool = nil
        try await eventually { order.withLock { $0.count } == 6 }
        #expect(order.withLock { $0 } == [1, 2, 3, 4, 5, 6])
    }
}
