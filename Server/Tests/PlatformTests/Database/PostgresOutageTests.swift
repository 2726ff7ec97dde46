import Foundation
import Synchronization
import TestThreads
import Testing

@testable import PostgresEngine

@Suite("Connecting while PostgreSQL cannot be reached", .blocksThreads)
struct PostgresOutageTests {
    private struct Refusal: Error {}

    private final class Attempts: Sendable {
        let count = Mutex(0)
    }

    /// - Returns: `nil` when the caller gets an error.
    private func connect(_ outage: PostgresOutage, afterLoss: Bool = false, _ body: () throws -> Int) -> Int? {
        try? outage.connecting(afterLoss: afterLoss, body)
    }

    @Test("after a failure, one caller at a time tries to connect, and the others get the error at once")
    func trying() {
        let outage = PostgresOutage(pause: .zero)
        let refused = connect(outage) { throw Refusal() }
        var meanwhile: Int? = 0
        let tried = connect(outage) {
            meanwhile = connect(outage) { 2 }
            return 1
        }
        let later = connect(outage) { 3 }
        #expect(refused == nil && meanwhile == nil && tried == 1 && later == 3)
    }

    /// Connects four times at once.
    /// - Returns: how many attempts there were, and how many callers have connected.
    private func connectAfterLoss(_ outage: PostgresOutage, isReachable: Bool) async -> [Int] {
        let attempts = Attempts()
        let opened = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    connect(outage, afterLoss: true) {
                        attempts.count.withLock { $0 += 1 }
                        Thread.sleep(forTimeInterval: 0.05)
                        if !isReachable { throw Refusal() }
                        return 1
                    }
                }
            }
            var opened = 0
            for await result in group { opened += result ?? 0 }
            return opened
        }
        return [attempts.count.withLock { $0 }, opened]
    }

    @Test("after connections were lost, one caller tries to connect, and the others wait for the outcome")
    func lost() async {
        // Nobody tries again during the test.
        let away = await connectAfterLoss(PostgresOutage(pause: .seconds(60)), isReachable: false)
        #expect(away == [1, 0])
        let back = await connectAfterLoss(PostgresOutage(pause: .seconds(60)), isReachable: true)
        #expect(back == [4, 4])
    }
}
