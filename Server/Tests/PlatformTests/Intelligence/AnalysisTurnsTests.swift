import Core
import Foundation
import MediaTools
import Synchronization
import TestThreads
import Testing

@testable import Intelligence

@Suite("Local engine: turns", .blocksThreads)
struct AnalysisTurnsTests {
    private final class Order: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ name: String) { all.withLock { $0.append(name) } }
        var names: [String] { all.withLock { $0 } }
    }

    private static func input(of owner: String) -> CaptureInput {
        CaptureInput(
            capture: "c", owner: owner, at: Timestamp(seconds: 0), zone: .gmt,
            transcription: "Just met with John at the coffee shop to discuss the project.")
    }

    private static func analyse(_ owner: String, _ analyzer: LocalAnalyzer, _ order: Order) async throws {
        _ = try await analyzer.analyse(input(of: owner))
        order.add(owner)
    }

    @Test("an account with many captures delays another account's by one analysis, and uses one of two processors")
    func turns() async throws {
        try await WorkerFixture.run { workers in
            let work = FairWork(LocalAnalyzer.limits(processors: 2))
            let analyzer = LocalAnalyzer(workers: workers, work: work)
            let held = try await work.turn(Requester(account: "greedy", network: nil))
            let order = Order()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { try await Self.analyse("greedy", analyzer, order) } }
                try await WorkerFixture.eventually { work.counts.waiting == 20 }
                group.addTask { try await Self.analyse("modest", analyzer, order) }
                try await WorkerFixture.eventually { work.counts.waiting == 21 }
                held.release()
                try await group.waitForAll()
            }
            // The modest account's analysis is the second. The next analysis may end before the test notes an earlier one, so it may also
            // be third.
            #expect(order.names.count == 21 && order.names.prefix(3).contains("modest"), "\(order.names)")
            #expect(work.counts == (0, 0))
        }
    }

    @Test("one account has one turn at a time, and another account's analysis runs beside it")
    func share() async throws {
        try await WorkerFixture.run { workers in
            let work = FairWork(LocalAnalyzer.limits(processors: 4))
            let analyzer = LocalAnalyzer(workers: workers, work: work)
            let held = try await work.turn(Requester(account: "greedy", network: nil))
            let waiting = Task { try await analyzer.analyse(Self.input(of: "greedy")) }
            try await WorkerFixture.eventually { work.counts.waiting == 1 }
            let analysis = try await analyzer.analyse(Self.input(of: "modest"))
            #expect(analysis.mentionedNames == ["John"] && work.counts == (1, 1))
            held.release()
            _ = try await waiting.value
        }
    }
}
