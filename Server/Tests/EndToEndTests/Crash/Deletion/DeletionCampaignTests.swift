import TestKit
import TestThreads
import Testing

@Suite("Campaign: deletion", .blocksThreads)
struct DeletionCampaignTests {
    @Test("an account that is deleted under kill -9 leaves no word and no byte of its own in any file, and takes nothing of anybody else's")
    func killed() async throws {
        guard CampaignScale.runs("deletion") else { return }
        let accounts = CampaignScale.isFull("deletion") ? 100 : 2
        let folder = try TemporaryFolder()
        var campaign = DeletionCampaign(folder: folder.path)
        try await campaign.run(accounts: accounts) { CampaignScale.progress($0, of: accounts) }
        let report = campaign.report
        print("deletion campaign: \(report.line)")
        #expect(report.left == [])
        #expect(report.strangers == [])
        #expect(report.verifyFailures == [])
        // Otherwise there was nothing to find, or the kills came when all was done.
        #expect(report.accounts == accounts && (report.foundBefore.min() ?? 0) >= 3)
        #expect(report.killsWithin >= 1)
    }
}
