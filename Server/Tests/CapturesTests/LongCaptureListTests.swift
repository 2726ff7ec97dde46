import Core
import Database
import Foundation
import KeepsakeWire
import Media
import TestKit
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("Lists of long captures")
struct LongCaptureListTests {
    private static let start = Timestamp(seconds: 1_780_315_200)

    /// Inserts captures of one day that all mention one contact, with transcriptions of `length` characters.
    private static func fill(
        _ owner: String, _ count: Int, of length: Int, in character: String = "a", _ server: TestServer
    ) async throws {
        let text = String(repeating: character, count: length)
        let rowBytes = RowBytes.count(searchable: [text], tags: [])
        try await server.backend.database.write { tx in
            try tx.send(
                """
                INSERT INTO contact (id, owner, name, first_seen, last_seen, mention_count, by_user, row_bytes)
                VALUES ('p0', \(owner), 'n', \(start), \(start), 1, 0, 1)
                """)
            for number in 0..<count {
                let (id, at) = ("c\(number)", Timestamp(seconds: 1_780_315_200 + Int64(number)))
                try tx.send(
                    """
                    INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, transcription, transcription_engine, version,
                        created_at, row_bytes)
                    VALUES (\(owner), \(id), \(at), 'UTC', '2026-06-01', 12, \(start), 'processed', \(text), 'client', 1, \(at),
                        \(rowBytes))
                    """)
                try tx.send("INSERT INTO contact_mention (owner, capture, contact, at) VALUES (\(owner), \(id), 'p0', \(at))")
            }
        }
    }

    /// The ids of each page, from the first page to the last.
    private static func listPages(_ query: String, _ server: TestServer, _ person: TestServer.Person) async throws -> [[String]] {
        var pages: [[String]] = []
        var cursor: String?
        repeat {
            let page = try await server.captures(query + (cursor.map { "&cursor=\($0)" } ?? ""), as: person)
            pages.append(page.items.map(\.id))
            cursor = page.nextCursor
        } while cursor != nil && pages.count < 10
        return pages
    }

    private static func timelinePages(_ query: String, _ server: TestServer, _ person: TestServer.Person) async throws -> [[String]] {
        var pages: [[String]] = []
        var cursor: String?
        repeat {
            let path = server.moments(person, "timeline\(query)" + (cursor.map { "&cursor=\($0)" } ?? ""))
            let answer = try await server.send("GET", path, as: person)
            try #require(answer.status == 200, "\(answer.text.prefix(200))")
            let json = try answer.json()
            let items = try #require(json["items"] as? [[String: Any]])
            pages.append(items.compactMap { ($0["capture"] as? [String: Any])?["id"] as? String })
            cursor = (json["pagination"] as? [String: Any])?["nextCursor"] as? String
        } while cursor != nil && pages.count < 10
        return pages
    }

