import Core
import Database
import Foundation
import Intelligence
import KeepsakeWire
import Media
import Synchronization
import TestKit
import Testing
import Web

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("Lists of long summaries")
struct SummaryListTests {
    /// 2026-06-01T00:00:00Z
    private static let midnight = Timestamp(seconds: 1_780_272_000)
    private static let day = "2026-06-01"

    /// The ids of an hour's captures, each of the largest allowed length.
    private static func ids(_ count: Int) -> [String] {
        (0..<count).map { "c\(100_000 + $0)-" + String(repeating: "x", count: 120) }
    }

    /// The stored text of a summary that quotes one capture and counts others.
    private static func text(captures: [String], people: [String] = []) -> String {
        var draft = Condensation.Draft(limit: 1)
        let capture = Condensation.Capture(
            id: "a", at: midnight, transcription: "Tea.", hasPicture: false, analysis: CaptureAnalysis(keyMoment: "Tea.", engine: "local"))
        draft.count([capture])
        draft.choose([capture])
        var content = SummaryContent(draft, captures: captures, people: people, in: .gmt)
        content.captureCount = captures.count
        return content.text
    }

    /// Stores a summary for each of the first hours of the day.
    private static func addHours(_ count: Int, _ text: String, of owner: String, _ server: TestServer) async throws {
        let rowBytes = RowBytes.count(searchable: [], tags: [], plain: [text])
        try await server.backend.database.write { tx in
            for hour in 0..<count {
                try tx.send(
                    """
                    INSERT INTO capture_hour (owner, day, start, hour, zone, changed, condensed, is_scheduled, condensed_at, content,
                        row_bytes)
                    VALUES (\(owner), \(day), \(midnight + .seconds(Int64(hour) * 3_600)), \(hour), 'UTC', 1, 1, 0, \(midnight), \(text),
                        \(rowBytes))
                    """)
            }
        }
    }

    /// The pages of a list and the lengths of their responses, in bytes.
    private static func pages<Item>(
        _ path: String, of type: Item.Type, _ server: TestServer, _ person: TestServer.Person
    ) async throws -> (pages: [[Item]], lengths: [Int]) where Item: Codable & Sendable {
        var (pages, lengths): ([[Item]], [Int]) = ([], [])
        var cursor: String?
        repeat {
            let answer = try await server.send("GET", path + (cursor.map { "&cursor=\($0)" } ?? ""), as: person)
            try #require(answer.status == 200, "\(answer.text.prefix(200))")
            let page = try Surface.captures.makeDecoder().decode(ItemPage<Item>.self, from: answer.body)
            pages.append(page.items)
            lengths.append(answer.body.count)
            cursor = page.nextCursor
        } while cursor != nil && pages.count < 10
        return (pages, lengths)
    }

