import TestKit
import TestThreads
import Testing

@Suite("Campaign: kill", .blocksThreads, .runsAlone)
struct KillCampaignTests {
    @Test("no acknowledged upload is missing or different after kill -9", arguments: CampaignScale.pairs)
    func killed(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("kill") else { return }
        // radosgw keeps its objects in memory, which has room for those of 200 rounds.
        let (full, small) = pair == .embedded ? (1_000, 6) : (200, 3)
        let rounds = CampaignScale.isFull("kill") ? full : small
        let folder = try TemporaryFolder()
        let stores = try TestStores(pair)
        var campaign = CrashCampaign(crash: { $0.killNow() }, data: folder.path)
        campaign.environment.merge(try stores.environment()) { $1 }
        let report = try await campaign.run(rounds: rounds) { CampaignScale.progress($0, of: rounds) }
        print("kill campaign, \(pair): \(report.line)")
        #expect(report.acknowledged > rounds)
        #expect(report.lost == 0 && report.halfFiles == 0)
        #expect(report.verifyFailures.isEmpty, "\(report.verifyFailures)")
        // The small form shares the machine with other tests, so its limit is wider.
        #expect(report.slowestStart < .seconds(CampaignScale.isFull("kill") ? 2 : 20))
        withExtendedLifetime(stores) {}
    }
}