    @Test("a page ends at 2 MB, and its cursor continues after the last capture shown", arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, 16, of: 240_000, server)
            let ids = (0..<16).reversed().map { "c\($0)" }
            let halves = [Array(ids[..<8]), Array(ids[8...])]
            for query in ["?limit=100", "?limit=100&date=2026-06-01", "?limit=100&contact=p0"] {
                let pages = try await Self.listPages(query, server, ada)
                #expect(pages == halves, "\(query): \(pages)")
            }
            for query in ["?limit=100", "?limit=100&kind=capture"] {
                let pages = try await Self.timelinePages(query, server, ada)
                #expect(pages == halves, "\(query): \(pages)")
            }
            let ascending = try await Self.timelinePages("?limit=100&order=asc", server, ada)
            #expect(ascending.flatMap { $0 } == ids.reversed() && ascending.count == 2, "\(ascending)")
            // The limit that a request sets still applies.
            #expect(try await Self.listPages("?limit=6", server, ada).map(\.count) == [6, 6, 4])
            #expect(try await Self.timelinePages("?limit=6", server, ada).map(\.count) == [6, 6, 4])
        }
    }

    @Test("a page whose characters need escapes in JSON has fewer captures, and loses none", arguments: Engine.allCases)
    func escapes(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            // A capture takes 1.44 MB as JSON. Three of them are more than the 4 MiB of one account.
            try await Self.fill(ada.id, 6, of: 240_000, in: "\u{1}", server)
            let ids = (0..<6).reversed().map { "c\($0)" }
            let captures = try await Self.listPages("?limit=100", server, ada)
            let timeline = try await Self.timelinePages("?limit=100", server, ada)
            for pages in [captures, timeline] {
                #expect(pages.map(\.count) == [2, 2, 2] && pages.flatMap { $0 } == ids, "\(pages)")
            }
        }
    }

    @Test("a capture that is longer than a page is a page by itself", arguments: Engine.allCases)
    func longest(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, 3, of: 2_200_000, server)
            #expect(try await Self.listPages("?limit=100", server, ada) == [["c2"], ["c1"], ["c0"]])
            #expect(try await Self.timelinePages("?limit=100", server, ada) == [["c2"], ["c1"], ["c0"]])
        }
    }

    @Test("a page of contacts ends at 2 MB, and reads no text of the captures whose photos it shows")
    func contacts() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, 1, of: 240_000, server)
            let notes = String(repeating: "🌊", count: StoredContact.notesLength)
            let name = String(repeating: "🌊", count: StoredContact.nameLength)
            let rowBytes = RowBytes.count(searchable: [], tags: [], plain: [name, name, notes])
            try await server.backend.database.write { tx in
                try tx.run("UPDATE capture SET photo_url = 'https://example.org/a.jpg'")
                try tx.run("DELETE FROM contact WHERE owner = \(ada.id)")
                for number in 0..<100 {
                    let seen = Timestamp(seconds: 1_780_315_200 + Int64(number))
                    try tx.send(
                        """
                        INSERT INTO contact (id, owner, name, relationship, notes, face_capture, first_seen, last_seen, mention_count,
                            by_user, row_bytes)
                        VALUES (\("q\(number)"), \(ada.id), \(name), \(name), \(notes), 'c0', \(seen), \(seen), 1, 0, \(rowBytes))
                        """)
                }
            }
            var pages: [[KnownContact]] = []
            var cursor: String?
            repeat {
                let path = "/contacts/known?limit=100" + (cursor.map { "&cursor=\($0)" } ?? "")
                let answer = try await server.send("GET", path, as: ada)
                try #require(answer.status == 200, "\(answer.text.prefix(200))")
                let page = try Surface.captures.makeDecoder().decode(ItemPage<KnownContact>.self, from: answer.body)
                pages.append(page.items)
                cursor = page.nextCursor
            } while cursor != nil && pages.count < 10
            // One contact takes 21,600 bytes, so 97 of them fit.
            #expect(pages.map(\.count) == [97, 3])
            #expect(pages.joined().map(\.id) == (0..<100).reversed().map { "q\($0)" })
            #expect(pages.joined().allSatisfy { $0.bestFacePhotoURL == "https://example.org/a.jpg" })
        }
        let reads = record.all.map(\.text).filter { $0.contains("FROM capture WHERE owner = ? AND id IN") }
        #expect(reads.count == 2 && reads.allSatisfy { !$0.contains("transcription") }, "\(reads)")
    }

    @Test("long captures are read in the caller's turn, short ones at once", arguments: Engine.allCases)
    func turns(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            try await Self.fill(ada.id, 40, of: 2_000, server)
            let store = server.backend.features[CapturesFeature.self].store
            let request = PageRequest<TimeKey>(after: nil, limit: 100)
            let long = try await store.page(owner: ada.id, .init(), request)
            #expect(long.captures == nil && long.page.rows.count == 40 && long.page.next == nil)
            let read = try #require(try await store.page(owner: ada.id, .init(), request, isInTurn: true).captures)
            #expect(read.map(\.capture.id) == long.page.rows.map(\.key.id))
            let short = try await store.page(owner: ada.id, .init(), PageRequest(after: nil, limit: 20))
            #expect(short.captures?.map(\.capture.id) == read.prefix(20).map(\.capture.id) && short.page.next == long.page.rows[19].key)
            // If the captures become longer while a request waits for its turn, the page that it reads then has fewer of them.
            let rowBytes = RowBytes.row + 240_000 * RowBytes.searchable
            try await server.backend.database.run("UPDATE capture SET row_bytes = \(rowBytes)")
            let later = try await store.page(owner: ada.id, .init(), request, isInTurn: true)
            #expect(later.captures?.count == 8 && later.page.next == long.page.rows[7].key)
            let none = try await store.page(owner: eve.id, .init(), request)
            #expect(none.captures?.isEmpty == true && none.page.next == nil)
        }
    }

    @Test("no list reads the texts of captures that it may not show, and a question about a day only their times")
    func statements() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, 16, of: 240_000, server)
            _ = try await Self.listPages("?limit=100", server, ada)
            _ = try await Self.timelinePages("?limit=100", server, ada)
            let answer = try await server.sendJSON(
                "POST", server.moments(ada, "ask"), ["text": "What happened?", "from": "2026-06-01", "to": "2026-06-01"], as: ada)
            #expect(answer.status == 200, "\(answer.text)")
        }
        let lists = record.all.map(\.text).filter { $0.contains("FROM capture WHERE capture.owner = ?") && $0.contains(" LIMIT ") }
        // Two pages of each list, which read the lengths before their turn and again in it, and the statement for the question.
        #expect(lists.count == 9 && lists.allSatisfy { !$0.contains("capture.transcription") }, "\(lists)")
        #expect(lists.count { !$0.contains("row_bytes") } == 1, "\(lists)")
    }
}
