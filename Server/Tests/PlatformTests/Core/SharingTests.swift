import Core
import Synchronization
import TestThreads
import Testing

@Suite("Fair queue", .blocksThreads)
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

    @Test("A full key is refused while other keys are accepted, and a full queue refuses everybody")
    func limits() throws {
        var queue = FairQueue<String, Int>(limit: 3, limitPerKey: 2)
        try queue.enqueue(1, for: "a")
        try queue.enqueue(2, for: "a")
        #expect(throws: FairQueueRefusal.keyIsFull) { try queue.enqueue(3, for: "a") }
        try queue.enqueue(4, for: "b")
        #expect(throws: FairQueueRefusal.full) { try queue.enqueue(5, for: "c") }
    }

    @Test("A key that may not run is skipped and keeps its turn")
    func passing() throws {
        var queue = FairQueue<String, Int>(limit: 9, limitPerKey: 9)
        try queue.enqueue(1, for: "a")
        try queue.enqueue(2, for: "b")
        #expect(queue.dequeue { $0 != "a" }?.element == 2)
        #expect(queue.dequeue()?.element == 1)
    }

    @Test("If the oldest element of a key may not leave, a younger one within the look-ahead leaves, and the oldest one stays the first")
    func lookAhead() throws {
        var queue = FairQueue<String, Int>(limit: 9, limitPerKey: 9)
        for number in [1, 3, 4, 5] { try queue.enqueue(number, for: "a") }
        try queue.enqueue(7, for: "b")
        let isEven: (String, Int) -> Bool = { _, number in number.isMultiple(of: 2) }
        #expect(queue.dequeue(whereNext: isEven) == nil)
        #expect(queue.dequeue(whereNext: isEven, lookAhead: 1) == nil)
        #expect(queue.dequeue(whereNext: isEven, lookAhead: 2, past: { $0 != 3 }) == nil, "one of those before it may not be passed")
        #expect(queue.dequeue(whereNext: isEven, lookAhead: 2)?.element == 4)
        #expect(queue.count == 4 && queue.count(of: "a") == 3)
        var order: [Int] = []
        while let next = queue.dequeue() { order.append(next.element) }
        #expect(order == [7, 1, 3, 5])
    }

    @Test("Elements that are ahead leave before the others of their key, which leave one after each of them")
    func ahead() throws {
        var queue = FairQueue<String, Int>(limit: 9, limitPerKey: 9)
        for number in 1...3 { try queue.enqueue(number, for: "a") }
        for number in [7, 8] { try queue.enqueue(number, for: "a", isAhead: true) }
        try queue.enqueue(100, for: "b")
        var order: [Int] = []
        for _ in 1...3 { if let next = queue.dequeue() { order.append(next.element) } }
        #expect(order == [7, 100, 1])
        if let next = queue.dequeue() { order.append(next.element) }
        try queue.enqueue(9, for: "a", isAhead: true)
        while let next = queue.dequeue() { order.append(next.element) }
        #expect(order == [7, 100, 1, 8, 2, 9, 3])
    }

    @Test("A removed element is not dequeued, and its key's turn ends with its last element")
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

