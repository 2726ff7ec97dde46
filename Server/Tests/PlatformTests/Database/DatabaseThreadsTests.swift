import Core
import Database
import Foundation
import Synchronization
import Testing

@Suite("Database threads")
struct DatabaseThreadsTests {
    /// Blocks its callers until `count` of them have arrived, for at most ten seconds.
    private final class Barrier: Sendable {
        private let count: Int
        private let arrived = Mutex(0)

        init(_ count: Int) { self.count = count }

        var arrivedCount: Int { arrived.withLock { $0 } }

        /// - Returns: whether all have arrived.
        func wait() -> Bool {
            arrived.withLock { $0 += 1 }
            for _ in 0..<10_000 {
                if arrived.withLock({ $0 }) >= count { return true }
                usleep(1_000)
            }
            return false
        }
    }

    private final class Caller: RequesterSource {
        let requester: Requester
        let turns = HeldTurns()

        init(_ number: Int) { requester = Requester(account: "\(number)", network: Network(ipv4: UInt32(number))) }
    }

    private final class Order: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ name: String) { all.withLock { $0.append(name) } }
        var names: [String] { all.withLock { $0 } }
    }

    @Test("as many jobs block at a time as there are threads, whether they come at once or one by one")
    func parallel() async throws {
        let threads = DatabaseThreads("test", count: 4)
        for round in 0..<200 {
            let barrier = Barrier(4)
            // Each job belongs to another account. Jobs of a single account or of the server itself would leave some threads to others.
            let executors = (0..<4).map { threads.executor(for: Caller(4 * round + $0)) }
            let met = await withTaskGroup(of: Bool.self) { group in
                for executor in executors {
                    group.addTask(executorPreference: executor) { barrier.wait() }
                    // When the next job comes, the threads already sleep again or are about to.
                    if round % 2 == 0 { await Task.yield() }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(met == [true, true, true, true], "round \(round)")
            withExtendedLifetime(executors) {}
        }
        #expect(threads.backlog == 0)
    }

    @Test("while jobs of the server itself block, a job of a requester runs")
    func requesterBesideServer() async throws {
        let threads = DatabaseThreads("test", count: 4)
        let executor = threads.executor(for: Caller(1))
        let barrier = Barrier(4)
        let met = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask(executorPreference: threads) { barrier.wait() } }
            // Three jobs block. If a fourth job blocked too, the barrier would release all four.
            for _ in 0..<2_000 where threads.backlog != 5 || barrier.arrivedCount != 3 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(threads.backlog == 5 && barrier.arrivedCount == 3)
            group.addTask(executorPreference: executor) { barrier.wait() }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(met == Array(repeating: true, count: 9))
        withExtendedLifetime(executor) {}
    }

    @Test("a task that gets a turn resumes while long jobs of its account hold half of the threads, and its other jobs wait")
    func scarceTurn() async throws {
        let threads = DatabaseThreads("test", count: 4)
        let caller = Caller(1)
        let executor = threads.executor(for: caller)
        let work = FairWork(FairSemaphore.Limits(permits: 1, permitsPerKey: 1, waiting: 8, waitingPerKey: 8))
        let held = try await work.turn(.server)
        let end = Barrier(3)
        let order = Order()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: executor) {
                try await Requester.$source.withValue(caller) {
                    let turn = try await work.turn()
                    order.add("turn")
                    turn.release()
                }
            }
            for _ in 0..<2_000 where work.counts.waiting != 1 { try await Task.sleep(for: .milliseconds(5)) }
            for _ in 0..<2 { group.addTask(executorPreference: executor) { _ = end.wait() } }
            for _ in 0..<2_000 where end.arrivedCount != 2 { try await Task.sleep(for: .milliseconds(5)) }
            // After this time, the account counts as one that has used the threads for a long time.
            try await Task.sleep(for: .milliseconds(100))
            group.addTask(executorPreference: executor) { order.add("other") }
            for _ in 0..<2_000 where threads.backlog != 1 { try await Task.sleep(for: .milliseconds(5)) }
            held.release()
            for _ in 0..<1_000 where order.names.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            #expect(order.names == ["turn"])
            // This is the third caller of the barrier, so the long jobs end.
            _ = end.wait()
            try await group.waitForAll()
        }
        #expect(order.names == ["turn", "other"])
        #expect(caller.turns.isEmpty && work.counts == (0, 0))
        withExtendedLifetime(executor) {}
    }

    @Test("every job runs once, while threads fall asleep and wake")
    func complete() async throws {
        let threads = DatabaseThreads("test", count: 3)
        let done = Counts(5_000)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<5_000 {
                group.addTask(executorPreference: threads) { done.count(index) }
                if index % 50 == 0 { try? await Task.sleep(for: .milliseconds(1)) }
            }
        }
        #expect(done.areAll(1))
    }

    private final class Counts: Sendable {
        private let counts: Mutex<[Int]>

        init(_ count: Int) { counts = Mutex([Int](repeating: 0, count: count)) }

        func count(_ index: Int) { counts.withLock { $0[index] += 1 } }
        func areAll(_ number: Int) -> Bool { counts.withLock { counts in counts.allSatisfy { $0 == number } } }
    }
}
