import Core
import Dispatch
import Synchronization
import TestThreads
import Testing
import Web

@testable import Search

@Suite("The steps of a search", .blocksThreads)
struct SearchStepsTests {
    @Test("a step has at most 256 documents and 64 KiB of text, or one document")
    func split() {
        let lengths = [Int](repeating: 10, count: 600) + [70_000, 65_536, 65_536, 1, 30_000, 30_000, 30_000]
        let steps = SearchSteps.split(lengths) { $0 }
        #expect(steps.flatMap { Array($0) } == lengths)
        #expect(steps.map(\.count) == [256, 256, 88, 1, 1, 1, 3, 1])
        #expect(SearchSteps.split([Int]()) { $0 }.isEmpty)
    }

    private static func work() -> FairWork {
        FairWork(FairSemaphore.Limits(permits: 1, permitsPerKey: 1, waiting: 1, waitingPerKey: 1))
    }

    private static func one(_ document: Int) -> Int { 1 }

    @Test("each step continues with the output of the one before")
    func output() async throws {
        let documents = Array(0..<1_000)
        let output = try await Self.work().compute([Int](), inStepsOf: documents, byteCount: Self.one) { output, step in
            output += step.map { $0 * 2 }
        }
        #expect(output == documents.map { $0 * 2 })
    }

    @Test("a search that is cancelled during a step computes no further one")
    func cancelled() async throws {
        let work = Self.work()
        let gate = DispatchSemaphore(value: 0)
        let (stream, begun) = AsyncStream.makeStream(of: Int.self)
        let search = Task {
            try await work.compute(0, inStepsOf: Array(0..<1_000), byteCount: Self.one) { output, step in
                begun.yield(step.startIndex)
                gate.wait()
                output += step.count
            }
        }
        var steps = stream.makeAsyncIterator()
        let first = await steps.next()
        #expect(first == 0)
        search.cancel()
        for _ in 0..<4 { gate.signal() }
        await #expect(throws: CancellationError.self) { try await search.value }
        begun.finish()
        let second = await steps.next()
        #expect(second == nil)
    }

    private final class Order: Sendable {
        private let all = Mutex<[String]>([])
        var names: [String] { all.withLock { $0 } }
        func add(_ name: String) { all.withLock { $0.append(name) } }
    }

    /// Runs a search of four steps and another computation on one thread. The other computation begins to wait during the first step.
    /// - Returns: the order in which they ran.
    private static func order(partTime: Duration) async throws -> [String] {
        let threads = ComputingThreads(ThreadPool("steps", count: 1))
        let limits = FairSemaphore.Limits(permits: 1, permitsPerKey: 1, waiting: 1, waitingPerKey: 1)
        let (work, other) = (FairWork(limits, threads: threads), FairWork(limits, threads: threads))
        let (gate, order) = (DispatchSemaphore(value: 0), Order())
        try await withThrowingTaskGroup(of: Void.self) { group in
            let documents = Array(0..<1_000)
            group.addTask {
                let count = try await work.compute(0, inStepsOf: documents, byteCount: Self.one, partTime: partTime) { output, step in
                    order.add("\(step.startIndex)")
                    if step.startIndex == 0 { gate.wait() }
                    output += step.count
                }
                #expect(count == 1_000)
            }
            while order.names.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            group.addTask { try await other.compute { order.add("other") } }
            while threads.waitingCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
            gate.signal()
            try await group.waitForAll()
        }
        return order.names
    }

    @Test("a search continues without waiting for a thread until its time is over, and then leaves the thread to other work")
    func parts() async throws {
        let short = try await Self.order(partTime: .seconds(600))
        #expect(short == ["0", "256", "512", "768", "other"])
        let long = try await Self.order(partTime: .zero)
        #expect(long == ["0", "other", "256", "512", "768"])
    }
}
