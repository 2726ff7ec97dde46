import Database
import DatabaseEngines
import Foundation
import TestKit
import TestThreads
import Testing

@Suite("Campaign: moods", .blocksThreads)
struct MoodCampaignTests {
    @Test(
        "kill -9 while moods are created leaves no incomplete mood, and no acknowledged mood is missing", arguments: CampaignScale.pairs)
    func killed(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("moods") else { return }
        let (full, small) = pair == .embedded ? (1_000, 6) : (200, 3)
        let kills = CampaignScale.isFull("moods") ? full : small
        let folder = try TemporaryFolder()
        var campaign = try MoodCampaign(data: folder.path, pair)
        try await campaign.run(kills: kills) { CampaignScale.progress($0, of: kills) }
        try await campaign.finish()
        let report = campaign.report
        print("moods campaign, \(pair): \(report.line)")
        #expect(report.lost.isEmpty && report.half.isEmpty && report.strays.isEmpty)
        #expect(report.verifyFailures.isEmpty, "\(report.verifyFailures)")
        #expect(report.unswept == 0)
        #expect(Array(report.refused.prefix(3)) == [])
        // If this fails, the kills came between moods, not during them.
        #expect(report.acknowledged >= kills / 2 && report.sent > report.acknowledged)
        if pair == .embedded { #expect(report.leftovers + report.orphans > 0) }
    }

    /// The program never publishes an incomplete mood, so the test makes one by hand, to show that the campaign detects it.
    @Test("control: a mood whose row or files were changed or deleted is incomplete, and a deleted mood is lost")
    func control() async throws {
        guard CampaignScale.runs("moods") else { return }
        let folder = try TemporaryFolder()
        var campaign = try MoodCampaign(data: folder.path)
        repeat { try await campaign.run(kills: 1) } while campaign.report.acknowledged < 4
        let address = try #require(DatabaseAddress("sqlite:\(folder.path)/keepsake.sqlite"))
        let database = try await address.open()
        let blobs = try await database.write { tx in
            let moods = try tx.rows("SELECT id FROM moment ORDER BY id LIMIT 4").map { try $0.get("id", as: String.self) }
            try tx.run("UPDATE moment SET voice = NULL WHERE id = \(moods[0])")
            try tx.run("DELETE FROM moment WHERE id = \(moods[3])")
            return try moods[1...2].map { mood in
                let sql: SQL = """
                    SELECT media.blob FROM moment_file JOIN media ON media.id = moment_file.media
                    WHERE moment_file.moment = \(mood) AND moment_file.position = 1
                    """
                return try #require(try tx.row(sql)).get("blob", as: String.self)
            }
        }
        try await database.close()
        let paths = blobs.map { "\(folder.path)/blobs/\($0.prefix(2))/\($0)" }
        try FileManager.default.removeItem(atPath: paths[0])
        let handle = try FileHandle(forUpdating: URL(filePath: paths[1]))
        try handle.write(contentsOf: Data([0]))
        try handle.close()
        try await campaign.finish()
        print("moods control: \(campaign.report.line)")
        #expect(campaign.report.half.count == 3)
        #expect(campaign.report.lost.count == 1)
        #expect(!campaign.report.verifyFailures.isEmpty)
        // The strays are the three files of the deleted mood, the voice note of another, and the files of the two damaged ones.
        #expect(!campaign.report.strays.isEmpty)
    }
}
