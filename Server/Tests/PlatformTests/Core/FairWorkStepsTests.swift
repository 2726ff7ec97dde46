import Core
import Dispatch
import Synchronization
import TestKit
import TestThreads
import Testing

@Suite("Long work in turns", .blocksThreads)
struct FairWorkStepsTests {
    private final class Names: Sendable {
        private let all = Mutex<[String]>([])
        var list: [String] { all.withLock { $0 } }
        func add(_ name: String) { all.withLock { $0.append(name) } }
    }

    /// Computes four steps for Ada. During the first one, Bob begins to wait for a turn.
    /// - Returns: whose steps ran, in their order.
    private static func order(
        _ ada: @escaping @Sendable (FairWork, @escaping @Sendable (inout Int) throws -> Bool) async throws -> Int
    ) async throws -> [String] {
        let threads = ComputingThreads(ThreadPool("turns", count: 1))
        let work = FairWork(FairSemaphore.Limits(permits: 1, permitsPerKey: 1, waiting: 2, waitingPerKey: 1), threads: threads)
        let names = Names()
        let gate = DispatchSemaphore(value: 0)
        let long = Task {
            try await ada(work) { count in
                if count == 0 { gate.wait() }
                names.add("ada")
                count += 1
                return count < 4
            }
        }
        try await WorkerFixture.eventually { work.counts.working == 1 }
        let short = Task {
            let turn = try await work.turn(Requester(account: "bob", network: nil))
            defer { turn.release() }
            try await work.compute { names.add("bob") }
        }
        try await WorkerFixture.eventually { work.counts.waiting == 1 }
        gate.signal()
        #expect(try await long.value == 4)
        try await short.value
        #expect(work.counts == (0, 0))
        return names.list
    }

    @Test("another account waits for one part of a long computation; control: for all of it if the computation keeps its turn")
    func parts() async throws {
        let ada = Requester(account: "ada", network: nil)
        let renewed = try await Self.order { work, step in try await work.computeInTurns(from: 0, for: ada, partTime: .zero, step: step) }
        #expect(renewed == ["ada", "bob", "ada", "ada", "ada"])
        let kept = try await Self.order { work, step in
            let turn = try await work.turn(ada)
            defer { turn.release() }
            return try await work.compute(from: 0, partTime: .zero, step: step)
        }
        #expect(kept == ["ada", "ada", "ada", "ada", "bob"])
    }
}
