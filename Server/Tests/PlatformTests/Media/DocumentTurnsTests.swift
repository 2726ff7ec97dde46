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

    @Test("while a document has its turn, its jobs hold a turn, in the name of its account")
    func held() async throws {
        try await WorkerFixture.run { workers in
            let reader = DocumentReader(workers: workers, tool: SandboxedTool(WorkerFixture.options))
            let ada = Requester(account: "ada", network: nil)
            let noted = Guarded<[Bool]>([])
            _ = try await reader.text(of: .text, for: ada, timeout: .seconds(20)) { _ in
                noted.withLock { $0.append(Requester.holdsTurn && Requester.current == ada) }
                return nil
            }
            #expect(noted.value == [true] && !Requester.holdsTurn)
        }
    }

    @Test("accounts of one network read at most three documents at a time, so that a document of another network does not wait")
    func networks() async throws {
        try await WorkerFixture.run { workers in
            let reader = DocumentReader(workers: workers, tool: SandboxedTool(WorkerFixture.options))
            let (begun, mayEnd) = (Guarded<Set<String>>([]), Guarded(false))
            @Sendable func read(_ account: String, _ network: Network?) -> Task<String?, any Error> {
                Task {
                    try await reader.text(of: .text, for: Requester(account: account, network: network), timeout: .seconds(20)) { _ in
                        begun.withLock { _ = $0.insert(account) }
                        while !mayEnd.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
                        return account
                    }
                }
            }
            var tasks = ["ada", "ben", "eve"].map { read($0, Network(ipv4: 1)) }
            try await WorkerFixture.eventually { begun.value.count == 3 }
            tasks.append(read("fay", Network(ipv4: 1)))
            try await WorkerFixture.eventually { reader.waiting == 1 }
            tasks.append(read("gus", Network(ipv4: 2)))
            try await WorkerFixture.eventually { begun.value.count == 4 }
            #expect(begun.value == ["ada", "ben", "eve", "gus"])
            mayEnd.withLock { $0 = true }
            for task in tasks { #expect(try await task.value != nil) }
        }
    }
}
