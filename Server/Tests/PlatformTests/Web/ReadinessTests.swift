import Foundation
import Logging
import Synchronization
import Testing

@testable import Web

@Suite("Readiness")
struct ReadinessTests {
    private final class Runs: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }

        func next() -> Int {
            number.withLock { number in
                number += 1
                return number
            }
        }
    }

    private struct Away: Error {}

    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("however many requests there are, the checks run once, and their results are kept")
    func once() async {
        let runs = Runs()
        let readiness = Readiness(
            [
                Operations.Check("rows") {
                    _ = runs.next()
                    try await Task.sleep(for: .milliseconds(50))
                },
                Operations.Check("files") { throw Away() },
            ], keeping: .seconds(3_600))
        let all = await withTaskGroup(of: [String: Bool].self) { group in
            for _ in 0..<100 { group.addTask { [logger] in await readiness.results(logger) } }
            return await group.reduce(into: Set<[String: Bool]>()) { $0.insert($1) }
        }
        let later = await readiness.results(logger)
        #expect(all == [["rows": true, "files": false]] && later == ["rows": true, "files": false])
        #expect(runs.count == 1)
    }

    @Test("results that are no longer kept are found again")
    func again() async {
        let runs = Runs()
        let readiness = Readiness([Operations.Check("rows") { if runs.next() == 1 { throw Away() } }], keeping: .zero)
        let results = [await readiness.results(logger), await readiness.results(logger)]
        #expect(results == [["rows": false], ["rows": true]] && runs.count == 2)
    }

    @Test("after a while, requests no longer wait for a run that hangs", .timeLimit(.minutes(1)))
    func hangs() async throws {
        let runs = Runs()
        let (hanging, end) = AsyncStream.makeStream(of: Void.self)
        let readiness = Readiness(
            [
                Operations.Check("rows") {
                    guard runs.next() == 1 else { return }
                    for await _ in hanging {}
                    throw Away()
                }
            ], keeping: .seconds(3_600), joining: .milliseconds(50))
        let first = Task { [logger] in await readiness.results(logger) }
        while runs.count == 0 { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .milliseconds(100))
        #expect(await readiness.results(logger) == ["rows": true])
        end.finish()
        #expect(await first.value == ["rows": false])
        // The results of the later run are kept.
        #expect(await readiness.results(logger) == ["rows": true])
        #expect(runs.count == 2)
    }

    @Test("a request that is cancelled does not stop the checks for the others")
    func cancelled() async {
        let runs = Runs()
        let readiness = Readiness(
            [
                Operations.Check("rows") {
                    _ = runs.next()
                    try await Task.sleep(for: .milliseconds(50))
                }
            ], keeping: .seconds(3_600))
        let first = Task { [logger] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await readiness.results(logger)
        }
        let results = [await first.value, await readiness.results(logger)]
        #expect(results == [["rows": true], ["rows": true]] && runs.count == 1)
    }
}
