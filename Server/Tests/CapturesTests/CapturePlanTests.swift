import Core
import Database
import Foundation
import TestKit
import Testing

@testable import Captures
@testable import FeatureKit
@testable import FeatureTestKit
@testable import keepsake

@Suite("Query plans of captures")
struct CapturePlanTests {
    private static let now = Timestamp(seconds: 1_780_315_200)
    private static let key = TimeKey(at: now, id: "x")
    private static let hour = CaptureHour(now, in: .gmt)

    /// The lists that are read in pages. PostgreSQL sorts a small table if one page holds all of its rows, so these plans need a filled
    /// table.
    private static func pages(of owner: String) -> [SQL] {
        [nil, key].flatMap { key in
            [
                CaptureStore.page(owner: owner, .init(), after: key, limit: 21),
                CaptureStore.page(owner: owner, .init(contact: "p0"), after: key, limit: 21),
                CaptureStore.timelinePage(.init(owner: owner, from: now, to: nil, tag: nil, after: key, limit: 21)),
                CaptureStore.timelinePage(.init(owner: owner, from: now, to: nil, tag: nil, order: .ascending, after: key, limit: 21)),
                CaptureStore.timelinePage(.init(owner: owner, from: now, to: nil, tag: nil, after: key, limit: 21, positionsOnly: true)),
                CaptureStore.contactPage(of: owner, after: key, limit: 21),
                CaptureStore.captures(during: hour, owner: owner, after: key, limit: 25),
                CaptureStore.captures(ofDay: "2026-06-01", owner: owner, after: key, limit: 25),
            ]
        }
    }

    /// The steps of merging and deleting contacts, and the index by which each finds its rows.
    private static let merging: [(SQL, index: String)] = [
        (CaptureStore.moveNames(of: "c", to: "d", owner: "o", limit: 10), "contact_name_by_contact"),
        (CaptureStore.moveNames(of: "c", to: nil, owner: "o", limit: 10), "contact_name_by_contact"),
        (CaptureStore.forgetNames(of: "c", besides: "n", owner: "o"), "contact_name_given"),
        (CaptureStore.movePins(of: "c", to: "d", owner: "o", limit: 10), "contact_pin_by_contact"),
        (CaptureStore.removePins(of: "c", owner: "o", limit: 10), "contact_pin_by_contact"),
        (CaptureStore.addMentions(of: "c", to: "d", owner: "o", limit: 10), "contact_mention_by_time"),
        (CaptureStore.removeMentions(of: "c", owner: "o", limit: 10), "contact_mention_by_time"),
        (CaptureStore.merged(into: "c", owner: "o", limit: 100), "contact_by_merge"),
        (CaptureStore.hidden(limit: 100), "contact_by_merge"),
        (CaptureStore.showing("a", owner: "o", limit: 100), "contact_face"),
    ]

    private static let others: [SQL] =
        [
            CaptureStore.page(owner: "o", .init(day: "2026-06-01"), after: nil, limit: 21),
            CaptureStore.page(owner: "o", .init(day: "2026-06-01"), after: key, limit: 21),
            CaptureStore.days(owner: "o", from: "2026-01-01", to: nil, columns: CaptureStore.dayLengths, after: nil, limit: 21),
            CaptureStore.days(
                owner: "o", from: nil, to: nil, columns: CaptureStore.dayContents, after: DayKey(day: "2026-01-01"), limit: 21),
            CaptureStore.hours(ofDay: "2026-06-01", owner: "o", columns: CaptureStore.hourLengths, after: nil, limit: 32),
            CaptureStore.hours(
                ofDay: "2026-06-01", owner: "o", columns: CaptureStore.hourContents, after: HourKey(start: now, hour: 12), limit: 32),
            CaptureStore.ids(ofDay: "2026-06-01", owner: "o"),
            CaptureStore.captures(from: now, to: now, owner: "o", limit: 50), CaptureStore.unprocessed(of: hour, owner: "o"),
            CaptureStore.contactNames(of: "o"),
            CaptureStore.lengths(["a", "b"], owner: "o"), CaptureStore.faces(["a", "b"], owner: "o"),
            CaptureStore.files(of: ["a", "b"], owner: "o"), CaptureStore.file(.photo, of: "a", owner: "o"),
            CaptureStore.tombstones(["a", "b"]), CaptureStore.expiredTombstones(before: now, limit: 10),
            CaptureStore.tombstone(at: 10, of: "o"),
            CaptureStore.contact(named: "n", owner: "o"), CaptureStore.mentions(in: "a", owner: "o"),
            CaptureStore.updateCounts(by: 1, of: ["a", "b"], owner: "o"), CaptureStore.removeUnmentioned(among: ["a", "b"], owner: "o"),
            CaptureStore.contacts(["a", "b"], owner: "o"), CaptureStore.names(of: ["a", "b"], owner: "o"),
            CaptureStore.keepName("n", owner: "o"),
            CaptureStore.mentions(of: "c", in: ["a", "b"], owner: "o"), CaptureStore.splitCaptures(["a", "b"], owner: "o"),
            CaptureStore.contacts(in: ["a", "b"], owner: "o"), CaptureStore.hour(hour, "content", owner: "o"),
            CaptureStore.count(ofDay: "2026-06-01", owner: "o"), CaptureStore.upload(of: "f", owner: "o"),
            CaptureStore.naming("f", owner: "o", limit: 100), CaptureStore.ids(naming: "f", as: .photo, owner: "o", limit: 100),
            CaptureStore.ids(naming: "f", as: .audio, owner: "o", limit: 100),
        ] + CaptureStore.drops(of: "f", owner: "o") + merging.map { $0.0 } + [
            CaptureStore.uploads(for: ["a", "b"], owner: "o"), CaptureStore.contacts(showing: ["a", "b"], owner: "o", limit: 100),
            CaptureStore.removal(ofFaces: ["a", "b"], from: ["c", "d"], owner: "o"),
            CaptureStore.removal(ofFace: "a", owner: "o"), CaptureStore.hide("c", owner: "o"), CaptureStore.deleteHidden("c", owner: "o"),
            CaptureStore.moveMerged(["a", "b"], from: "c", to: "d", owner: "o"),
            CaptureStore.deleteMerged(into: "c", among: ["a", "b"], owner: "o"),
        ]

