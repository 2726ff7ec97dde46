import Database
import DatabaseEngines
import TestKit
import TestThreads
import Testing

@Suite("Campaign: retries", .blocksThreads)
struct RetryCampaignTests {
    /// On PostgreSQL two nodes run, and one of them is killed repeatedly. Only one process may open SQLite, so there the single node is
    /// killed.
    private func run(
        _ pair: StoragePair, keys: Int, killEvery pause: Duration?, sendsKeys: Bool = true
    ) async throws -> RetryReport {
        let installation = try Installation(pair)
        let survivor = pair == .shared ? try installation.node("one") : nil
        var victim = try installation.node("two")
        let ports = NodePorts()
        ports.set([survivor?.port, victim.port].compactMap { $0 })
        let load = RetryLoad(try installation.person(), ports, sendsKeys: sendsKeys)
        let working = Task { try await load.run(keys: keys) { CampaignScale.progress($0, of: keys) } }
        var kills = 0
        if let pause {
            while load.counted.keys < keys * 9 / 10 {
                // The pause grows with each kill, so that even a slow machine finishes requests between kills.
                try await Task.sleep(for: pause * (1 + Double(kills) / 40))
                victim.killNow()
                kills += 1
                victim = try installation.node("two")
                ports.set([survivor?.port, victim.port].compactMap { $0 })
            }
        }
        try await working.value
        var report = load.counted
        report.kills = kills
        let database = try await #require(DatabaseAddress(installation.database)).open(connections: 1)
        report.rows = try await database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM media")!.get("n") }
        try await database.close()
        _ = survivor?.terminate()
        _ = victim.terminate()
        return report
    }

    @Test("five requests with the same key make one row, while nodes are killed", arguments: StoragePair.allCases)
    func once(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("retries") else { return }
        let isFull = CampaignScale.isFull("retries")
        // The single node on SQLite answers nothing until it has started again, so it gets fewer keys and more time between kills.
        let keys = isFull ? 10_000 : pair == .shared ? 120 : 60
        let pause = Duration.milliseconds(isFull ? 10_000 : pair == .shared ? 250 : 400)
        let report = try await run(pair, keys: keys, killEvery: pause)
        print("retries campaign, \(pair): \(report.line)")
        #expect(report.kills > 0)
        #expect(report.rows == keys && report.keys == keys)
        #expect(report.disagreeing == 0)
    }

    @Test("control: without keys, five requests make five rows")
    func control() async throws {
        guard CampaignScale.runs("retries") else { return }
        let report = try await run(.shared, keys: 10, killEvery: nil, sendsKeys: false)
        #expect(report.rows == 50 && report.disagreeing == 10)
    }
}
