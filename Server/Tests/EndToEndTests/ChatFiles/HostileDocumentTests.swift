import Foundation
import NIOCore
import TestKit
import TestThreads
import Testing

/// The most memory and processor time that one of a server's worker processes took while it was watched.
private struct WorkerWatch {
    private let task: Task<(bytes: Int, time: Duration), Never>

    init(_ server: Int32) {
        task = Task {
            var most = (bytes: 0, time: Duration.zero)
            while !Task.isCancelled {
                for worker in ProcessTree(server).members.dropFirst() {
                    most.bytes = max(most.bytes, ProcessTree.residentByteCount(of: worker))
                    most.time = max(most.time, ProcessTree(worker).processorTime)
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
            return most
        }
    }

    func stop() async -> (bytes: Int, time: Duration) {
        task.cancel()
        return await task.value
    }
}

/// Hostile archives and documents are harmless.
@Suite("Campaign: documents", .blocksThreads, .runsAlone)
struct HostileDocumentTests {
    @Test("each hostile document costs the server at most 100 ms of processor time, and delays nobody else's upload")
    func documents() async throws {
        guard CampaignScale.runs("documents") else { return }
        let isFull = CampaignScale.isFull("documents")
        let installation = try Installation(.embedded, settings: ["KEEPSAKE_DOCUMENT_SECONDS": "1"])
        let server = try installation.node("one")
        defer { server.killNow() }
        let eve = ChatFileClient(port: server.port, person: try installation.person("eve@example.org"))
        let ada = ChatFileClient(port: server.port, person: try installation.person("ada@example.org"))
        var generator = SplitMix64(seed: 21)
        // The first uploads load all code and data before the measurement.
        #expect(try await eve.upload("a.docx", ZipBytes.docx(["words"])) == 200)
        #expect(try await eve.upload("a.pdf", DocumentBytes.pdf("words")) == 200)
        let workers = WorkerWatch(server.processID)
        var dearest = (name: "", seconds: 0.0)
        var count = 0
        repeat {
            // The small form uploads two of three documents.
            for (number, document) in HostileDocument.all(&generator).enumerated() where isFull || !number.isMultiple(of: 3) {
                let cost = try await Figure.measured(until: { $0 < 0.1 }) {
                    let before = try server.processorSeconds()
                    let status = try await eve.upload(document.fileName, document.data)
                    #expect(status == (document.isRefused ? 400 : 200), "\(document.name): \(status)")
                    return try server.processorSeconds() - before
                }
                if cost > dearest.seconds { dearest = (document.name, cost) }
                #expect(cost <= 0.1, "\(document.name): \(cost) s")
                count += 1
                CampaignScale.progress(min(count, 100), of: 100)
            }
        } while isFull && count < 100

        // Eve keeps eight uploads of hostile documents in flight.
        let documents = HostileDocument.all(&generator)
        let attack = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<8 {
                    group.addTask {
                        var next = lane
                        while !Task.isCancelled {
                            let document = documents[next % documents.count]
                            // Refusals for too many uploads at once are not counted here.
                            _ = try? await eve.upload(document.fileName, document.data)
                            next += 3
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await Task.sleep(for: .seconds(1))
        var waits: [Duration] = []
        for number in 0..<(isFull ? 100 : 8) {
            let start = ContinuousClock.now
            let data = number.isMultiple(of: 2) ? Data("words \(number)".utf8) : DocumentBytes.pdf("words \(number)")
            #expect(try await ada.upload(number.isMultiple(of: 2) ? "a.txt" : "a.pdf", data) == 200)
            waits.append(.now - start)
        }
        attack.cancel()
        try await attack.value
        let worker = await workers.stop()
        let slowest = waits.max() ?? .zero
        print(
            "documents campaign: \(count) documents, the dearest \(Int(dearest.seconds * 1_000)) ms of the server (\(dearest.name)); "
                + "another account's upload takes at most \(slowest / .milliseconds(1)) ms; a worker takes at most \(worker.bytes >> 20) MB "
                + "and \(worker.time / .milliseconds(1)) ms of a processor, of those seen")
        // The limits that Server/Apps/keepsake-media/Tool.swift sets for a program that reads documents.
        #expect(worker.bytes > 0 && worker.bytes <= 1_024 << 20)
        #expect(worker.time <= .seconds(60))
        // The uploads of both accounts share two cores.
        #expect(slowest < .seconds(3))
    }

    @Test("eight large uploads at once stay within 32 MB above idle")
    func memory() async throws {
        guard CampaignScale.runs("documents") else { return }
        // The small form uses files of 16 MB to take less time. They would exceed the memory limit, too, if the server kept them in memory.
        let size = CampaignScale.isFull("documents") ? 100 << 20 : 16 << 20
        let installation = try Installation(.embedded)
        let server = try installation.node("one")
        defer { server.killNow() }
        let client = ChatFileClient(port: server.port, person: try installation.person())
        let process = server.processID
        let piece = ByteBuffer(bytes: Data(String(repeating: "a line of a long text\n", count: 50_000).utf8))
        let files: [(name: String, head: Data)] = [("a.txt", Data()), ("a.pdf", Data("%PDF-1.4\n".utf8))]
        @Sendable func upload(_ number: Int, _ byteCount: Int) async throws -> Int {
            let file = files[number % files.count]
            // Each file is different: equal ones would share their bytes.
            let head = file.head + Data("number \(number)\n".utf8)
            return try await client.upload(file.name, head, padding: piece, byteCount: byteCount)
        }
        for number in 0..<2 { #expect(try await upload(number, 20 << 20) == 200) }
        let grown = try await Figure.measured(until: { $0 < 32 << 20 }) {
            try await Task.sleep(for: .seconds(1))
            let idle = ProcessTree.residentByteCount(of: process)
            let watch = Task {
                var peak = 0
                while !Task.isCancelled {
                    peak = max(peak, ProcessTree.residentByteCount(of: process))
                    try? await Task.sleep(for: .milliseconds(10))
                }
                return peak
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 2..<10 { group.addTask { try await upload(number, size) } }
                for try await status in group { #expect(status == 200) }
            }
            watch.cancel()
            return await watch.value - idle
        }
        print("documents campaign: eight uploads of \(size >> 20) MB take \(grown >> 20) MB above idle")
        #expect(grown < 32 << 20)
    }
}
