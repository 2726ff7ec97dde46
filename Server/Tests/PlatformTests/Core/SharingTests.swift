import Core
import Synchronization
import Testing

@Suite("Fair queue")
struct FairQueueTests {
    @Test("Keys take turns, and elements of one key keep their order")
    func turns() throws {
        var queue = FairQueue<String, Int>(limit: 10, limitPerKey: 5)
        for number in 1...4 { try queue.enqueue(number, for: "greedy") }
        try queue.enqueue(100, for: "modest")
        try queue.enqueue(200, for: "third")
        var order: [Int] = []
        while let next = queue.dequeue() { order.append(next.element) }
        #expect(order == [1, 100, 200, 2, 3, 4])
        #expect(queue.isEmpty)
    }

    @Test("A full key is refused while others are taken, and a full queue refuses everybody")
    func limits() throws {
        var queue = FairQueue<String, Int>(limit: 3, limitPerKey: 2)
        try queue.enqueue(1, for: "a")
        try queue.enqueue(2, for: "a")
        #expect(throws: FairQueueRefusal.keyIsFull) { try queue.enqueue(3, for: "a") }
        try queue.enqueue(4, for: "b")
        #expect(throws: FairQueueRefusal.full) { try queue.enqueue(5, for: "c") }
    }

    @Test("A key that may not run is passed over and keeps its turn")
    func passing() throws {
        var queue = FairQueue<String, Int>(limit: 9, limitPerKey: 9)
        try queue.enqueue(1, for: "a")
        try queue.enqueue(2, for: "b")
        #expect(queue.dequeue { $0 != "a" }?.element == 2)
        #expect(queue.dequeue()?.element == 1)
    }

    @Test("What is removed is not dequeued, and its key's turn ends with its last element")
    func removal() throws {
        var queue = FairQueue<String, Int>(limit: 9, limitPerKey: 9)
        try queue.enqueue(1, for: "a")
        try queue.enqueue(2, for: "b")
        #expect(queue.remove { $0 == 1 } == 1)
        #expect(queue.remove { $0 == 1 } == nil)
        #expect(queue.count == 1)
        #expect(queue.dequeue()?.element == 2)
        #expect(queue.dequeue() == nil)
    }
}

@Suite("Fair semaphore")
struct FairSemaphoreTests {
    private final class Order: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ key: String) { all.withLock { $0.append(key) } }
        var keys: [String] { all.withLock { $0 } }
    }

    @Test("One key's crowd delays another key's task by one turn")
    func crowd() async throws {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 100, waitingPerKey: 50))
        let first = try await semaphore.acquire(for: "greedy")
        let order = Order()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { try await semaphore.withPermit(for: "greedy") { order.add("greedy") } }
            }
            while semaphore.waitingCount < 20 { await Task.yield() }
            group.addTask { try await semaphore.withPermit(for: "modest") { order.add("modest") } }
            while semaphore.waitingCount < 21 { await Task.yield() }
            first.release()
            try await group.waitForAll()
        }
        let place = order.keys.firstIndex(of: "modest")
        #expect(place == 1)
        #expect(semaphore.heldCount == 0)
    }

    @Test("A key's own limit leaves permits to others")
    func ownLimit() async throws {
        let semaphore = FairSemaphore(.init(permits: 3, permitsPerKey: 1, waiting: 10, waitingPerKey: 1))
        let held = try await semaphore.acquire(for: "a")
        let waiting = Task { try await semaphore.acquire(for: "a") }
        while semaphore.waitingCount < 1 { await Task.yield() }
        await #expect(throws: FairQueueRefusal.keyIsFull) { try await semaphore.acquire(for: "a") }
        let other = try await semaphore.acquire(for: "b")
        #expect(semaphore.heldCount == 2)
        held.release()
        let second = try await waiting.value
        second.release()
        other.release()
        #expect(semaphore.heldCount == 0)
    }

    @Test("A cancelled task leaves the line, and a dropped permit is given back")
    func cancelled() async throws {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 10, waitingPerKey: 10))
        var held: FairSemaphore.Permit? = try await semaphore.acquire(for: "a")
        let waiting = Task { try await semaphore.acquire(for: "b") }
        while semaphore.waitingCount < 1 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(semaphore.waitingCount == 0)
        #expect(held != nil)
        held = nil
        #expect(semaphore.heldCount == 0)
    }
}

@Suite("Shared budget")
struct SharedBudgetTests {
    @Test("An account, a network and everybody together have limits of their own")
    func shares() throws {
        let budget = SharedBudget(.init(total: 10, perAccount: 4, perNetwork: 6))
        let ann = Requester(account: "ann", network: "192.0.2.1")
        let bob = Requester(account: "bob", network: "192.0.2.1")
        let share = try budget.share(3, of: ann)
        #expect(throws: SharedBudget.Refusal.account) { try share.grow(by: 2) }
        try share.grow(by: 1)
        let second = try budget.share(2, of: bob)
        #expect(throws: SharedBudget.Refusal.network) { try second.grow(by: 1) }
        let third = try budget.share(4, of: Requester(account: "eve", network: "198.51.100.7"))
        #expect(throws: SharedBudget.Refusal.total) { try budget.share(1, of: Requester(account: nil, network: "203.0.113.5")) }
        share.shrink(by: 100)
        #expect(budget.held == 6)
        second.release()
        second.release()
        #expect(budget.held == 4)
        withExtendedLifetime(third) {}
    }

    @Test("A reserve is kept for networks that hold little, and the total stays what it is")
    func reserve() throws {
        let budget = SharedBudget(.init(total: 6, perAccount: 6, perNetwork: 6, reserve: 2, small: 1))
        let greedy = try budget.share(4, of: Requester(account: nil, network: "192.0.2.1"))
        #expect(throws: SharedBudget.Refusal.total) { try greedy.grow(by: 1) }
        let modest = try budget.share(1, of: Requester(account: "ann", network: "192.0.2.2"))
        #expect(throws: SharedBudget.Refusal.total) { try modest.grow(by: 1) }
        #expect(throws: SharedBudget.Refusal.total) { try budget.share(1, of: .server) }
        let third = try budget.share(1, of: Requester(account: nil, network: "192.0.2.3"))
        #expect(throws: SharedBudget.Refusal.total) { try budget.share(1, of: Requester(account: nil, network: "192.0.2.4")) }
        #expect(budget.held == 6)
        withExtendedLifetime((greedy, third)) {}
    }

    @Test("A share that is dropped is given back")
    func dropped() throws {
        let budget = SharedBudget(.init(total: 10, perAccount: 10, perNetwork: 10))
        var share: SharedBudget.Share? = try budget.share(7, of: Requester(account: "ann", network: nil))
        #expect(budget.held == 7)
        #expect(share?.amount == 7)
        share = nil
        #expect(budget.held == 0)
    }
}
