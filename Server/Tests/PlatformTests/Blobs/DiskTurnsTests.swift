import Core
import Dispatch
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestThreads
import Testing

@testable import Blobs

@Suite("Turns of reads that wait for the disk", .blocksThreads)
struct DiskTurnsTests {
    private final class Order: Sendable {
        private let list = Mutex<[String]>([])
        var names: [String] { list.withLock { $0 } }
        func add(_ name: String) { list.withLock { $0.append(name) } }
    }

    private static func requester(_ account: String, _ network: UInt32) -> Requester {
        Requester(account: account, network: Network(ipv4: network))
    }

    /// Keeps the only thread busy until `end` is signalled.
    private static func block(_ turns: DiskTurns, until end: DispatchSemaphore) {
        let begun = DispatchSemaphore(value: 0)
        requester("busy", 1).run {
            turns.start { _ in
                begun.signal()
                end.wait()
            }
        }
        begun.wait()
    }

    /// Runs `test` with turns at a single thread. The thread is blocked until `test` returns, so all calls that `test` makes wait together.
    /// Then waits until they have run.
    private static func blocked(_ test: (DiskTurns) -> Void) async throws {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let turns = DiskTurns(pool)
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

    @Test("a call of a request that holds a scarce turn goes before the calls of others and of its own account")
    func holders() async throws {
        let order = Order()
        let holder = await Self.requester("a", 1).runHoldingTurn { Requester.source }
        try await Self.blocked { turns in
            Self.requester("a", 1).run {
                for _ in 0..<100 { turns.start { _ in order.add("other") } }
            }
            Self.requester("b", 2).run { turns.start { _ in order.add("other") } }
            Requester.$source.withValue(holder) { turns.start { _ in order.add("holder") } }
        }
        #expect(order.names.count == 102 && order.names.first == "holder")
    }

    @Test("an account of a network for which the threads have worked for a shorter time goes before the network's other accounts")
    func accountsOfNetwork() async throws {
        let order = Order()
        try await Self.blocked { turns in
            // The first call of each account counts as use, so the other calls of these accounts follow those of the last account.
            for number in 0..<3 {
                Self.requester("a\(number)", 2).run {
                    for _ in 0..<4 {
                        turns.start { _ in
                            order.add("many")
                            Thread.sleep(forTimeInterval: 0.03)
                        }
                    }
                }
            }
            Self.requester("b", 2).run {
                for _ in 0..<3 { turns.start { _ in order.add("few") } }
            }
        }
        let names = order.names
        let last = try #require(names.lastIndex(of: "few"))
        #expect(names.count == 15 && last < 8, "\(names)")
    }

    @Test("calls that wait when the pool ends fail, and so do later ones")
    func closed() async throws {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let turns = DiskTurns(pool)
        try await pool.shutdownGracefully()
        await #expect(throws: BlobError.closed) { try await turns.perform {} }
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        await #expect(throws: BlobError.closed) { try await turns.run(on: eventLoop) {}.get() }
        #expect(turns.waitingCount == 0)
    }
}
