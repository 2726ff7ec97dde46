import Database
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// One account asks for a million phone numbers within a day. `ContactTests` tests the same with fewer numbers.
@Suite("Campaign: contacts", .enabled(if: CampaignScale.isFull("contacts")), .serialized)
struct ContactCampaignTests {
    @Test("a crawl of a million numbers in one day learns at most 200 of the 10,000 registered ones", arguments: CampaignScale.engines)
    func crawl(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            try await server.registerNumbers(everyHundredthOf: 1_000_000)
            let eve = try await server.person("eve")
            let learned = try await server.crawlContacts(1_000_000, by: 1_000, as: eve)
            print("contacts campaign, \(engine): \(learned.found.count) of 10,000 found, \(learned.refused) of 1,000 calls refused")
            #expect(learned.found.count <= 200 && learned.refused >= 980)
        }
    }
}
