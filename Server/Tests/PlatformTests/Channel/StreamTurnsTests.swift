import Core
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import HTTPServer

@Suite("Turns of connections that open many streams")
struct StreamTurnsTests {
    private static func network(_ index: Int) -> Network { Network(ipv4: 0xC000_0200 + UInt32(index)) }

    /// Connections that want to open a hundred streams each. Stays on its event loop.
    private final class Crowd {
        struct Result: Sendable {
            var networks: [Int] = []
            /// The most streams opened at once.
            var most = 0
        }

        private let eventLoop: any EventLoop
        private let turns: StreamTurns.OfLoop
        private let done: EventLoopPromise<Result>
        private var result = Result()
        private var atOnce = 0
        private var waitingCount = 0

        init(_ eventLoop: any EventLoop, _ turns: StreamTurns.OfLoop, _ done: EventLoopPromise<Result>) {
            self.eventLoop = eventLoop
            self.turns = turns
            self.done = done
        }

        /// - Returns: whether the connection opened its streams at once, without waiting for a turn.
        func open(_ index: Int) -> Bool {
            guard !turns.mayOpen(100, by: StreamTurnsTests.network(index)) else { return true }
            waitingCount += 1
            turns.wait(StreamTurnsTests.network(index)) { self.pass(index) }
            return false
        }

        private func pass(_ index: Int) -> Int {
            // The reset of `atOnce` runs after all turns of this pass.
            if atOnce == 0 { eventLoop.assumeIsolated().execute { self.atOnce = 0 } }
            atOnce += 100
            result.networks.append(index)
            result.most = max(result.most, atOnce)
            if result.networks.count == waitingCount { done.succeed(result) }
            return 100
        }
    }

    @Test("the streams that begin at once are bounded for a network and in all, and networks take turns")
    func bounds() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let done = eventLoop.makePromise(of: Crowd.Result.self)
        let (free, small) = try await eventLoop.submit {
            let turns = StreamTurns().on(eventLoop)
            let crowd = Crowd(eventLoop, turns, done)
            var free: [Int] = []
            for _ in 0..<3 {
                for index in 0..<10 where crowd.open(index) { free.append(index) }
            }
            // This connection closes while it waits, so it opens no streams in its turn.
            turns.wait(Self.network(6)) { 0 }
            return (free, [8, 1].map { turns.mayOpen($0, by: Self.network(10)) })
        }.get()
        // One connection of each network opens its streams without waiting, until all together have opened 512 streams.
        #expect(free == Array(0..<6))
        #expect(small == [true, false], "a network with few streams need not wait")
        let result = try await done.futureResult.get()
        #expect(result.networks == [6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(result.most == 600)
    }

    @Test("the rest of a long head's cost counts for its network, so that further streams wait for a later pass")
    func longHeads() async throws {
        #expect([0, 2_047, 2_048, 16_384].map(StreamTurns.cost(ofHead:)) == [0, 0, 8, 64])
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let mayOpen = try await eventLoop.submit {
            let turns = StreamTurns().on(eventLoop)
            let first = turns.mayOpen(1, by: Self.network(0))
            turns.charge(StreamTurns.cost(ofHead: 16_384) - 1, to: Self.network(0))
            return [first, turns.mayOpen(1, by: Self.network(0)), turns.mayOpen(1, by: Self.network(1))]
        }.get()
        #expect(mayOpen == [true, false, true])
    }

    /// Keeps an event loop busy with tasks for a while. Stays on that loop.
    private final class Busy {
        private let eventLoop: any EventLoop
        private let turns: StreamTurns.OfLoop
        private let done: EventLoopPromise<Int>
        private var round = 0

        init(_ eventLoop: any EventLoop, _ turns: StreamTurns.OfLoop, _ done: EventLoopPromise<Int>) {
            self.eventLoop = eventLoop
            self.turns = turns
            self.done = done
        }

        func begin() {
            turns.wait(StreamTurnsTests.network(0)) {
                self.done.succeed(self.round)
                return 100
            }
            work()
        }

        private func work() {
            Thread.sleep(forTimeInterval: 0.001)
            round += 1
            if round < 40 { eventLoop.assumeIsolated().execute { self.work() } }
        }
    }

    @Test("while an event loop has tasks to run, no turn comes before it has looked at its sockets")
    func busy() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let done = eventLoop.makePromise(of: Int.self)
        try await eventLoop.submit { Busy(eventLoop, StreamTurns().on(eventLoop), done).begin() }.get()
        let round = try await done.futureResult.get()
        #expect(round == 40)
    }
}