    /// The steps of an account's deletion.
    private static var erasures: [SQL] {
        var steps = [CaptureStore.first(of: "o", limit: 10)]
        for (table, key) in CaptureStore.longTables { steps.append(CaptureStore.sizes(in: table, key, of: "o", limit: 10)) }
        for (table, key) in CaptureStore.longTables + CaptureStore.shortTables {
            steps.append(CaptureStore.erasure(in: table, key, of: "o", limit: 10))
        }
        return steps
    }

    private static func fill(_ owner: String, _ server: TestServer, _ engine: Engine) async throws {
        try await server.backend.database.write { tx in
            for number in Int64(0)..<2_000 {
                let id = "c\(number)"
                try tx.send(
                    """
                    INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, version, created_at, row_bytes)
                    VALUES (\(owner), \(id), \(now + .minutes(number)), 'UTC', '2026-06-01', 12, \(now), 'processed', 1, \(now), 1)
                    """)
                try tx.send(
                    """
                    INSERT INTO contact (id, owner, name, first_seen, last_seen, mention_count, by_user, row_bytes)
                    VALUES (\("p\(number)"), \(owner), 'n', \(now), \(now + .minutes(number)), 1, 0, 1)
                    """)
                try tx.send(
                    """
                    INSERT INTO contact_mention (owner, capture, contact, at)
                    VALUES (\(owner), \(id), 'p0', \(now + .minutes(number)))
                    """)
            }
            if engine == .postgres { try tx.run("ANALYZE") }
        }
    }

    @Test("each page walks an index and sorts nothing, wherever it begins", arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: nil) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, server, engine)
            for statement in Self.pages(of: ada.id) {
                let plan = try await QueryPlan(statement, on: server.backend.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
        }
    }

    /// Statements about one file, one contact or one day, each with the index that it must use. With another index that begins with the
    /// owner, a statement would read unrelated rows of the owner.
    private static let narrow: [(SQL, index: String)] =
        zip(CaptureStore.drops(of: "f", owner: "o"), ["capture_by_photo", "capture_by_audio"]).map { ($0, $1) } + [
            (CaptureStore.naming("f", owner: "o", limit: 100), "capture_by_photo"),
            (CaptureStore.ids(naming: "f", as: .photo, owner: "o", limit: 100), "capture_by_photo"),
            (CaptureStore.ids(naming: "f", as: .audio, owner: "o", limit: 100), "capture_by_audio"),
            (CaptureStore.ids(ofDay: "2026-06-01", owner: "o"), "COVERING INDEX capture_by_day"),
            (CaptureStore.count(ofDay: "2026-06-01", owner: "o"), "COVERING INDEX capture_by_day"),
            (CaptureStore.captures(ofDay: "2026-06-01", owner: "o", after: nil, limit: 25), "capture_by_day"),
            (CaptureStore.captures(ofDay: "2026-06-01", owner: "o", after: key, limit: 25), "capture_by_day"),
            (CaptureStore.unprocessed(of: hour, owner: "o"), "capture_unprocessed"),
            (CaptureStore.updateCounts(by: 1, of: ["c"], owner: "o"), "contact_mention_by_time"),
            (CaptureStore.removal(ofFace: "a", owner: "o"), "contact_face"),
            (CaptureStore.contacts(showing: ["a", "b"], owner: "o", limit: 100), "contact_face"),
        ]

    @Test("a statement about one file, one contact or one day reads no other rows of the owner")
    func narrow() async throws {
        try await TestServer.run(.sqlite) { server in
            for (statement, index) in Self.narrow + Self.merging {
                let plan = try await QueryPlan(statement, on: server.backend.database)
                #expect(plan.uses(index) && plan.faults.isEmpty, "\(plan)")
            }
        }
    }

    @Test("each other statement finds its rows by an index", arguments: Engine.allCases)
    func others(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: nil) { server in
            let stored = CaptureStore.stored([.init(owner: "o", id: "a"), .init(owner: "p", id: "b")])
            for statement in Self.others + Self.erasures + (engine == .postgres ? [stored] : []) {
                let plan = try await QueryPlan(statement, on: server.backend.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
        }
    }
}
