import Core
import Database
import FeatureKit
import KeepsakeWire
import TestKit
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

/// A page's cost depends on the page and on the viewer's coves, not on the number of members, events or RSVPs. `make campaign NAME=coves`
/// measures with a million of each.
@Suite("Campaign: coves", .serialized)
struct CovesCampaignTests {
    private struct Measured: Sendable {
        let name: String
        /// - Returns: the number of rows, with the additional one that shows that there is another page.
        let read: @Sendable (Stores) async throws -> Int
    }

    /// Stores whose statements are recorded.
    private struct Stores: Sendable {
        let coves: CoveStore
        let events: EventStore
        let calendar: CalendarStore
    }

    private static func page(_ name: String, _ read: @escaping @Sendable (Stores, PageRequest<TimeKey>) async throws -> Int) -> [Measured] {
        // The later page begins somewhere in the middle of each list, at a date or time of the first ten thousand rows.
        [("first page", nil), ("later page", TimeKey(at: Timestamp(microseconds: 2_200_000_000_000_000), id: "x"))].map { place, key in
            Measured(name: "\(place) of \(name)") { stores in try await read(stores, PageRequest(after: key, limit: 20)) }
        }
    }

    private static let pages: [Measured] =
        page("a cove's events") { stores, request in
            count(try await stores.events.events(of: CoveCrowd.large, seenBy: CoveCrowd.viewer, request))
        }
        + page("the calendar of 20 coves") { stores, request in
            count(try await stores.calendar.events(of: CoveCrowd.viewer, from: nil, request))
        }
        + page("the coming events of 20 coves") { stores, request in
            let now = Timestamp(microseconds: 1_900_000_000_000_000)
            return count(try await stores.calendar.events(of: CoveCrowd.viewer, from: now, request))
        }
        + page("a guest list") { stores, request in
            count(try await stores.events.guests(of: CoveCrowd.popular, nil, seenBy: CoveCrowd.viewer, descending(request)))
        }
        + page("the GOING of a guest list") { stores, request in
            count(try await stores.events.guests(of: CoveCrowd.popular, .going, seenBy: CoveCrowd.viewer, descending(request)))
        }
        + page("a cove's members") { stores, request in
            count(try await stores.coves.members(of: CoveCrowd.large, seenBy: CoveCrowd.viewer, descending(request)))
        }

    /// The first ten thousand members and guests have the times 0…9999, so a later page begins in their middle.
    private static func descending(_ request: PageRequest<TimeKey>) -> PageRequest<TimeKey> {
        PageRequest(after: request.after.map { _ in TimeKey(at: Timestamp(microseconds: 5_000), id: "x") }, limit: request.limit)
    }

    private static func count<Element>(_ page: Page<Element, TimeKey>) -> Int { page.rows.count + (page.next == nil ? 0 : 1) }

    /// The highest ratio of costs that passes. On PostgreSQL, each look-up descends one more tree level for every hundredfold growth, so it
    /// reads at most 4 buffers instead of 3.
    private static func bar(_ pair: StoragePair) -> Double { pair == .embedded ? 1.1 : 1.34 }

    @Test(
        "pages of members, guests, events and the calendar cost the same however many there are",
        arguments: CampaignScale.pairs)
    func pages(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("coves") else { return }
        let many = CampaignScale.isFull("coves") ? 1_000_000 : 25_000
        try await TestServer.run(pair) { server in
            let database = server.backend.database
            var crowd = CoveCrowd(database)
            try await crowd.grow(to: 10_000)
            let before = try await Self.costs(server)
            let unsorted = try await EngineWork.measure(Self.byName, on: database)
            try await crowd.grow(to: many) { CampaignScale.progress($0, of: many) }
            let after = try await Self.costs(server)
            print("coves campaign, \(pair), \(pair == .embedded ? "VM steps" : "buffers") of a page of 20 among 10,000 and \(many):")
            for (few, lots) in zip(before, after) {
                let ratio = Double(lots.work) / Double(few.work)
                print("  \(few.name): \(few.work) → \(lots.work), \((ratio * 1_000).rounded() / 1_000) ×")
                #expect(ratio <= Self.bar(pair), "\(few.name) on \(pair)")
            }
            // Control: the cost of a sort without an index grows with the number of rows.
            let sorted = try await EngineWork.measure(Self.byName, on: database)
            #expect(sorted > 2 * unsorted)
        }
    }

    private static let byName: SQL = "SELECT id FROM cove_event WHERE cove = \(CoveCrowd.large) ORDER BY name, location LIMIT 21"

    /// For each page, the work of all its statements.
    private static func costs(_ server: TestServer) async throws -> [(name: String, work: Int)] {
        let database = server.backend.database
        let recording = RecordingDatabase(database)
        let stores = stores(server, recording)
        var costs: [(String, Int)] = []
        for page in pages {
            let count = try await page.read(stores)
            try #require(count == 21, "\(page.name) has \(count)")
            var work = 0
            for statement in recording.statements() { work += try await EngineWork.measure(statement, on: database) }
            costs.append((page.name, work))
        }
        return costs
    }

    private static func stores(_ server: TestServer, _ database: any Database) -> Stores {
        let feature = server.backend.features[CovesFeature.self]
        let (coves, events) = (feature.store, feature.events.store)
        return Stores(
            coves: CoveStore(
                database: database, accounts: coves.accounts, library: coves.library, events: coves.events, announcer: coves.announcer,
                jobs: coves.jobs, identifiers: coves.identifiers, uses: []),
            events: EventStore(
                database: database, accounts: events.accounts, library: events.library, events: events.events,
                announcer: events.announcer, identifiers: events.identifiers),
            calendar: CalendarStore(database: database, accounts: events.accounts, clock: events.identifiers.clock))
    }
}
