import Core
import Foundation
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
            let readings = Readings(workers)
            let first = readings.begin("ada's first", of: "ada", from: .job)
            try await WorkerFixture.eventually { readings.begun == ["ada's first"] }
            let second = readings.begin("ada's second", of: "ada", from: .job)
            let other = readings.begin("ben's", of: "ben", from: .job)
            try await WorkerFixture.eventually { readings.begun.count == 2 && readings.reader.waiting == 1 }
            #expect(readings.begun == ["ada's first", "ben's"])
            readings.endAll()
            #expect(try await first.value == "ada's first")
            #expect(try await other.value == "ben's")
            #expect(try await second.value == "ada's second")
        }
    }

    @Test("while a document has its turn, its jobs hold a turn, in the name of its account", arguments: DocumentReader.Caller.allCases)
    func held(_ caller: DocumentReader.Caller) async throws {
        try await WorkerFixture.run { workers in
            let reader = DocumentReader(workers: workers, tool: SandboxedTool(WorkerFixture.options))
            let ada = Requester(account: "ada", network: nil)
            let noted = Guarded<[Bool]>([])
            _ = try await reader.text(of: .text, for: ada, from: caller, timeout: .seconds(20)) { _ in
                noted.withLock { $0.append(Requester.holdsTurn && Requester.current == ada) }
                return nil
            }
            #expect(noted.value == [true] && !Requester.holdsTurn)
        }
    }

    @Test("requests of one network read one document at a time, so that a document of another network does not wait")
    func networks() async throws {
        try await WorkerFixture.run { workers in
            let readings = Readings(workers)
            var tasks = [readings.begin("ada", of: "ada", network: 1, from: .request)]
            try await WorkerFixture.eventually { readings.begun.count == 1 }
            tasks.append(readings.begin("ben", of: "ben", network: 1, from: .request))
            try await WorkerFixture.eventually { readings.reader.waiting == 1 }
            tasks.append(readings.begin("gus", of: "gus", network: 2, from: .request))
            try await WorkerFixture.eventually { readings.begun.count == 2 }
            #expect(readings.begun == ["ada", "gus"])
            readings.endAll()
            for task in tasks { #expect(try await task.value != nil) }
        }
    }

    @Test("a document that takes long keeps its turn while only its own account waits; in a job, it always keeps it")
    func kept() async throws {
        try await WorkerFixture.run { workers in
            let readings = Readings(workers, shortTime: .milliseconds(20))
            // Two jobs read documents, and one waits. A request does not wait for them.
            let jobs = ["ada", "ben", "eve"].map { readings.begin("job of \($0)", of: $0, from: .job) }
            try await WorkerFixture.eventually { readings.begun.count == 2 && readings.reader.waiting == 1 }
            let first = readings.begin("first", of: "ada", from: .request)
            try await WorkerFixture.eventually { readings.begun.last == "first" }
            let second = readings.begin("second", of: "ada", from: .request)
            try await WorkerFixture.eventually { readings.reader.waiting == 2 }
            try await Task.sleep(for: .milliseconds(200))
            #expect(readings.begun.count == 3 && readings.reader.waiting == 2)
            // The document of another account waits now, and its account has used less time.
            let other = readings.begin("other", of: "ben", from: .request)
            await #expect(throws: MediaFailure.timedOut) { _ = try await first.value }
            try await WorkerFixture.eventually { readings.begun.count >= 4 }
            #expect(readings.begun[3] == "other")
            readings.endAll()
            for job in jobs { #expect(try await job.value != nil) }
            for task in [second, other] { _ = await task.result }
        }
    }

    @Test("the account whose documents took the least time is next", arguments: DocumentReader.Caller.allCases)
    func timeUsed(_ caller: DocumentReader.Caller) async throws {
        try await WorkerFixture.run { workers in
            let readings = Readings(workers)
            // Requests without a network share one turn, because the other one is only for networks. Of the two turns of jobs, another
            // account holds one.
            var tasks = caller == .job ? [readings.begin("holder", of: "holder", from: caller)] : []
            let held = tasks.count
            try await WorkerFixture.eventually { readings.begun.count == held }
            func begin(_ name: String, of account: String) async throws {
                let count = readings.begun.count + readings.reader.waiting
                tasks.append(readings.begin(name, of: account, from: caller))
                try await WorkerFixture.eventually { readings.begun.count + readings.reader.waiting == count + 1 }
            }
            try await begin("first", of: "first")
            try await begin("long", of: "ada")
            try await begin("short", of: "ben")
            readings.end("first")
            try await WorkerFixture.eventually { readings.begun.last == "long" }
            try await Task.sleep(for: .milliseconds(600))
            readings.end("long")
            try await WorkerFixture.eventually { readings.begun.last == "short" }
            // By their last turns, Ada would be next.
            try await begin("long again", of: "ada")
            try await begin("short again", of: "ben")
            readings.end("short")
            try await WorkerFixture.eventually { readings.begun.count == held + 4 }
            #expect(readings.begun.last == "short again")
            readings.endAll()
            for task in tasks { #expect(try await task.value != nil) }
        }
    }

    @Test("while eight accounts of four networks read documents that take very long, a small document waits for a short time")
    func slow() async throws {
        try await WorkerFixture.run { workers in
            var programs = DocumentReader.Programs()
            programs.pdftotext = WorkerFixture.here.appending(path: "slow-tool.sh").path
            let reader = DocumentReader(
                workers: workers, tool: SandboxedTool(WorkerFixture.options), programs: programs, shortTime: .milliseconds(500))
            @Sendable func read(_ kind: DocumentKind, of account: String, _ network: UInt32) async throws -> String? {
                let requester = Requester(account: account, network: Network(ipv4: network))
                return try await reader.text(of: kind, for: requester, from: .request, timeout: .seconds(60)) { read in
                    let file = try MemoryFile(Array("The lighthouse".utf8))
                    return try await read(file.descriptor)
                }
            }
            // The first document starts the media worker.
            #expect(try await read(.text, of: "first", 8) == "The lighthouse")
            let stoppedCount = Guarded(0)
            let attack = (0..<8).map { number -> Task<Void, any Error> in
                Task {
                    while !Task.isCancelled {
                        do {
                            _ = try await read(.pdf, of: "\(number)", UInt32(number % 4))
                        } catch MediaFailure.timedOut {
                            stoppedCount.withLock { $0 += 1 }
                        }
                    }
                }
            }
            defer { for task in attack { task.cancel() } }
            // Each document that ends is followed by another one, so all turns are taken.
            try await WorkerFixture.eventually { stoppedCount.value >= 4 }
            let begin = ContinuousClock.now
            #expect(try await read(.text, of: "victim", 9) == "The lighthouse")
            let time = ContinuousClock.now - begin
            // Without the short time, it would wait for a minute.
            #expect(time < .seconds(20))
            for task in attack { task.cancel() }
            for task in attack { _ = await task.result }
        }
    }
}

/// Documents that a test reads. Each takes until the test ends it.
private final class Readings: Sendable {
    let reader: DocumentReader
    private let names = Guarded<[String]>([])
    private let ended = Guarded<Set<String>>([])
    private let allMayEnd = Guarded(false)

    /// - Parameter shortTime: by default, longer than a test.
    init(_ workers: MediaWorkers, shortTime: Duration = .seconds(600)) {
        reader = DocumentReader(workers: workers, tool: SandboxedTool(WorkerFixture.options), shortTime: shortTime)
    }

    /// The names of the documents whose turn has begun, in this order.
    var begun: [String] { names.value }

    /// - Returns: a task whose value is the document's name.
    func begin(
        _ name: String, of account: String, network: UInt32? = nil, from caller: DocumentReader.Caller
    ) -> Task<String?, any Error> {
        let requester = Requester(account: account, network: network.map { Network(ipv4: $0) })
        return Task {
            try await reader.text(of: .text, for: requester, from: caller, timeout: .seconds(20)) { [self] _ in
                names.withLock { $0.append(name) }
                while !allMayEnd.value, !ended.value.contains(name) { try await Task.sleep(for: .milliseconds(5)) }
                return name
            }
        }
    }

    func end(_ name: String) { ended.withLock { _ = $0.insert(name) } }
    func endAll() { allMayEnd.withLock { $0 = true } }
}
