import Core
import Database
import KeepsakeWire
import TestKit
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

@Suite("Query plans of events and the calendar")
struct EventPlanTests {
    private static let key = TimeKey(at: Timestamp(seconds: 1), id: "e")

    private static let statements: [SQL] = [
        EventStore.event("e"), EventStore.cove(of: "e"), EventStore.membership(of: "a", in: "c"), EventStore.rowBytes(of: "e"),
        EventStore.date(of: "e", in: "c"), EventStore.dropCover("m", of: "a"), EventStore.isOpen("c"),
        EventStore.events(of: "c", seenBy: "a", after: nil, limit: 11), EventStore.events(of: "c", seenBy: "a", after: key, limit: 11),
        EventStore.events(["e", "f"], seenBy: "a"), EventStore.positions(in: "c", after: key, until: Timestamp(seconds: 2), limit: 11),
        EventStore.rsvp(of: "a", to: "e"), EventStore.guests(of: "e", nil, seenBy: "a", after: nil, limit: 11),
        EventStore.guests(of: "e", nil, seenBy: "a", after: key, limit: 11),
        EventStore.guests(of: "e", .going, seenBy: "a", after: nil, limit: 11),
        EventStore.guests(of: "e", .maybe, seenBy: "a", after: key, limit: 11),
        EventStore.hosted(by: "a"), EventStore.expired(before: Timestamp(seconds: 1)), EventStore.events(ofCove: "c", isEnded: true),
        EventStore.events(ofCove: "c", isEnded: false), EventStore.someHosted(by: "a", after: "e"), EventStore.someRSVPs(of: "a"),
        EventStore.negateEnd(of: ["e", "f"]), EventStore.endAtOnce(["e", "f"]), EventStore.deleteRSVPs(["r", "s"]),
        CalendarStore.first(of: "a", after: key), CalendarStore.date(of: "e", for: "a"), CalendarStore.owner(ofLink: "h"),
        CalendarStore.feedCoves(of: "a", ended: Timestamp(seconds: 1), after: nil, limit: 50),
        CalendarStore.feedCoves(of: "a", ended: Timestamp(seconds: 1), after: key, limit: 50),
        CalendarStore.feedEvents(of: "c", for: "a", after: key, limit: 100),
        CalendarStore.feedCancellations(of: "c", for: "a", from: Timestamp(seconds: 1), after: key, limit: 100),
        CalendarStore.deleteLink(of: "a"), CoveAnnouncer.announcement("i"), CoveAnnouncer.remove("i"), CoveAnnouncer.hidden("a"),
    ]

    /// Statements that may also scan or sort a bounded intermediate result. That costs no more than reading the rows of this result.
    private static let bounded: [(SQL, index: String)] = [
        (CoveAnnouncer.members(of: "c", after: "", hiding: nil, limit: 200), "cove_member"),
        (CoveAnnouncer.members(of: "c", after: "m", hiding: "a", limit: 200), "cove_member"),
        (EventStore.hostedCount(of: "a"), "cove_event_host"), (EventStore.rsvpCount(of: "a"), "cove_rsvp"),
        (EventStore.hostedCounts(of: "a"), "cove_event_host_cove"),
        (EventStore.deleteRSVPs(to: "e", limit: 100), "cove_rsvp"), (EventStore.dropCovers(of: "a", limit: 100), "cove_event_cover_owner"),
        (EventStore.count("a", isHidden: false, by: -1), "cove_rsvp_going"), (EventStore.uncount("a", in: "c"), "cove_rsvp"),
        (EventStore.uncount(["r", "s"]), "cove_rsvp"),
    ]

    @Test("each statement finds its rows by an index and sorts nothing", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            for statement in Self.statements {
                let plan = try await QueryPlan(statement, on: server.backend.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
            for (statement, index) in Self.bounded {
                let plan = try await QueryPlan(statement, on: server.backend.database)
                let scans = plan.steps.filter { $0.contains("Seq Scan") || $0.contains("SCAN cove") }
                #expect(plan.uses(index) && scans.isEmpty, "\(plan)")
            }
        }
    }

    @Test("a calendar skips cancelled events by an index that contains their dates", arguments: StoragePair.allCases)
    func cancellations(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let statement = CalendarStore.feedCancellations(of: "c", for: "a", from: Timestamp(seconds: 1), after: Self.key, limit: 100)
            let plan = try await QueryPlan(statement, on: server.backend.database)
            // While the table is empty, PostgreSQL may choose another index.
            if pair.engine == .sqlite { #expect(plan.uses("cove_event_cancelled_dates"), "\(plan)") }
        }
    }

    @Test("pages of events use the index of their order", arguments: StoragePair.allCases)
    func order(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let database = server.backend.database
            for statement in [
                EventStore.events(of: "c", seenBy: "a", after: Self.key, limit: 11),
                EventStore.positions(in: "c", after: Self.key, until: Timestamp(seconds: 2), limit: 11),
                CalendarStore.first(of: "a", after: Self.key),
            ] {
                let plan = try await QueryPlan(statement, on: database)
                #expect(plan.uses("cove_event_by_date"), "\(plan)")
            }
            let coves = CalendarStore.feedCoves(of: "a", ended: Timestamp(seconds: 1), after: Self.key, limit: 50)
            let feed = try await QueryPlan(coves, on: database)
            #expect(feed.uses("cove_member_of"), "\(feed)")
            let guests = try await QueryPlan(EventStore.guests(of: "e", .going, seenBy: "a", after: nil, limit: 11), on: database)
            #expect(guests.uses("cove_rsvp_by_status"), "\(guests)")
            let control = try await QueryPlan("SELECT id FROM cove_event WHERE cove = 'c' ORDER BY name LIMIT 11", on: database)
            #expect(!control.faults.isEmpty)
        }
    }
}
