import Blobs
import Core
import Database
import FeatureKit
import Live
import Search
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit
@testable import Media
@testable import Moments
@testable import Web

/// A page's cost depends on the page, not on the number of stored rows. `make campaign NAME=rows` measures with ten million moods.
@Suite("Campaign: rows", .serialized)
struct RowsCampaignTests {
    /// A page of a list, and how much its work may grow with the number of rows.
    private struct Page: Sendable {
        let name: String
        /// The largest allowed ratio of a page's work to its work with ten thousand moods.
        let bar: Double
        let read: @Sendable (MomentStore, any Database, String) async throws -> Int
    }

    /// The bar for a page that reads one range of one index.
    private static let one = 1.1
    /// The bar for lists by tag: PostgreSQL descends the index of moments once for each of 21 tags, and the index gains a level for every
    /// hundredfold growth. Nothing else may raise the cost. SQLite's step counts do not include index levels.
    private static let depth = 2.0

    private static let pages = [
        moods("moods", MomentStore.Filter(), bar: one),
        moods("moods of a category", MomentStore.Filter(category: "work"), bar: one),
        moods("moods of a group", MomentStore.Filter(groupID: "trip-1"), bar: one),
        moods("moods with a tag", MomentStore.Filter(tag: "summer"), bar: depth),
        timeline("timeline", tag: nil, bar: one),
        timeline("timeline of a tag", tag: "summer", bar: depth),
    ]

    @Test("the first page of 20 moods costs the same however many are stored", arguments: CampaignScale.engines)
    func rows(_ engine: Engine) async throws {
        guard CampaignScale.runs("rows") else { return }
        let (start, many) = CampaignScale.isFull("rows") ? (10_000, 10_000_000) : (10_000, 40_000)
        let stores = try TestStores(engine)
        let database = try await stores.open()
        try await database.migrate(
            AccountsFeature.migrations + BlobLedger.migrations + MediaFeature.migrations + MomentsFeature.migrations)
        var crowd = MomentCrowd(database)
        try await crowd.grow(to: start)
        let before = try await costs(database)
        let unsorted = try await EngineWork.measure(Self.byNote, on: database)
        try await crowd.grow(to: many) { CampaignScale.progress($0, of: many) }
        let after = try await costs(database)
        print("rows campaign, \(engine), \(engine == .sqlite ? "VM steps" : "buffers") of a page of 20 among \(start) and \(many) moods:")
        for (few, lots) in zip(before, after) {
            let ratio = Double(lots.work) / Double(few.work)
            print("  \(few.name): \(few.work) → \(lots.work), \((ratio * 1_000).rounded() / 1_000) ×")
            #expect(ratio <= (engine == .sqlite ? Self.one : few.bar), "\(few.name) on \(engine)")
        }
        // Control: the cost of a sort without an index grows with the number of rows.
        #expect(try await EngineWork.measure(Self.byNote, on: database) > 3 * unsorted)
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    private static let byNote: SQL = "SELECT id FROM moment WHERE owner = \(MomentCrowd.collector) ORDER BY note LIMIT 21"

    /// The work of each statement of each page.
    private func costs(_ database: any Database) async throws -> [(name: String, work: Int, bar: Double)] {
        let recording = RecordingDatabase(database)
        let store = Self.store(recording)
        var costs: [(String, Int, Double)] = []
        for person in [MomentCrowd.collector, MomentCrowd.ordinary] {
            for page in Self.pages {
                let count = try await page.read(store, recording, person)
                try #require(count == 21, "\(page.name) has \(count)")
                var work = 0
                for statement in recording.statements() { work += try await EngineWork.measure(statement, on: database) }
                let whose = person == MomentCrowd.collector ? "of who has a hundredth of all" : "of one among many"
                costs.append(("\(page.name) \(whose)", work, page.bar))
            }
        }
        return costs
    }

    private static func moods(_ name: String, _ filter: MomentStore.Filter, bar: Double) -> Page {
        Page(name: name, bar: bar) { store, _, owner in
            let page = try await store.list(.mood, owner: owner, filter, PageRequest(after: nil, limit: 20))
            #expect(page.rows.allSatisfy { $0.pictures.count == 2 && $0.voice != nil })
            // Includes the row that shows whether there is another page.
            return page.rows.count + (page.next == nil ? 0 : 1)
        }
    }

    private static func timeline(_ name: String, tag: String?, bar: Double) -> Page {
        Page(name: name, bar: bar) { store, database, owner in
            let request = EntryKind.Request(owner: owner, from: nil, to: nil, tag: tag, after: nil, limit: 21)
            return try await database.read { tx in try store.timeline(request, tx).count }
        }
    }

    private static func store(_ database: any Database) -> MomentStore {
        let clock = WallClock.system
        let identifiers = Identifiers(clock: clock, entropy: .system)
        let events = EventLog(clock: clock)
        let media = MediaStore(
            database: database, ledger: BlobLedger(clock: clock), clock: clock, quota: MediaQuota(byteCount: 1), events: events,
            uses: [])
        let links = SignedLinks(publicURL: { "http://k.example" }, signer: Signer(key: [1]), lifetimeDays: 7, clock: clock)
        let library = MediaLibrary(store: media, presenter: MediaPresenter(links: links), identifiers: identifiers)
        return MomentStore(database: database, library: library, search: SearchIndex(), events: events)
    }
}