    @Test("hours of many captures list 1,000 ids each and come in pages of 2 MB", arguments: Engine.allCases)
    func hours(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let ids = Self.ids(1_500)
            // One hour takes 197,000 bytes, so ten fit on a page.
            try await Self.addHours(24, Self.text(captures: ids), of: ada.id, server)
            let path = "/summaries/hourly?date=\(Self.day)"
            let (pages, lengths) = try await Self.pages(path, of: HourlySummary.self, server, ada)
            #expect(pages.map(\.count) == [10, 10, 4])
            #expect(lengths.allSatisfy { $0 <= PageSize.byteCount }, "\(lengths)")
            let hours = pages.flatMap { $0 }
            #expect(hours.map(\.hour) == Array(0..<24))
            #expect(hours.allSatisfy { $0.captureIds == Array(ids.prefix(1_000)) && $0.captureCount == 1_500 })
            // The cursor of this day is refused for another day.
            let first = try await server.send("GET", path, as: ada)
            let cursor = try #require(try first.json()["nextCursor"] as? String)
            #expect(try await server.send("GET", "/summaries/hourly?date=2026-06-02&cursor=\(cursor)", as: ada).status == 400)
        }
    }

    @Test("a day of 25 hours with 400 captures each is one page", arguments: Engine.allCases)
    func usual(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            // The ids are as long as a UUID.
            try await Self.addHours(25, Self.text(captures: Self.ids(400).map { String($0.prefix(36)) }), of: ada.id, server)
            let pages = try await Self.pages("/summaries/hourly?date=\(Self.day)", of: HourlySummary.self, server, ada).pages
            #expect(pages.map(\.count) == [25])
        }
    }

    @Test("days that an earlier release stored with thousands of waiting ids come in pages, without these ids", arguments: Engine.allCases)
    func days(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let fields: [String: Any] = [
                "summary": "Tea.", "themes": ["home"], "people": [Any](), "highlights": [Any](), "captures": [Any](),
                "captureCount": 10_001, "pending": Self.ids(10_000), "pictureCount": 0, "engine": "local",
            ]
            let text = String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
            let rowBytes = RowBytes.count(searchable: [], tags: [], plain: [text])
            let owner = ada.id
            try await server.backend.database.write { tx in
                for day in ["2026-06-01", "2026-06-02", "2026-06-03"] {
                    try tx.send(
                        """
                        INSERT INTO capture_day (owner, day, zone, changed, condensed, is_scheduled, condensed_at, content, row_bytes)
                        VALUES (\(owner), \(day), 'UTC', 1, 1, 0, \(Self.midnight), \(text), \(rowBytes))
                        """)
                }
            }
            let (pages, lengths) = try await Self.pages("/summaries/daily?limit=100", of: DailySummary.self, server, ada)
            // One stored summary takes 1.3 MB, so a page has only one.
            #expect(pages.map { $0.map(\.date) } == [["2026-06-03"], ["2026-06-02"], ["2026-06-01"]])
            #expect(pages.joined().allSatisfy { $0.totalCaptures == 10_001 && $0.themes == ["home"] })
            #expect(lengths.allSatisfy { $0 < 2_000 }, "\(lengths)")
        }
    }

    @Test("long summaries are read in the caller's turn, short ones at once", arguments: Engine.allCases)
    func turns(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            try await Self.addHours(24, Self.text(captures: Self.ids(1_500)), of: ada.id, server)
            try await Self.addHours(24, Self.text(captures: ["a", "b"]), of: eve.id, server)
            let store = server.backend.features[CapturesFeature.self].store
            let request = PageRequest<HourKey>(after: nil, limit: 100)
            let waits = Mutex<[Int64]>([])
            let long = try await store.hours(ofDay: Self.day, owner: ada.id, request) { byteCount in
                waits.withLock { $0.append(byteCount) }
            }
            let lengths = waits.withLock { $0 }
            #expect(long.rows.count == 10 && lengths.count == 1)
            #expect(lengths.allSatisfy { LongWork.byteCount < $0 && $0 <= PageSize.byteCount }, "\(lengths)")
            let short = try await store.hours(ofDay: Self.day, owner: eve.id, request) { byteCount in
                waits.withLock { $0.append(byteCount) }
            }
            let count = waits.withLock { $0.count }
            #expect(short.rows.count == 24 && short.next == nil && count == 1)
        }
    }

    @Test("the names of people are read without their notes, and no summary is read that the page does not show")
    func statements() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            let owner = ada.id
            try await server.backend.database.write { tx in
                try tx.run(
                    """
                    INSERT INTO contact (id, owner, name, notes, first_seen, last_seen, mention_count, by_user, row_bytes)
                    VALUES ('p0', \(owner), 'Maria', 'n', \(Self.midnight), \(Self.midnight), 1, 1, 1)
                    """)
            }
            try await Self.addHours(12, Self.text(captures: Self.ids(1_500), people: ["p0"]), of: ada.id, server)
            let pages = try await Self.pages("/summaries/hourly?date=\(Self.day)", of: HourlySummary.self, server, ada).pages
            #expect(pages.map(\.count) == [10, 2])
            #expect(pages.joined().allSatisfy { $0.people == ["Maria"] })
        }
        let texts = record.all.map(\.text)
        let contents = texts.filter { $0.contains("FROM capture_hour") && $0.contains("content FROM") }
        let lengths = texts.filter { $0.contains("FROM capture_hour") && $0.contains("AS length FROM") }
        // The server reads the lengths of each page's summaries before the caller's turn and again in it.
        #expect(contents.count == 2 && lengths.count == 4, "\(texts.filter { $0.contains("FROM capture_hour") })")
        let names = texts.filter { $0.contains("FROM contact WHERE id IN") }
        #expect(names.count == 2 && names.allSatisfy { !$0.contains("notes") }, "\(names)")
    }
}
