import Core
import TestThreads
import Testing

@Suite("Fair semaphore: a full queue", .blocksThreads)
struct FullQueueTests {
    @Test("When too many tasks of one network wait, the newest of its account with the most is refused in favour of one with fewer")
    func replacedInNetwork() async throws {
        let semaphore = FairSemaphore(.init(permits: 1, permitsPerKey: 1, waiting: 4, waitingPerKey: 3))
        let held = try await semaphore.acquire(for: .server)
        func wait(_ account: String) -> Task<FairQueueRefusal?, Never> {
            Task {
                do {
                    try await semaphore.withPermit(for: Requester(account: account, network: Network(ipv4: 1))) {}
                    return nil
                } catch {
                    return error as? FairQueueRefusal
                }
            }
        }
        var greedy: [Task<FairQueueRefusal?, Never>] = []
        for count in 1...3 {
            greedy.append(wait("greedy"))
            while semaphore.waitingCount < count { await Task.yield() }
        }
        let modest = wait("modest")
        while semaphore.waitingCount < 4 { await Task.yield() }
        // The newest task is the modest account's, but the greedy account has more tasks and loses one.
        let other = wait("other")
        #expect(await greedy[2].value == .keyIsFull)
        // Now no account has two tasks more than the modest account, so none of them loses one.
        let refused = wait("modest")
        #expect(await refused.value == .full)
        held.release()
        for task in [greedy[0], greedy[1], modest, other] { #expect(await task.value == nil) }
        #expect(semaphore.heldCount == 0)
    }
}
