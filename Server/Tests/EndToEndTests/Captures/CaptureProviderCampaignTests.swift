import Foundation
import TestKit
import TestThreads
import Testing

/// `make campaign NAME=providers` tests each fault by itself, with 5 rounds of 400 captures. Other runs test all faults in turn, with 3
/// rounds of 40.
@Suite("Campaign: providers", .blocksThreads, .runsBesideFew)
struct CaptureProviderCampaignTests {
    @Test("a provider that fails delays no acknowledgement, ends in the local analysis with its error, and a retry replaces that")
    func failing() async throws {
        guard CampaignScale.runs("providers") else { return }
        if CampaignScale.isFull("providers") {
            for fault in ProviderFault.allCases {
                try await course([fault.reply], fault.rawValue, rounds: 5, count: 400, isFull: true)
            }
        } else {
            try await course(ProviderFault.allCases.map(\.reply), "all faults in turn", rounds: 3, count: 40, isFull: false)
        }
    }

    private func course(_ faults: [ModelStandIn.Reply], _ name: String, rounds: Int, count: Int, isFull: Bool) async throws {
        let replies = (0..<10_000).map { faults[$0 % faults.count] }
        try await ModelStandIn.run { healthy in
            try await ModelStandIn.run(replies) { failing in
                let idle = try Place(healthy.url)
                var broken = try Place(failing.url)
                _ = try broken.delays(5, "first")
                _ = try idle.delays(5, "first")
                // The rounds have the order A B B A, so that a change of the machine's load affects both servers.
                let measure = { (attempt: Int) throws -> (idle: Double, broken: Double) in
                    var (usual, others): ([Double], [Double]) = ([], [])
                    for round in 0..<rounds {
                        let prefix = "m\(attempt)-\(round)"
                        if round % 2 == 0 {
                            usual.append(Self.high(try idle.delays(count, prefix)))
                            others.append(Self.high(try broken.delays(count, prefix)))
                        } else {
                            others.append(Self.high(try broken.delays(count, prefix)))
                            usual.append(Self.high(try idle.delays(count, prefix)))
                        }
                    }
                    return (Self.median(usual), Self.median(others))
                }
                // A busy machine may delay a single acknowledgement by more than a sync takes. A blocked acknowledgement would take as long
                // as a timeout.
                let leeway = isFull ? 0.002 : 0.1
                var attempt = 0
                let found = try await Figure.measured(until: { $0.broken <= max(1.5 * $0.idle, $0.idle + leeway) }) {
                    attempt += 1
                    return try measure(attempt)
                }
                print(
                    """
                    providers, \(name): p99 of acknowledgements \(Self.milliseconds(found.broken)) ms, \
                    idle \(Self.milliseconds(found.idle)) ms, \(failing.calls.count) calls
                    """)
                #expect(found.broken <= max(1.5 * found.idle, found.idle + leeway))
                #expect(!failing.calls.isEmpty && !healthy.calls.isEmpty)

                let local = try await broken.settled(hastening: !isFull)
                #expect(local.count >= rounds * count && local.processed == local.count, "\(local)")
                #expect(local.engines == ["local"] && local.errors == local.count, "\(local)")

                failing.reply([], then: .writes(ModelStandIn.analysis(names: ["John"])))
                // A new process knows nothing of the failures. After them, the old one would wait before its next call.
                if !isFull { try broken.restart() }
                try await broken.retry(until: isFull ? .seconds(900) : .seconds(60))
                let replaced = try await broken.stored()
                #expect(replaced.engines == ["openai"] && replaced.errors == 0, "\(replaced)")
                #expect(try await idle.settled(hastening: false).engines == ["openai"])
                idle.server.killNow()
                broken.server.killNow()
            }
        }
    }

    /// The 99th percentile.
    private static func high(_ delays: [Double]) -> Double { delays.sorted()[Int((0.99 * Double(delays.count - 1)).rounded())] }
    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    private static func milliseconds(_ seconds: Double) -> String { String(format: "%.1f", seconds * 1_000) }

    /// A server whose captures one provider analyses.
    private struct Place {
        private let installation: Installation
        private(set) var server: ServerProcess
        private let person: CampaignPerson

        init(_ provider: String) throws {
            installation = try Installation(
                .embedded,
                settings: ["KEEPSAKE_ANALYZER": "openai", "KEEPSAKE_ANALYZER_URL": provider, "KEEPSAKE_ANALYZER_TIMEOUT": "1"])
            person = try installation.person()
            server = try installation.node("one")
        }

        mutating func restart() throws {
            server.killNow()
            server = try installation.node("one")
        }

        /// Sends captures one after the other. Returns the seconds until each acknowledgement.
        func delays(_ count: Int, _ prefix: String) throws -> [Double] {
            let phone = try CapturePhone(server, person)
            return try (0..<count).map { try phone.take("\(prefix)-\($0)", ["transcription": "Just met with John, \(prefix) \($0)."]) }
        }

        func stored() async throws -> StoredCaptures { try await StoredCaptures.read(installation.database, of: person) }

        /// Waits until all captures are processed.
        func settled(hastening: Bool) async throws -> StoredCaptures {
            let deadline = ContinuousClock.now + .seconds(hastening ? 90 : 1_800)
            var found = try await stored()
            while found.processed < found.count, ContinuousClock.now < deadline {
                if hastening { try await StoredCaptures.hasten(installation.database) }
                try await Task.sleep(for: .milliseconds(300))
                found = try await stored()
            }
            return found
        }

        /// Runs `keepsake jobs retry` until the provider has analysed every capture.
        func retry(until limit: Duration) async throws {
            let deadline = ContinuousClock.now + limit
            while ContinuousClock.now < deadline {
                let run = try installation.command(["jobs", "retry", "--all", "--kind", "captures/analyse"])
                #expect(run.status == 0, "\(run.errors)")
                for _ in 0..<10 {
                    let found = try await stored()
                    if found.errors == 0, found.engines == ["openai"] { return }
                    try await Task.sleep(for: .milliseconds(500))
                }
            }
        }
    }
}
