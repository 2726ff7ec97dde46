import Foundation
import TestKit
import TestThreads
import Testing

@testable import keepsake

/// Overload degrades performance gradually. `make campaign NAME=overload` runs this for a minute, `make test` for two seconds. Uses h2load.
@Suite("Campaign: overload", .blocksThreads, .runsAlone)
struct OverloadCampaignTests {
    private struct Load {
        let good: Double
        let refused: Int
        let broken: Int

        /// - Parameters:
        ///   - rate: requests per second in total; with `nil`, each client sends the next request after a response.
        init(_ port: Int, _ person: CampaignPerson, clients: Int, seconds: Int, rate: Int? = nil) throws {
            var arguments = [
                "--h1", "-c", "\(clients)", "-D", "\(seconds)", "-T", "20", "-H", "Authorization: Bearer \(person.token)",
            ]
            if let rate { arguments += ["--rps", "\(max(1, rate / clients))"] }
            let text = try Tool.run("h2load", arguments + ["http://127.0.0.1:\(port)\(person.library)?limit=20"])
            func number(_ pattern: some RegexComponent<(Substring, Substring)>) -> Int {
                text.firstMatch(of: pattern).flatMap { Int($0.1) } ?? 0
            }
            good = Double(number(/status codes: (\d+) 2xx/)) / Double(seconds)
            refused = number(/, (\d+) 5xx/)
            broken = number(/, (\d+) errored/) + number(/, (\d+) timeout/)
        }
    }

    @Test("at ten times its capacity the server keeps its memory limit and most of its throughput, and recovers afterwards")
    func overload() async throws {
        guard CampaignScale.runs("overload") else { return }
        let isFull = CampaignScale.isFull("overload")
        OpenFiles.raiseLimit()
        let installation = try Installation(.embedded)
        let server = try installation.node("one")
        let person = try installation.person()
        for number in 0..<20 {
            let body = MultipartBody.file("\(number).mp4", Film.bytes(1_000 + number))
            let status = try await CampaignUpload.send(body, server.port, person)
            #expect(status == 200)
        }
        _ = try Load(server.port, person, clients: 32, seconds: 1)
        let (port, process) = (server.port, server.processID)
        // The capacity is measured, and a busy machine can disturb each measurement, so the small form tries three times.
        let (peak, overload, after) = try await Figure.measured(
            tries: isFull ? 1 : 3, until: { $2.good > $0.good * 0.3 }
        ) { try await course(port, process, person, isFull: isFull) }
        #expect(overload.good < peak.good * 5, "the control: ten times the peak is more than the server can do")
        if isFull {
            // The small form does not expect this: within three seconds hardly any request waits so long that the server refuses it.
            #expect(overload.refused > 0)
            #expect(overload.good > peak.good * 0.8)
            #expect(after.good > peak.good * 0.9)
        } else {
            #expect(after.good > peak.good * 0.3)
        }
        #expect(server.terminate() == 0)
    }

    /// Measures the throughput at capacity, at ten times the capacity, and at capacity again.
    private func course(
        _ port: Int, _ process: Int32, _ person: CampaignPerson, isFull: Bool
    ) async throws -> (peak: Load, overload: Load, after: Load) {
        let peak = try Load(port, person, clients: 32, seconds: isFull ? 10 : 2)
        let watch = Task {
            var most = 0
            while !Task.isCancelled {
                most = max(most, ProcessTree(process).residentByteCount)
                try? await Task.sleep(for: .milliseconds(50))
            }
            return most
        }
        let overload = try await Task.detached(executorPreference: BlockingThreads.shared) { [peak] in
            try Load(port, person, clients: 1_280, seconds: isFull ? 60 : 3, rate: Int(peak.good) * 10)
        }.value
        watch.cancel()
        let memory = await watch.value
        try await Task.sleep(for: .seconds(isFull ? 3 : 1))
        let after = try Load(port, person, clients: 32, seconds: 2)
        print(
            "overload campaign: peak \(Int(peak.good)) a second; ten times as much for a while: \(Int(overload.good)) good a second (\(Int(overload.good / peak.good * 100)) %), \(overload.refused) refused, \(overload.broken) broken; \(memory >> 20) MB; afterwards \(Int(after.good)) a second"
        )
        #expect(memory < 512 << 20)
        return (peak, overload, after)
    }
}
