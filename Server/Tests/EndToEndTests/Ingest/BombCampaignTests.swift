import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import TestKit
import TestThreads
import Testing

/// Image bombs are harmless.
@Suite("Campaign: bombs", .blocksThreads)
struct BombCampaignTests {
    private func upload(_ fileName: String, _ bytes: [UInt8], _ port: Int, _ person: CampaignPerson) async throws -> Int {
        try await CampaignUpload.send(.file(fileName, Data(bytes)), port, person)
    }

    @Test("each bomb is refused within 100 ms of processor time and all within 256 MB, while the server stays responsive")
    func bombs() async throws {
        guard CampaignScale.runs("bombs") else { return }
        let isFull = CampaignScale.isFull("bombs")
        let installation = try Installation(.embedded, clamd: ClamdService.everybodys)
        let server = try installation.node("one")
        let person = try installation.person()
        var generator = SplitMix64(seed: 18)
        // The first round loads all code and data before the measurement.
        #expect(try await upload("a.jpg", RealFile.bytes("photo.jpg"), server.port, person) == 200)
        #expect(try await upload("a.mp4", RealFile.bytes("moov-last.mp4"), server.port, person) == 200)
        for bomb in try Bomb.all(&generator) { _ = try await upload(bomb.fileName, bomb.bytes, server.port, person) }
        let tree = ProcessTree(server.processID)
        let idle = tree.residentByteCount

        // Uploads the bombs one after the other, to measure the cost of each.
        var dearest = Duration.zero
        for bomb in try Bomb.all(&generator) {
            let cost = try await Figure.measured(until: { $0 < .milliseconds(100) }) {
                // The kernel counts in steps of 10 ms, so eight uploads give a resolution of about 1 ms.
                let before = tree.processorTime
                for _ in 0..<8 {
                    let status = try await upload(bomb.fileName, bomb.bytes, server.port, person)
                    #expect(status == 422, "\(bomb.name)")
                }
                return (tree.processorTime - before) / 8
            }
            dearest = max(dearest, cost)
            if isFull { print("bombs campaign: \(bomb.name), \(bomb.bytes.count) bytes: \(cost / .milliseconds(1)) ms of processor time") }
            #expect(cost < .milliseconds(100), "\(bomb.name): \(cost)")
        }

        // Uploads many bombs concurrently.
        let watch = Task {
            var peak = 0
            while !Task.isCancelled {
                peak = max(peak, tree.residentByteCount)
                try? await Task.sleep(for: .milliseconds(10))
            }
            return peak
        }
        let port = server.port
        let health = Task {
            var waits: [Duration] = []
            let clock = ContinuousClock()
            while !Task.isCancelled {
                let start = clock.now
                let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/health/live")
                do {
                    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
                    _ = try await response.body.collect(upTo: 1_000)
                    #expect(response.status == .ok)
                } catch is CancellationError {
                    break
                }
                waits.append(clock.now - start)
                try? await Task.sleep(for: .milliseconds(5))
            }
            return waits.sorted()
        }
        let total = isFull ? 500 : 52
        var bombs: [Bomb] = []
        while bombs.count < total { bombs += try Bomb.all(&generator) }
        var statuses: [Int: Int] = [:]
        try await withThrowingTaskGroup(of: Int.self) { group in
            var begun = 0
            func begin() {
                guard begun < total else { return }
                let bomb = bombs[begun]
                begun += 1
                group.addTask { try await upload(bomb.fileName, bomb.bytes, port, person) }
            }
            for _ in 0..<8 { begin() }
            while let status = try await group.next() {
                statuses[status, default: 0] += 1
                CampaignScale.progress(statuses.values.reduce(0, +), of: total)
                begin()
            }
        }
        watch.cancel()
        health.cancel()
        let grown = await watch.value - idle
        let waits = try await health.value
        let p99 = waits[waits.count * 99 / 100]
        print(
            "bombs campaign: \(total) bombs, statuses \(statuses), the dearest \(dearest / .milliseconds(1)) ms of processor time, memory +\(grown >> 20) MB over \(idle >> 20) MB, health p99 \(p99 / .milliseconds(1)) ms of \(waits.count)"
        )
        #expect(statuses == [422: total])
        #expect(grown < 256 << 20)
        // The small form shares the machine with other tests, so its limit is wider.
        #expect(p99 < .milliseconds(isFull ? 50 : 2_000))
        #expect(try await upload("a.jpg", RealFile.bytes("photo.jpg"), port, person) == 200)
        #expect(server.terminate() == 0)
        #expect(try await installation.fileCount() == 2)
    }

    @Test("control: a decoder without limits needs hundreds of megabytes for one bomb")
    func control() throws {
        guard CampaignScale.runs("bombs") else { return }
        let folder = try TemporaryFolder()
        try Data(Bomb.greedy()[0].bytes).write(to: URL(filePath: folder.path + "/a.png"))
        let script =
            "import resource,subprocess;subprocess.run(['ffmpeg','-v','quiet','-i','\(folder.path)/a.png','-f','null','-'],check=True);"
            + "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        let peak = Int(try Tool.run("python3", ["-c", script]).trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        print("bombs campaign, control: \(peak >> 10) MB")
        #expect(peak > 256 << 10)
    }
}
