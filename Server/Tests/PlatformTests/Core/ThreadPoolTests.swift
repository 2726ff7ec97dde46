import Core
import Foundation
import Synchronization
import TestKit
import TestThreads
import Testing

@Suite("Threads for long work", .blocksThreads)
struct ThreadPoolTests {
    private final class Runs: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    @Test("while all threads of the pools are busy, tasks run on Swift's own threads")
    func apart() async throws {
        let (end, started) = (DispatchSemaphore(value: 0), Runs())
        let count = 2 * max(2, ProcessInfo.processInfo.activeProcessorCount)
        // The pools have more threads than there are processors. If they shared threads with Swift's tasks, all of those would be busy.
        let pools = [ThreadPool("first", count: count), ThreadPool("second", count: count)]
        for pool in pools {
            for _ in 0..<count {
                pool.start {
                    started.add()
                    end.wait()
                }
            }
        }
        try await WorkerFixture.eventually { started.count == 2 * count }
        #expect(await Task.detached { 7 }.value == 7)
        for _ in 0..<2 * count { end.signal() }
    }

    private final class Order: Sendable {
        private let list = Mutex<[Int]>([])
        var numbers: [Int] { list.withLock { $0 } }
        func add(_ number: Int) { list.withLock { $0.append(number) } }
    }

    @Test("work waits for a thread in its order, an error reaches the caller, and what waits still runs when the pool is dropped")
    func order() async throws {
        struct Refused: Error {}
        let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let order = Order()
        var pool: ThreadPool? = ThreadPool("one", count: 1)
        pool?.start {
            begun.signal()
            end.wait()
        }
        begun.wait()
        for number in 1...5 { pool?.start { order.add(number) } }
        end.signal()
        do {
            try await pool?.run { throw Refused() }
            Issue.record("no error")
        } catch is Refused {}
        #expect(order.numbers == [1, 2, 3, 4, 5])
        pool?.start {
            begun.signal()
            end.wait()
        }
        begun.wait()
        pool?.start { order.add(6) }
        pool = nil
        end.signal()
        try await WorkerFixture.eventually { order.numbers.count == 6 }
    }

    @Test("the kind of work that has used the threads for a shorter time is next, and each body runs once")
    func kinds() async throws {
        let threads = ComputingThreads(ThreadPool("kinds", count: 1))
        let limits = FairSemaphore.Limits(permits: 1, permitsPerKey: 1, waiting: 1, waitingPerKey: 1)
        let (long, short) = (FairWork(limits, threads: threads), FairWork(limits, threads: threads))
        let (end, started, order) = (DispatchSemaphore(value: 0), Runs(), Order())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await long.compute {
                    started.add()
                    end.wait()
                }
            }
            try await WorkerFixture.eventually { started.count == 1 }
            for number in 1...3 {
                group.addTask { try await long.compute { order.add(number) } }
                try await WorkerFixture.eventually { threads.waitingCount == number }
            }
            group.addTask { try await long.compute(hasBegun: true) { order.add(10) } }
            try await WorkerFixture.eventually { threads.waitingCount == 4 }
            group.addTask { try await short.compute { order.add(20) } }
            try await WorkerFixture.eventually { threads.waitingCount == 5 }
            end.signal()
            try await group.waitForAll()
        }
        #expect(order.numbers == [20, 10, 1, 2, 3] && threads.waitingCount == 0)
    }
}
