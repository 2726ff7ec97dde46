import Core
import HTTPServer
import Testing

@testable import Web

@Suite("Turns for long work")
struct LongWorkTests {
    private static func requester(_ account: String, _ address: String) throws -> Requester {
        Requester(account: account, network: try #require(IPAddress(address)).network)
    }

    /// Waits until `count` requests wait.
    private static func waiting(_ count: Int, _ work: LongWork) async throws {
        for _ in 0..<500 where work.counts.waiting != count { try await Task.sleep(for: .milliseconds(10)) }
        #expect(work.counts.waiting == count)
    }

    @Test("of two processors one works, for one account at a time; those that wait take turns by account")
    func turns() async throws {
        let work = LongWork(processors: 2)
        let (ada, eve) = (try Self.requester("ada", "192.0.2.1"), try Self.requester("eve", "192.0.2.2"))
        let held = try await work.turn(ada)
        let (stream, done) = AsyncStream.makeStream(of: String.self)
        let seconds = (0..<8).map { _ in
            Task {
                let turn = try await work.turn(ada)
                done.yield("ada")
                turn.release()
            }
        }
        try await Self.waiting(8, work)
        let other = Task {
            let turn = try await work.turn(eve)
            done.yield("eve")
            turn.release()
        }
        try await Self.waiting(9, work)
        held.release()
        for task in seconds { try await task.value }
        try await other.value
        done.finish()
        var order: [String] = []
        for await name in stream { order.append(name) }
        #expect(order.count == 9 && order.prefix(2).contains("eve"), "\(order)")
        #expect(work.counts == (0, 0))
    }

    @Test("a request holds its turn from the moment when it gets it until it releases it")
    func held() async throws {
        let work = LongWork(processors: 2)
        let ada = try Self.requester("ada", "192.0.2.1")
        try await ada.run {
            #expect(!Requester.holdsTurn)
            let turn = try await work.turn(ada)
            #expect(Requester.holdsTurn)
            turn.release()
            turn.release()
            #expect(!Requester.holdsTurn)
        }
    }

    @Test("more than 32 waiting requests of an account are refused, and a cancelled one leaves")
    func bounds() async throws {
        let work = LongWork(processors: 8)
        let ada = try Self.requester("ada", "192.0.2.1")
        let held = try await work.turn(ada)
        let waiting = (0..<32).map { _ in Task { try await work.turn(ada).release() } }
        try await Self.waiting(32, work)
        await #expect(throws: Problem.self) { _ = try await work.turn(ada) }
        // Another account of another network gets a turn beside them.
        try await work.turn(Self.requester("eve", "192.0.2.2")).release()
        for task in waiting { task.cancel() }
        try await Self.waiting(0, work)
        held.release()
        #expect(work.counts == (0, 0))
    }
}