@Suite("Fair semaphore", .blocksThreads)
struct FairSemaphoreTests {
    private final class Order: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ key: String) { all.withLock { $0.append(key) } }
        var keys: [String] { all.withLock { $0 } }
    }

    private static func requester(_ account: String, _ network: UInt32? = nil) -> Requester {
        Requester(account: account, network: network.map { Network(ipv4: $0) })
    }

    @Test("Many tasks of one key do not delay another key's task, which had no turn yet")
    func crowd() async throws {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 100, waitingPerKey: 50))
        let first = try await semaphore.acquire(for: Self.requester("greedy"))
        let order = Order()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { try await semaphore.withPermit(for: Self.requester("greedy")) { order.add("greedy") } }
            }
            while semaphore.waitingCount < 20 { await Task.yield() }
            group.addTask { try await semaphore.withPermit(for: Self.requester("modest")) { order.add("modest") } }
            while semaphore.waitingCount < 21 { await Task.yield() }
            first.release()
            try await group.waitForAll()
        }
        // The greedy account had the first turn, so the modest account's task runs next.
        #expect(order.keys.firstIndex(of: "modest") == 0)
        #expect(semaphore.heldCount == 0)
    }

    @Test("A requester who comes now and then does not wait for all those who are always there")
    func pauses() async throws {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 100, waitingPerKey: 50))
        var held = try await semaphore.acquire(for: .server)
        let order = Order()
        func enter(_ name: String, _ network: UInt32) async -> Task<Void, any Error> {
            let count = semaphore.waitingCount
            let requester = Self.requester("\(name) \(network)", network)
            let task = Task { try await semaphore.withPermit(for: requester) { order.add(name) } }
            while semaphore.waitingCount == count { await Task.yield() }
            return task
        }
        // In both rounds, each network of the crowd queues two tasks. In the second round, the modest requester queues its task last.
        for round in 0..<2 {
            var tasks: [Task<Void, any Error>] = []
            for network in 1...8 { for _ in 0..<2 { tasks.append(await enter("crowd", UInt32(network))) } }
            if round > 0 { tasks.append(await enter("modest", 99)) }
            held.release()
            for task in tasks { try await task.value }
            held = try await semaphore.acquire(for: .server)
        }
        #expect(order.keys.count == 33 && order.keys.firstIndex(of: "modest") == 16)
        held.release()
    }

    /// Queues the tasks of `crowd`, then one task of another account and network, and runs them one after the other.
    /// - Returns: how many tasks of `crowd` ran before the other account's task.
    private func delay(behind crowd: [Requester]) async throws -> Int? {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 100, waitingPerKey: 50))
        let first = try await semaphore.acquire(for: .server)
        let order = Order()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, requester) in crowd.enumerated() {
                group.addTask { try await semaphore.withPermit(for: requester) { order.add("crowd") } }
                while semaphore.waitingCount < number + 1 { await Task.yield() }
            }
            group.addTask { try await semaphore.withPermit(for: Self.requester("modest", 99)) { order.add("modest") } }
            while semaphore.waitingCount < crowd.count + 1 { await Task.yield() }
            first.release()
            try await group.waitForAll()
        }
        #expect(order.keys.count == crowd.count + 1 && semaphore.heldCount == 0)
        return order.keys.firstIndex(of: "modest")
    }

    @Test("Many accounts of one network, and one account on many networks, delay another's task by one turn")
    func networks() async throws {
        let accounts = try await delay(behind: (0..<20).map { Self.requester("account\($0)", 1) })
        #expect(accounts == 1)
        let networks = try await delay(behind: (0..<20).map { Self.requester("account", $0) })
        #expect(networks == 1)
    }

    @Test("The accounts of one network together have a limit for running tasks and for waiting tasks")
    func networkLimit() async throws {
        let semaphore = FairSemaphore(
            .init(permits: 3, permitsPerKey: 2, permitsPerNetwork: 2, waiting: 10, waitingPerKey: 10, waitingPerNetwork: 1))
        let first = try await semaphore.acquire(for: Self.requester("a", 1))
        let second = try await semaphore.acquire(for: Self.requester("b", 1))
        let waiting = Task { try await semaphore.acquire(for: Self.requester("c", 1)) }
        while semaphore.waitingCount < 1 { await Task.yield() }
        await #expect(throws: FairQueueRefusal.keyIsFull) { try await semaphore.acquire(for: Self.requester("d", 1)) }
        let other = try await semaphore.acquire(for: Self.requester("e", 2))
        #expect(semaphore.heldCount == 3)
        second.release()
        let third = try await waiting.value
        for permit in [first, third, other] { permit.release() }
        #expect(semaphore.heldCount == 0)
    }

    @Test("A part of the permits is for networks that hold few, and all networks of an IPv6 site count as one")
    func reserve() async throws {
        let semaphore = FairSemaphore(.init(permits: 4, permitsPerKey: 4, waiting: 10, waitingPerKey: 10, reserve: 2, small: 1))
        let greedy = Self.requester("a", 1)
        let first = try #require(semaphore.acquireNow(for: greedy))
        let second = try #require(semaphore.acquireNow(for: greedy))
        let waiting = Task { try await semaphore.acquire(for: greedy) }
        while semaphore.waitingCount < 1 { await Task.yield() }
        #expect(semaphore.acquireNow(for: Self.requester("b")) == nil, "it has no network")
        let third = try #require(semaphore.acquireNow(for: Requester(account: "c", network: Network(ipv6: 0x2001_0DB8_0001_0000))))
        #expect(semaphore.acquireNow(for: Requester(account: "d", network: Network(ipv6: 0x2001_0DB8_0001_FFFF))) == nil)
        let fourth = try #require(semaphore.acquireNow(for: Self.requester("e", 2)))
        #expect(semaphore.acquireNow(for: Self.requester("f", 3)) == nil && semaphore.heldCount == 4)
        // The waiting task gets none of the two permits that are reserved for networks that hold few.
        first.release()
        third.release()
        #expect(semaphore.heldCount == 2 && semaphore.waitingCount == 1)
        fourth.release()
        #expect(semaphore.heldCount == 2 && semaphore.waitingCount == 0)
        try await waiting.value.release()
        second.release()
        #expect(semaphore.heldCount == 0)
    }

    @Test("A free permit is taken without queueing, even while the queue is full")
    func free() async throws {
        let semaphore = FairSemaphore(.init(permits: 2, permitsPerKey: 1, waiting: 1, waitingPerKey: 1))
        let held = try await semaphore.acquire(for: Self.requester("a"))
        #expect(semaphore.waitingCount == 0)
        let waiting = Task { try await semaphore.acquire(for: Self.requester("a")) }
        while semaphore.waitingCount < 1 { await Task.yield() }
        let other = try await semaphore.acquire(for: Self.requester("b"))
        #expect(semaphore.heldCount == 2 && semaphore.waitingCount == 1)
        await #expect(throws: FairQueueRefusal.full) { try await semaphore.acquire(for: Self.requester("c")) }
        held.release()
        try await waiting.value.release()
        other.release()
        #expect(semaphore.heldCount == 0)
    }

    @Test("A permit that is released goes to the task that waits, and a new task does not overtake it")
    func handedOver() async throws {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 10, waitingPerKey: 10))
        let held = try await semaphore.acquire(for: Self.requester("a"))
        let waiting = Task { try await semaphore.acquire(for: Self.requester("b")) }
        while semaphore.waitingCount < 1 { await Task.yield() }
        held.release()
        // The waiting task holds the permit at once, even if it has not resumed yet.
        #expect(semaphore.heldCount == 1 && semaphore.waitingCount == 0)
        let new = Task { try await semaphore.acquire(for: Self.requester("c")) }
        while semaphore.heldCount + semaphore.waitingCount < 2 { await Task.yield() }
        #expect(semaphore.heldCount == 1 && semaphore.waitingCount == 1)
        try await waiting.value.release()
        try await new.value.release()
        #expect(semaphore.heldCount == 0)
    }

    @Test("With a head start, the requester whose tasks took less time is next, although its last turn is newer")
    func timeUsed() async throws {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 10, waitingPerKey: 10, headStart: .milliseconds(1)))
        let order = Order()
        func enter(_ name: String, _ network: UInt32) async -> Task<FairSemaphore.Permit, any Error> {
            let count = semaphore.waitingCount
            let task = Task {
                let permit = try await semaphore.acquire(for: Self.requester(name, network))
                order.add(name)
                return permit
            }
            while semaphore.waitingCount == count { await Task.yield() }
            return task
        }
        let first = try await semaphore.acquire(for: Self.requester("first", 1))
        let (long, short) = (await enter("long", 2), await enter("short", 3))
        first.release()
        let held = try await long.value
        try await Task.sleep(for: .milliseconds(300))
        held.release()
        let last = try await short.value
        let again = (await enter("long", 2), await enter("short", 3))
        last.release()
        try await again.1.value.release()
        try await again.0.value.release()
        #expect(order.keys == ["long", "short", "short", "long"])
    }

    @Test("A new task of an account does not overtake one of it that waits for its network, although permits are free")
    func ownOrder() async throws {
        let semaphore = FairSemaphore(.init(permits: 3, permitsPerKey: 1, permitsPerNetwork: 1, waiting: 10, waitingPerKey: 10))
        let held = try await semaphore.acquire(for: Self.requester("b", 1))
        let order = Order()
        func enter(_ network: UInt32) -> Task<Void, any Error> {
            Task { try await semaphore.withPermit(for: Self.requester("a", network)) { order.add("\(network)") } }
        }
        let first = enter(1)
        while semaphore.waitingCount < 1 { await Task.yield() }
        let second = enter(2)
        while semaphore.waitingCount < 2, order.keys.isEmpty { await Task.yield() }
        #expect(semaphore.heldCount == 1 && semaphore.waitingCount == 2)
        held.release()
        try await first.value
        try await second.value
        #expect(order.keys == ["1", "2"] && semaphore.heldCount == 0)
    }

    @Test("A task with a time limit gets nil after it, or a permit that becomes free in time")
    func limitedTime() async throws {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 10, waitingPerKey: 10))
        let held = try await semaphore.acquire(for: .server)
        let none = try await semaphore.acquire(for: .server, within: .milliseconds(20))
        #expect(none == nil)
        #expect(semaphore.waitingCount == 0)
        async let waiting = semaphore.acquire(for: .server, within: .seconds(60))
        while semaphore.waitingCount < 1 { await Task.yield() }
        held.release()
        let permit = try #require(try await waiting)
        #expect(semaphore.heldCount == 1)
        permit.release()
        #expect(semaphore.heldCount == 0)
    }

    @Test("When too many wait, the newest task of the fullest network is refused in favour of a network with fewer")
    func replaced() async throws {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 6, waitingPerKey: 4))
        let held = try await semaphore.acquire(for: .server)
        let order = Order()
        func wait(_ network: UInt32) async -> Task<FairQueueRefusal?, Never> {
            let count = semaphore.waitingCount
            let task = Task<FairQueueRefusal?, Never> {
                do {
                    try await semaphore.withPermit(for: Requester(account: nil, network: Network(ipv4: network))) {
                        order.add("\(network)")
                    }
                    return nil
                } catch {
                    return error as? FairQueueRefusal
                }
            }
            while semaphore.waitingCount < min(count + 1, 6) { await Task.yield() }
            return task
        }
        var greedy: [Task<FairQueueRefusal?, Never>] = []
        for _ in 0..<4 { greedy.append(await wait(1)) }
        let (second, third) = (await wait(2), await wait(3))
        let newcomer = await wait(4)
        #expect(await greedy[3].value == .keyIsFull)
        // Three tasks of the first network wait now. A second task of the second network may replace one of them, but a third may not.
        let another = await wait(2)
        #expect(await greedy[2].value == .keyIsFull)
        let refused = await wait(2)
        #expect(await refused.value == .full)
        held.release()
        for task in [greedy[0], greedy[1], second, third, newcomer, another] { #expect(await task.value == nil) }
        #expect(order.keys.sorted() == ["1", "1", "2", "2", "3", "4"] && semaphore.heldCount == 0)
    }

    @Test("A key's own limit leaves permits to others")
    func ownLimit() async throws {
        let semaphore = FairSemaphore(.init(permits: 3, permitsPerKey: 1, waiting: 10, waitingPerKey: 1))
        let held = try await semaphore.acquire(for: Self.requester("a"))
        let waiting = Task { try await semaphore.acquire(for: Self.requester("a")) }
        while semaphore.waitingCount < 1 { await Task.yield() }
        await #expect(throws: FairQueueRefusal.keyIsFull) { try await semaphore.acquire(for: Self.requester("a")) }
        let other = try await semaphore.acquire(for: Self.requester("b"))
        #expect(semaphore.heldCount == 2)
        held.release()
        let second = try await waiting.value
        second.release()
        other.release()
        #expect(semaphore.heldCount == 0)
    }

    @Test("A cancelled task leaves the queue, and a dropped permit is released")
    func cancelled() async throws {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 10, waitingPerKey: 10))
        var held: FairSemaphore.Permit? = try await semaphore.acquire(for: Self.requester("a"))
        let waiting = Task { try await semaphore.acquire(for: Self.requester("b")) }
        while semaphore.waitingCount < 1 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(semaphore.waitingCount == 0)
        #expect(held != nil)
        held = nil
        #expect(semaphore.heldCount == 0)
    }
}
