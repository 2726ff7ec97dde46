import TestKit
import TestThreads
import Testing

@Suite("Campaign: deletion", .blocksThreads)
struct DeletionCampaignTests {
    @Test("an account deleted under kill -9 leaves no word or byte of its data in any file, and other accounts are unchanged")
    func killed() async throws {
        guard CampaignScale.runs("deletion") else { return }
        let accounts = CampaignScale.isFull("deletion") ? 100 : 2
        let folder = try TemporaryFolder()
        let keys = try TemporaryFolder()
        var campaign = try DeletionCampaign(folder: folder.path, keys: keys.path)
        try await campaign.run(accounts: accounts) { CampaignScale.progress($0, of: accounts) }
        let report = campaign.report
        print("deletion campaign: \(report.line)")
        #expect(report.left == [])
        #expect(report.strangers == [])
        #expect(report.verifyFailures == [])
        // If one of these fails, there were no words to find, or every kill came after the erasure.
        #expect(report.accounts == accounts && (report.foundBefore.min() ?? 0) >= 1)
        #expect(report.killsWithin >= 1)
    }
}
