import Core
import MediaFrames
import MediaTools
import TestKit
import TestThreads
import Testing

@Suite("Turns of documents", .blocksThreads)
struct DocumentTurnsTests {
    @Test("a document waits for its turn before it gets a local file")
    func fileAfterTurn() async throws {
        try await WorkerFixture.run { workers in
            let reader = DocumentReader(workers: workers, tool: SandboxedTool(WorkerFixture.options))
            let (begun, mayEnd) = (Guarded<[String]>([]), Guarded(false))
            @Sendable func read(_ name: String, of account: String) async throws -> String? {
                try await reader.text(of: .text, for: Requester(account: account, network: nil), timeout: .seconds(20)) { _ in
                    begun.withLock { $0.append(name) }
                    while !mayEnd.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
                    return name
                }
            }
            func reach(_ count: Int) async throws {
                let end = ContinuousClock.now + .seconds(9)
                while begun.withLock({ $0.count }) < count, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
            }
            let first = Task { try await read("ada's first", of: "ada") }
            try await reach(1)
            let second = Task { try await read("ada's second", of: "ada") }
            let other = Task { try await read("ben's", of: "ben") }
            try await reach(2)
            #expect(begun.withLock { $0 } == ["ada's first", "ben's"])
            mayEnd.withLock { $0 = true }
            #expect(try await first.value == "ada's first")
            #expect(try await other.value == "ben's")
            #expect(try await second.value == "ada's second")
        }
    }
}
