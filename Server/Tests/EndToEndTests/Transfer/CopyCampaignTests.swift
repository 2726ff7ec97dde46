import TestKit
import TestThreads
import Testing

@Suite("Campaign: copy", .blocksThreads)
struct CopyCampaignTests {
    /// The full form needs 40 GB of disk. It starts a radosgw of its own, which keeps its objects in 16 GB of disk, because the shared one
    /// keeps them in memory and has room for only 2 GB.
    @Test("an installation copied to PostgreSQL and S3 and back, with every copy killed again and again, has the same rows and bytes")
    func thereAndBack() async throws {
        guard CampaignScale.runs("copy") else { return }
        let isFull = CampaignScale.isFull("copy")
        let kills = isFull ? 20 : 3
        let folder = try TemporaryFolder()
        let ceph = try isFull ? CephService(port: 17_495, diskByteCount: 16 << 30) : nil
        let bucket = try ceph?.address() ?? CephService.everybodys()
        var campaign = CopyCampaign(folder: folder.path, lines: CampaignLines("copy", isSilent: !isFull))
        try await campaign.run(moods: isFull ? 100_000 : 60, kills: kills, bucket: bucket)
        let report = campaign.report
        print("copy campaign: \(report.line)\n\(report.said.joined())")
        #expect(report.differences == [])
        #expect(report.verifyFailures == [])
        if isFull {
            #expect(report.byteCount >= 10_000_000_000)
            #expect(report.killsThere >= kills && report.killsBack >= kills)
            #expect(report.finalStop < min(.seconds(300), report.wholeCopy / 2), "the final stop is not short")
        } else {
            // If this fails, every copy ended before it was killed.
            #expect(report.killsThere + report.killsBack >= 1)
            #expect(report.finalStop < .seconds(60))
        }
        // Memory depends neither on the number of rows nor on that of the files.
        #expect(report.peakByteCount < 150 << 20)
        #expect(report.peakByteCount - report.samplePeakByteCount < 48 << 20)
        withExtendedLifetime(ceph) {}
    }
}
