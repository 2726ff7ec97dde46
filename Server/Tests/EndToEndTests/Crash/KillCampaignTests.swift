import TestKit
import TestThreads
import Testing

@Suite("Campaign: kill", .blocksThreads, .runsAlone)
struct KillCampaignTests {
    @Test("no acknowledged upload is missing or different after kill -9")
    func killed() async throws {
        let rounds = CampaignScale.isFull("kill") ? 1_000 : 12
        guard CampaignScale.runs("kill") else { return }
        let folder = try TemporaryFolder()
        var campaign = CrashCampaign(crash: { $0.killNow() }, data: folder.path)
        let report = try await campaign.run(rounds: rounds) { CampaignScale.progress($0, of: rounds) }
        print("kill campaign: \(report.line)")
        #expect(report.acknowledged > rounds)
        #expect(report.lost == 0 && report.halfFiles == 0)
        #expect(report.verifyFailures.isEmpty, "\(report.verifyFailures)")
        // The small form shares the machine with other tests.
        #expect(report.slowestStart < .seconds(CampaignScale.isFull("kill") ? 2 : 20))
    }
}
