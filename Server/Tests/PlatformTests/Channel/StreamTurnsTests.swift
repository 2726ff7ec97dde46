import Core
import NIOCore
import NIOPosix
import Testing

@testable import HTTPServer

@Suite("Turns of connections that open many streams")
struct StreamTurnsTests {
    @Test("a network that opened many streams is read one connection after the other, and other networks at once")
    func turns() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let network = try #require(IPAddress("192.0.2.1")).network
        let other = try #require(IPAddress("198.51.100.1")).network
        let done = eventLoop.makePromise(of: [NIODeadline].self)
        try await eventLoop.submit {
            let turns = StreamTurns().on(eventLoop)
            for _ in 0..<StreamTurns.streamCount {
                #expect(turns.isFree(for: network))
                turns.streamOpened(by: network)
            }
            #expect(!turns.isFree(for: network))
            #expect(turns.isFree(for: other))
            for count in StreamTurns.streamCount..<StreamTurns.mostStreams + 10 {
                #expect(turns.streamOpened(by: network) == (count < StreamTurns.mostStreams))
            }
            var times: [NIODeadline] = []
            turns.wait(network, isClosed: { true }, onTurn: { Issue.record("a closed connection gets no turn") })
            for _ in 0..<3 {
                turns.wait(network, isClosed: { false }) {
                    times.append(.now())
                    // Those that wait go before one that comes now.
                    #expect(turns.isFree(for: network) == (times.count == 3))
                    // Nothing arrives in the first turn.
                    if times.count == 2 { turns.wasRead(network) }
                    if times.count == 3 { done.succeed(times) }
                }
            }
        }.get()
        let times = try await done.futureResult.get()
        try #require(times.count == 3)
        #expect(times[1] - times[0] >= StreamTurns.turnTime)
        #expect(times[2] - times[1] >= .microseconds(500))
    }
}
