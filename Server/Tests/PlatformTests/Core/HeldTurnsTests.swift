import Core
import TestKit
import TestThreads
import Testing

@Suite("Turns that are held", .blocksThreads)
struct HeldTurnsTests {
    private static let ada = Requester(account: "ada", network: nil)
    private static let ben = Requester(account: "ben", network: nil)

    @Test("work of a turn that no request counts holds a turn, also on behalf of another requester, but not as the server")
    func scopes() async {
        #expect(!Requester.holdsTurn)
        await Self.ada.runHoldingTurn {
            #expect(Requester.holdsTurn && Requester.current == Self.ada)
            await Self.ben.run {
                await Task.yield()
                #expect(Requester.holdsTurn && Requester.current == Self.ben)
            }
            await Requester.server.run {
                await Task.yield()
                #expect(!Requester.holdsTurn)
            }
        }
        #expect(!Requester.holdsTurn)
    }

    @Test("a permit counts as held by its holder until it is released, also if the wait for it was limited")
    func permits() async throws {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 2, waitingPerKey: 2))
        let turns = HeldTurns()
        try await semaphore.withPermit(for: Self.ada, holder: turns) { #expect(!turns.isEmpty) }
        #expect(turns.isEmpty)
        let permit = try #require(try await semaphore.acquire(for: Self.ada, within: .seconds(10), holder: turns))
        #expect(!turns.isEmpty)
        let none = try await semaphore.acquire(for: Self.ben, within: .milliseconds(1), holder: HeldTurns())
        #expect(none == nil)
        permit.release()
        #expect(turns.isEmpty && semaphore.heldCount == 0)
    }

    @Test("a task that holds another turn gets its permit before other tasks of its account, but not before another account's")
    func semaphore() async throws {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 10, waitingPerKey: 10))
        let held = try await semaphore.acquire(for: Self.ada)
        let order = Guarded<[String]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...3 {
                group.addTask { try await semaphore.withPermit(for: Self.ada) { order.withLock { $0.append("ada") } } }
                while semaphore.waitingCount < number { await Task.yield() }
            }
            group.addTask { try await semaphore.withPermit(for: Self.ben) { order.withLock { $0.append("ben") } } }
            while semaphore.waitingCount < 4 { await Task.yield() }
            group.addTask {
                try await Self.ada.runHoldingTurn {
                    try await semaphore.withPermit(for: Self.ada) { order.withLock { $0.append("holder") } }
                }
            }
            while semaphore.waitingCount < 5 { await Task.yield() }
            held.release()
            try await group.waitForAll()
        }
        #expect(order.value == ["ben", "holder", "ada", "ada", "ada"])
    }
}
