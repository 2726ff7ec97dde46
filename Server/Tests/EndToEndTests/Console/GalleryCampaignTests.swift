import TestKit
import TestThreads
import Testing

@Suite("Campaign: gallery", .blocksThreads)
struct GalleryCampaignTests {
    @Test("the console shows a library of 5,000 photos quickly, and scrolls through it without long tasks")
    func large() throws {
        guard CampaignScale.runs("gallery") else { return }
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path, environment: ["KEEPSAKE_RATE_LIMITS": "off"])
        defer { server.killNow() }
        let count = CampaignScale.isFull("gallery") ? 5_000 : 300
        try ConsoleBrowserTests.drive("gallery.py", server, ["KEEPSAKE_GALLERY": String(count)], moreThan: 4)
    }
}
