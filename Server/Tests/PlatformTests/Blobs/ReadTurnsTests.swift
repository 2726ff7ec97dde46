import Core
import Dispatch
import NIOCore
import NIOPosix
import Synchronization
import TestThreads
import Testing

@testable import Blobs

@Suite("Turns of reads that wait for the disk", .blocksThreads)
struct ReadTurnsTests {
    private final class Order: Sendable {
        private let list = Mutex<[String]>([])
        var names: [String] { list.withLock { $0 } }
        func add(_ name: String) { list.withLock { $0.append(name) } }
    }

    private static func requester(_ account: String, _ network: UInt32) -> Requester {
        Requester(account: account, network: Network(ipv4: network))
    }

    /// Keeps the only thread busy until `end` is signalled.
    private static func block(_ turns: ReadTurns, until end: DispatchSemaphore) {
        let begun = DispatchSemaphore(value: 0)
        requester("busy", 1).run {
            turns.start { _ in
                begun.signal()
                end.wait()
            }
        }
        begun.wait()
    }

    /// Runs `test` with turns at one thread, which does nothing until `test` returns. Then waits until all calls have run.
    private static func blocked(_ test: (ReadTurns) -> Void) async throws {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let turns = ReadTurns(pool)
        let end = DispatchSemaphore(value: 0)
        block(turns, until: end)
        test(turns)
        end.signal()
        while turns.waitingCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
        // The pool ends when its running call has ended.
        try await pool.shutdownGracefully()
    }

    @Test("a read waits for one call of each other network, however many calls of its accounts wait")
    func networks() async throws {
        let order = Order()
        try await Self.blocked { turns in
            for number in 0..<100 {
                Self.requester("a\(number % 10)", 1).run { turns.start { _ in order.add("many") } }
            }
            Self.requester("b", 2).run { turns.start { _ in order.add("few") } }
            Self.requester("c", 3).run { turns.start { _ in order.add("few") } }
        }
        let names = order.names
        let last = try #require(names.lastIndex(of: "few"))
        #expect(names.count == 102 && last < 4, "\(names.prefix(20))")
    }

    @Test("calls that wait when the pool ends fail, and so do later ones")
    func closed() async throws {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let turns = ReadTurns(pool)
        try await pool.shutdownGracefully()
        await #expect(throws: BlobError.closed) { try await turns.perform {} }
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        await #expect(throws: BlobError.closed) { try await turns.run(on: eventLoop) {}.get() }
        #expect(turns.waitingCount == 0)
    }
}
