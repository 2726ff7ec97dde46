import TestKit
import TestThreads
import Testing

@Suite("Campaign: copy", .blocksThreads)
struct CopyCampaignTests {
    /// The full form needs 25 GB of disk and a bucket of 16 GB: start radosgw with KEEPSAKE_S3_STORE=bluestore and
    /// KEEPSAKE_S3_SIZE=17179869184.
    @Test("an installation copied to PostgreSQL and S3 and back, with every copy killed again and again, has the same rows and bytes")
    func thereAndBack() async throws {
        guard CampaignScale.runs("copy") else { return }
        let isFull = CampaignScale.isFull("copy")
        let folder = try TemporaryFolder()
        var campaign = CopyCampaign(folder: folder.path)
        try await campaign.run(moods: isFull ? 100_000 : 60, kills: isFull ? 20 : 3) { CampaignScale.progress($0, of: 3) }
        let report = campaign.report
        print("copy campaign: \(report.line)\n\(report.said.joined())")
        #expect(report.differences == [])
        #expect(report.verifyFailures == [])
        // Otherwise every copy ended before it was killed.
        #expect(report.kills >= 1)
    }
}
