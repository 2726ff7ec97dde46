import Foundation
import TestKit
import TestThreads
import Testing

/// `make campaign NAME=captures` kills the server 200 times on each pair of stores, other runs 4 times.
@Suite("Campaign: captures", .blocksThreads, .runsBesideFew)
struct CaptureCampaignTests {
    private func isSound(_ report: CaptureCampaign.Report) -> Bool {
        report.lost == 0 && report.unprocessed == 0 && report.repeated == 0 && report.miscounted == 0
    }

    @Test("kill -9 loses no acknowledged capture, and each is processed once", arguments: StoragePair.allCases)
    func killed(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("captures") else { return }
        let isFull = CampaignScale.isFull("captures")
        let kills = isFull ? 200 : 4
        let installation = try Installation(pair)
        // The event log keeps 10,000 events of an account, so the full form uses more accounts.
        let people = try installation.people(isFull ? 8 : 2)
        var campaign = CaptureCampaign(database: installation.database, people: people) {
            let server = try installation.node("one")
            return (server.port, server.processID, { server.killNow() })
        }
        try await campaign.run(kills: kills) { CampaignScale.progress($0, of: kills) }
        // A debug build on a busy machine is often killed before it acknowledges anything.
        while campaign.report.acknowledged <= kills, campaign.report.kills < kills + 40 { try await campaign.run(kills: 1) }
        try await campaign.finish()
        let report = campaign.report
        print("captures campaign, \(pair): \(report)")
        #expect(isSound(report), "\(report)")
        #expect(report.refused.isEmpty, "\(report.refused.prefix(3))")
        #expect(report.acknowledged > kills && report.sent >= report.acknowledged)
    }

    @Test("control: a server that acknowledges before the commit loses some")
    func control() async throws {
        guard CampaignScale.runs("captures") else { return }
        let folder = try TemporaryFolder()
        let address = "sqlite:\(folder.path)/keepsake.sqlite"
        let installation = try Installation(.embedded, database: address)
        let people = try installation.people(2)
        let path = folder.path
        var campaign = CaptureCampaign(database: address, people: people) { try await CaptureChild.start(in: path) }
        for _ in 0..<40 where campaign.report.lost == 0 {
            try await campaign.run(kills: 1)
            try await campaign.compare()
        }
        print("captures control: \(campaign.report)")
        #expect(campaign.report.lost > 0)
    }
}
