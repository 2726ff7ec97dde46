import Foundation
import TestKit
import TestThreads
import Testing

/// The primary is killed under load, and its standby takes its place.
@Suite("Campaign: failover", .blocksThreads)
struct FailoverCampaignTests {
    private struct Report {
        var failovers = 0
        var acknowledged = 0
        var lost = 0
        var doubled = 0
        var retries = 0
        /// The longest time from the death of the primary to the next acknowledged write.
        var slowest = Duration.zero
        var failed: [String] = []

        var line: String {
            "\(failovers) failovers, \(acknowledged) rows acknowledged, \(lost) lost, \(doubled) doubled, \(retries) requests retried, at most \(slowest) without a write"
        }
    }

    /// Fails over `count` times, and compares the rows after each.
    private static func run(
        _ count: Int, _ pair: PostgresPair, _ replication: PostgresPair.Replication, delay: Duration = .zero
    ) async throws -> Report {
        var report = Report()
        for round in 0..<count {
            try pair.attachStandby(replication, delay: delay)
            // Each round has new people, because the rows that a failover loses may include an account's tokens.
            let cluster = try NodeCluster(1, database: pair.address)
            let client = RetryingClient(url: cluster.url, timeout: .seconds(10), patience: .seconds(120))
            let people = try await ClusterLoad.people(2, client)
            // Waits until the standby has received what was written before the load.
            try await Task.sleep(for: delay * 3)
            let load = ClusterLoad(client, people, mix: [.mood])
            let working = Task { await load.run(clients: 4) }
            try await Task.sleep(for: .milliseconds(Int.random(in: 700...1_500)))
            let before = load.ledger.acknowledged
            let start = ContinuousClock.now
            try pair.failOver()
            // The node recovers without a restart.
            for _ in 0..<6_000 where load.ledger.acknowledged <= before + 8 { try await Task.sleep(for: .milliseconds(10)) }
            report.slowest = max(report.slowest, ContinuousClock.now - start)
            load.stop()
            await working.value
            let ledger = load.ledger
            let audit = try await ClusterAudit(ledger, people, client)
            report.failovers += 1
            report.acknowledged += ledger.acknowledged
            report.lost += audit.lost.count
            report.doubled += audit.doubled
            report.retries += client.retries
            report.failed += ledger.unanswered + ledger.wrong
            _ = cluster.stopAll()
            CampaignScale.progress(round + 1, of: count)
        }
        return report
    }

    /// The control comes first and uses the same servers: making them takes most of the time.
    @Test("no row that was acknowledged is lost with a synchronous standby; control: some are if it receives everything 200 ms later")
    func promoted() async throws {
        guard CampaignScale.runs("failover") else { return }
        let isFull = CampaignScale.isFull("failover")
        let pair = try PostgresPair(ports: (15_451, 15_452))
        let control = try await Self.run(isFull ? 5 : 1, pair, .async, delay: .milliseconds(200))
        print("failover campaign, control with an asynchronous standby: \(control.line)")
        #expect(control.lost > 0)
        let report = try await Self.run(isFull ? 20 : 1, pair, .sync)
        print("failover campaign: \(report.line)")
        #expect(report.lost == 0 && report.doubled == 0)
        #expect(report.failed.isEmpty, "\(report.failed.prefix(5))")
        #expect(report.acknowledged > report.failovers * 5)
        #expect(report.slowest < .seconds(60))
    }
}
