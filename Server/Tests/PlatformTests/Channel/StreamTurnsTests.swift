import Core
import NIOCore
import NIOPosix
import Testing

@testable import HTTPServer

@Suite("Turns of connections that open many streams")
struct StreamTurnsTests {
    /// Three connections of one network, which record their turns. Stays on its event loop.
    private final class Line {
        struct Turn: Sendable {
            let time: NIODeadline
            let isFree: Bool
        }

        private let turns: StreamTurns.OfLoop
        private let network: Network
        private let done: EventLoopPromise<[Turn]>
        private var taken: [Turn] = []

        init(_ turns: StreamTurns.OfLoop, _ network: Network, _ done: EventLoopPromise<[Turn]>) {
            self.turns = turns
            self.network = network
            self.done = done
        }

        func join() {
            turns.wait(network, isClosed: { true }, onTurn: { self.done.fail(ChannelError.eof) })
            for _ in 0..<3 { turns.wait(network, isClosed: { false }, onTurn: { self.take() }) }
        }

        private func take() {
            taken.append(Turn(time: .now(), isFree: turns.isFree(for: network)))
            // Nothing arrives in the first turn.
            if taken.count == 2 { turns.wasRead(network) }
            if taken.count == 3 { done.succeed(taken) }
        }
    }

    @Test("a network that opened many streams is read one connection after the other, and other networks at once")
    func turns() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let network = try #require(IPAddress("192.0.2.1")).network
        let other = try #require(IPAddress("198.51.100.1")).network
        let done = eventLoop.makePromise(of: [Line.Turn].self)
        let (opened, isFree, isOtherFree) = try await eventLoop.submit {
            let turns = StreamTurns().on(eventLoop)
            var opened: [Bool] = []
            for _ in 0..<StreamTurns.mostStreams + 10 { opened.append(turns.streamOpened(by: network)) }
            let free = (turns.isFree(for: network), turns.isFree(for: other))
            Line(turns, network, done).join()
            return (opened, free.0, free.1)
        }.get()
        #expect(opened == Array(repeating: true, count: StreamTurns.mostStreams) + Array(repeating: false, count: 10))
        #expect(!isFree)
        #expect(isOtherFree)
        // A closed connection, which is the first to wait, gets no turn.
        let taken = try await done.futureResult.get()
        try #require(taken.count == 3)
        #expect(taken[1].time - taken[0].time >= StreamTurns.turnTime)
        #expect(taken[2].time - taken[1].time >= .microseconds(500))
        // Those that wait go before one that comes now.
        #expect(taken.map(\.isFree) == [false, false, true])
    }
}
