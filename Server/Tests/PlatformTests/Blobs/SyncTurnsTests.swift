import Core
import Dispatch
import NIOCore
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import Blobs

@Suite("Turns of writes and syncs", .blocksThreads)
struct SyncTurnsTests {
    private static func requester(_ account: String, _ network: UInt32) -> Requester {
        Requester(account: account, network: Network(ipv4: network))
    }

    /// Takes turns until the next one would have to wait, but at most one for each thread.
    private static func takeAll(_ turns: SyncTurns, of requester: Requester) async -> [FairSemaphore.Permit] {
        await requester.run {
            var permits: [FairSemaphore.Permit] = []
            while permits.count < SyncTurns.perAccount, let permit = await turns.permit() { permits.append(permit) }
            return permits
        }
    }

    private static func isWaiting(_ turns: SyncTurns, _ count: Int) async throws {
        for _ in 0..<1_000 where turns.waitingCount < count { try await Task.sleep(for: .milliseconds(1)) }
        #expect(turns.waitingCount == count)
    }

    @Test("an account that ends many uploads at once leaves threads to others")
    func account() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let held = await Self.takeAll(store.syncTurns, of: Self.requester("a", 1))
        #expect(held.count == SyncTurns.perAccount)
        let writer = try await store.stage()
        let waiting = Task {
            try await Self.requester("a", 1).run { try await writer.finish() }
        }
        try await Self.isWaiting(store.syncTurns, 1)
        // Another account, another network, and the server itself do not wait.
        for other in [Self.requester("b", 1), Self.requester("c", 2), .server] {
            let staged = try await other.run { try await store.stage().finish() }
            try await other.run { try await store.publish([staged]) }
        }
        #expect(store.syncTurns.waitingCount == 1)
        held[0].release()
        _ = try await waiting.value
        for permit in held { permit.release() }
        await store.close()
    }

    @Test("networks that use their whole shares leave threads to a network that uses few")
    func networks() async throws {
        let turns = SyncTurns()
        let most = SyncTurns.threadCount - SyncTurns.reserve
        var held: [FairSemaphore.Permit] = []
        // Each network has two accounts, so the limits of accounts do not matter.
        for number in 0..<most {
            let (account, network) = ("a\(number % 6)", UInt32(number % 3))
            let permit = await Self.requester(account, network).run { await turns.permit() }
            held.append(try #require(permit))
        }
        let waiting = Task { await Self.requester("a0", 0).run { await turns.permit() } }
        try await Self.isWaiting(turns, 1)
        let other = await Self.requester("b", 9).run { await turns.permit() }
        #expect(other != nil && turns.waitingCount == 1)
        for permit in held { permit.release() }
        #expect(await waiting.value != nil)
    }

    @Test("a task that holds a scarce turn does not wait for the syncs of its account")
    func holders() async throws {
        let turns = SyncTurns()
        let held = await Self.takeAll(turns, of: Self.requester("a", 1))
        let permit = await Self.requester("a", 1).runHoldingTurn { await turns.permit() }
        #expect(held.count == SyncTurns.perAccount && turns.waitingCount == 0)
        #expect(permit == nil)
    }

    @Test("a cancelled task still waits for its turn, because its file must be completed or deleted")
    func cancelled() async throws {
        let turns = SyncTurns()
        let held = await Self.takeAll(turns, of: Self.requester("a", 1))
        let waiting = Task { await Self.requester("a", 1).run { await turns.permit() } }
        try await Self.isWaiting(turns, 1)
        waiting.cancel()
        try await Task.sleep(for: .milliseconds(5))
        #expect(turns.waitingCount == 1)
        for permit in held { permit.release() }
        #expect(await waiting.value != nil)
    }

    /// Keeps all threads that write busy until `end` was signalled once for each of them.
    private static func blockWrites(of store: LocalBlobStore, until end: DispatchSemaphore) {
        let begun = DispatchSemaphore(value: 0)
        for _ in 0..<4 {
            requester("busy", 3).run {
                store.writes.start { _ in
                    begun.signal()
                    end.wait()
                }
            }
        }
        for _ in 0..<4 { begun.wait() }
    }

    @Test("batches of uploads wait in the turns of their accounts")
    func batches() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let end = DispatchSemaphore(value: 0)
        Self.blockWrites(of: store, until: end)
        let batch = ByteBuffer(repeating: 7, count: LocalBlobWriter.batchByteCount)
        let writer = try await Self.requester("a", 1).run { try await store.stage() }
        // The second batch is handed over when the first one has been written.
        for _ in 0..<2 { try await writer.append(batch) }
        #expect(store.writes.waitingCount == 1)
        for _ in 0..<4 { end.signal() }
        let staged = try await writer.finish()
        #expect(staged.byteCount == Int64(2 * batch.readableBytes))
        await store.close()
    }

    @Test("a task that holds a scarce turn does not wait behind the writes of others, neither with its first batch nor with later ones")
    func batchesOfHolder() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let (end, endOthers) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Self.blockWrites(of: store, until: end)
        for account in ["b", "c", "d", "e", "f", "g"] {
            Self.requester(account, 2).run { store.writes.start { _ in endOthers.wait() } }
        }
        let batch = ByteBuffer(repeating: 7, count: LocalBlobWriter.batchByteCount)
        let writer = try await Self.requester("a", 1).runHoldingTurn {
            let writer = try await store.stage()
            // A thread hands the second batch over when it has written the first one.
            for _ in 0..<2 { try await writer.append(batch) }
            return writer
        }
        let isFinished = Mutex(false)
        let finishing = Task {
            _ = try await writer.finish()
            isFinished.withLock { $0 = true }
        }
        // One thread is free now. The first call of others blocks it.
        end.signal()
        for _ in 0..<1_000 where !isFinished.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(isFinished.withLock { $0 })
        for _ in 0..<3 { end.signal() }
        for _ in 0..<6 { endOthers.signal() }
        try await finishing.value
        await store.close()
    }

    @Test("a deleted file is closed on a thread of the store, because that frees its blocks, and readers end on event loops")
    func deletedFile() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let keys = try await [BlobStoreSuite.put([1], in: store).key, BlobStoreSuite.put([2], in: store).key]
        var readers: [any BlobReader] = []
        for key in keys { readers.append(try await store.open(key)) }
        try await store.delete(keys[0])
        let end = DispatchSemaphore(value: 0)
        Self.blockWrites(of: store, until: end)
        #expect(readers.count == 2 && store.writes.waitingCount == 0)
        // The other file still has its name, so it is closed at once.
        readers = []
        for _ in 0..<1_000 where store.writes.waitingCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(store.writes.waitingCount == 1)
        for _ in 0..<4 { end.signal() }
        await store.close()
    }
}
