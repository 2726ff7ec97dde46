import Core
import Database
import Foundation
import Intelligence
import TestKit
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("What a condensation reads at a time")
struct CondensingCostTests {
    private static let noon = Timestamp(seconds: 1_780_315_200)
    private static let personCount = 10

    private static func insert(_ number: Int, at time: Timestamp, in hour: CaptureHour, owner: String, _ tx: WriteTransaction) throws {
        try tx.send(
            """
            INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, version, created_at, row_bytes)
            VALUES (\(owner), \("c\(10_000 + number)"), \(time), \(hour.zone), \(hour.day), \(hour.hour), \(hour.start), 'processed', 1,
                \(noon), 1)
            """)
    }

    /// Inserts 400 captures of an hour, then 2,000 of the same time that belong to the next day in another time zone.
    private static func fill(_ owner: String, _ hour: CaptureHour, _ other: CaptureHour, _ server: TestServer) async throws {
        try await server.backend.database.write { tx in
            for person in 0..<personCount {
                try tx.send(
                    """
                    INSERT INTO contact (id, owner, name, first_seen, last_seen, mention_count, by_user, row_bytes)
                    VALUES (\("p\(person)"), \(owner), 'n', \(noon), \(noon), 1, 0, 1)
                    """)
            }
            for number in 0..<400 {
                let time = noon + .seconds(Int64(number))
                try insert(number, at: time, in: hour, owner: owner, tx)
                // The first person is mentioned most often, the last one least.
                for person in 0..<personCount where number.isMultiple(of: person + 1) {
                    try tx.send(
                        """
                        INSERT INTO contact_mention (owner, capture, contact, at)
                        VALUES (\(owner), \("c\(10_000 + number)"), \("p\(person)"), \(time))
                        """)
                }
            }
            for number in 400..<2_400 { try insert(number, at: noon + .seconds(Int64(number)), in: other, owner: owner, tx) }
            try tx.send(
                """
                INSERT INTO capture_hour (owner, day, start, hour, zone, changed, condensed, is_scheduled, row_bytes)
                VALUES (\(owner), \(hour.day), \(hour.start), \(hour.hour), 'UTC', 1, 0, 1, 0)
                """)
            try tx.send(
                """
                INSERT INTO capture_day (owner, day, zone, changed, condensed, is_scheduled, row_bytes)
                VALUES (\(owner), \(hour.day), 'UTC', 1, 0, 1, 0)
                """)
        }
    }

    @Test(
        "no statement reads more than a page of captures and the people they mention, however many the hour and the hours beside it have",
        arguments: Engine.allCases)
    func statements(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let owner = try await server.person().id
            let hour = CaptureHour(Self.noon, in: .gmt)
            let other = CaptureHour(Self.noon, in: try #require(ZoneName.zone(named: "Pacific/Kiritimati")))
            #expect(other.start == hour.start && other.day > hour.day)
            try await Self.fill(owner, hour, other, server)
            let store = server.backend.features[CapturesFeature.self].store
            let recording = RecordingDatabase(server.backend.database)
            let recorded = CaptureStore(
                database: recording, library: store.library, accounts: store.accounts, events: store.events, jobs: store.jobs,
                identifiers: store.identifiers, allowsAnonymous: false)

            #expect(try await recorded.isIncomplete(hour, owner: owner) == false)
            let ofHour = try #require(try await recorded.material(hour, owner: owner, highlights: 5, in: CondensingWork()))
            let ofDay = try #require(try await recorded.material(day: hour.day, owner: owner, highlights: 5, in: CondensingWork()))
            #expect(ofHour.captures == (0..<400).map { "c\(10_000 + $0)" })
            #expect(ofHour.draft.captureCount == 400 && ofDay.draft.captureCount == 400)
            // Every capture mentions the first person.
            let ranked = (0..<Self.personCount).map { "p\($0)" }
            #expect(ofHour.people.ranked(20) == ranked && ofDay.people.ranked(20) == ranked)

            guard engine == .sqlite else { return }
            // A page takes at most 1,800 steps. Reading the mentions of all 400 captures would take 18,000, and walking over the captures
            // of the other hour even more.
            for statement in recording.statements() {
                let work = try await EngineWork.measure(statement, on: server.backend.database)
                #expect(work < 4_000, "\(work) steps: \(statement)")
            }
        }
    }

    @Test("the number of different people who are counted is limited; those who are known already go on being counted")
    func people() {
        var counts = MentionCounts()
        counts.add((0..<MentionCounts.limit).map { "p\($0)" })
        for _ in 0..<3 { counts.add(["late", "p7"]) }
        counts.add(["p3", "p5"])
        #expect(counts.ranked(4) == ["p7", "p3", "p5", "p0"])
        #expect(!counts.ranked(.max).contains("late"))
    }
}
