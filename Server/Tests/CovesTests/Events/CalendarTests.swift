import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("The calendar of all coves")
struct CalendarTests {
    /// The time `number` hours after 2026-06-01T12:00:00Z, at which the test clock starts.
    private static func hours(_ number: Int) -> String {
        WireDate.format(microseconds: (1_780_315_200 + Int64(number) * 3_600) * 1_000_000, .milliseconds)
    }

    @Test("events of all coves by date, those of equal times by id, past ones only in the calendar", arguments: StoragePair.allCases)
    func order(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let second = try await home.anotherCove("Second", by: home.bob)
            let foreign = try await home.anotherCove("Foreign", by: home.eve)
            var expected: [(date: String, id: String, cove: String)] = []
            for (cove, person, offsets) in [(home.cove, home.ada, [-30, 1, 5, 5]), (second, home.bob, [-3, 0, 2, 5])] {
                for offset in offsets {
                    let id = try await home.event(["coveId": cove, "date": Self.hours(offset)], as: person)
                    expected.append((Self.hours(offset), id, cove))
                }
            }
            _ = try await home.event(["coveId": foreign, "date": Self.hours(1)], as: home.eve)
            expected.sort { ($0.date, $0.id) < ($1.date, $1.id) }
            let calendar = try await home.list("/calendar-events", as: home.bob).events
            #expect(calendar.map(\.id) == expected.map(\.id) && calendar.map(\.coveId) == expected.map(\.cove))
            #expect(Set(calendar.map(\.coveName)) == ["Chess club", "Second"])
            let upcoming = try await home.list("/upcoming-events", as: home.bob).events
            #expect(upcoming.map(\.id) == expected.dropFirst(2).map(\.id))
            // Ada is a member of the first cove only.
            let adas = expected.filter { $0.cove == home.cove }.map(\.id)
            #expect(try await home.list("/calendar-events", as: home.ada).events.map(\.id) == adas)
            // An event begins at this moment. It is still listed, but no longer a millisecond later.
            home.server.clock.advance(by: .hours(2))
            // Bob's first access token has expired.
            let bob = try await home.server.person("bob")
            #expect(try await home.list("/upcoming-events", as: bob).events.map(\.id) == expected.suffix(4).map(\.id))
            home.server.clock.advance(by: .milliseconds(1))
            #expect(try await home.list("/upcoming-events", as: bob).events.map(\.id) == expected.suffix(3).map(\.id))

            try await home.leave(bob)
            let left = expected.filter { $0.cove == second }.map(\.id)
            #expect(try await home.list("/calendar-events", as: bob).events.map(\.id) == left)
        }
    }

    @Test("pages of every size show each event that stays exactly once while others come, move and end", arguments: StoragePair.allCases)
    func paging(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            var coves = [home.cove]
            for number in 0..<4 { coves.append(try await home.anotherCove("Cove \(number)", by: home.ada)) }
            var stays: [String] = []
            var moves: [String] = []
            for number in 0..<21 {
                // Three events share each time, and one cove has most events.
                let body: [String: Any] = ["coveId": coves[number % 3 == 0 ? number % 5 : 1], "date": Self.hours(number / 3)]
                let id = try await home.event(body)
                if number % 7 == 6 { moves.append(id) } else { stays.append(id) }
            }
            for (path, limit, byID) in [
                ("/calendar-events?", 1, false), ("/calendar-events?", 2, true), ("/calendar-events?", 5, false),
                ("/upcoming-events?", 3, true), ("/cove-events?coveId=\(coves[1])&", 2, false),
                ("/cove-events?coveId=\(coves[1])&", 3, true),
            ] {
                let all = try await home.list("\(path)limit=50", as: home.ada).events
                let expected = all.map(\.id).filter { !moves.contains($0) }
                var seen: [String] = []
                var cursor: String?
                var isMoved = false
                repeat {
                    let page = try await home.list("\(path)limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""), as: home.ada)
                    try #require(page.events.count <= limit)
                    seen += page.events.map(\.id)
                    cursor = page.pagination.hasMore ? byID ? page.events.last?.id : page.pagination.nextCursor : nil
                    // Between the pages, an event is added and deleted again, and another one is moved. The event that is the cursor is not
                    // moved.
                    let new = try await home.event(["coveId": coves[2], "date": Self.hours(isMoved ? -2 : 3)])
                    let moved = moves.first { $0 != cursor }
                    if let moved {
                        let body: [String: Any] = ["eventId": moved, "date": Self.hours(isMoved ? 6 : 0)]
                        #expect(try await home.server.sendJSON("POST", "/edit-event", body, as: home.ada).status == 200)
                    }
                    #expect(try await home.server.sendJSON("POST", "/delete-event", ["eventId": new], as: home.ada).status == 200)
                    isMoved.toggle()
                } while cursor != nil
                let shown = seen.filter { expected.contains($0) }
                #expect(shown == expected, "\(path) \(limit)")
            }
        }
    }

    @Test("control: pages by OFFSET miss an event when one before it ends", arguments: StoragePair.allCases)
    func control(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            var ids: [String] = []
            for number in 0..<4 { ids.append(try await home.event(["date": Self.hours(number)])) }
            let (database, cove) = (home.server.backend.database, home.cove)
            func page(_ offset: Int) async throws -> [String] {
                try await database.read { tx in
                    try tx.rows(
                        """
                        SELECT id FROM cove_event WHERE cove = \(cove) AND ended_at IS NULL ORDER BY date, id LIMIT 2 OFFSET \(offset)
                        """
                    ).map { try $0.get("id") }
                }
            }
            let first = try await page(0)
            #expect(try await home.server.sendJSON("POST", "/delete-event", ["eventId": ids[0]], as: home.ada).status == 200)
            let second = try await page(2)
            #expect(first + second != ids && !second.contains(ids[2]))
        }
    }

    @Test("a cursor belongs to its list and its caller", arguments: StoragePair.allCases)
    func cursors(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            for number in 0..<3 { _ = try await home.event(["date": Self.hours(number)]) }
            let foreignCove = try await home.anotherCove("Foreign", by: home.eve)
            let foreign = try await home.event(["coveId": foreignCove], as: home.eve)
            let page = try await home.list("/calendar-events?limit=1", as: home.bob)
            let cursor = try #require(page.pagination.nextCursor)
            for (path, person) in [
                ("/calendar-events", home.ada), ("/upcoming-events", home.bob), (home.coveEvents, home.bob), ("/friends", home.bob),
            ] {
                let separator = path.contains("?") ? "&" : "?"
                #expect(try await home.server.send("GET", "\(path)\(separator)cursor=\(cursor)", as: person).status == 400, "\(path)")
            }
            // An event that the caller does not see is not accepted as a cursor.
            for path in ["/calendar-events?", "/upcoming-events?", home.coveEvents + "&"] {
                #expect(try await home.server.send("GET", "\(path)cursor=\(foreign)", as: home.bob).status == 400, "\(path)")
            }
            #expect(try await home.server.send("GET", "\(home.coveEvents)&cursor=\(page.events[0].id)", as: home.eve).status == 403)
        }
    }

    @Test("a member of a thousand coves gets the same pages as by sorting all events", arguments: StoragePair.allCases)
    func manyCoves(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (database, ada, now) = (home.server.backend.database, home.ada.id, home.server.clock.now)
            var random = SplitMix64(seed: 7)
            var all: [(date: Int64, id: String)] = []
            var rows: [(cove: Int, id: String, date: Int64)] = []
            for cove in 0..<999 {
                for number in 0..<[0, 1, 1, 3].randomElement(using: &random)! {
                    let date = now.microseconds + Int64.random(in: -50...50, using: &random) * 1_000_000
                    let id = "event-\(1_000 + cove)-\(number)"
                    rows.append((cove, id, date))
                    all.append((date, id))
                }
            }
            let events = rows
            try await database.write { tx in
                for cove in 0..<999 {
                    let id = "cove-\(1_000 + cove)"
                    try tx.run(
                        """
                        INSERT INTO cove (id, creator, name, location, joining, member_count, event_count, row_bytes, created_at)
                        VALUES (\(id), \(ada), \(id), 'l', 'id', 1, 0, 0, \(now))
                        """)
                    try tx.run(
                        """
                        INSERT INTO cove_member (id, cove, account, role, joined_at) VALUES (\("m " + id), \(id), \(ada), 'ADMIN', \(now))
                        """)
                }
                for event in events {
                    try tx.run(
                        """
                        INSERT INTO cove_event (id, cove, host, name, date, location, row_bytes, created_at, changed_at)
                        VALUES (\(event.id), \("cove-\(1_000 + event.cove)"), \(ada), 'n', \(event.date), 'l', 0, \(now), \(now))
                        """)
                }
            }
            all.sort { ($0.date, $0.id) < ($1.date, $1.id) }
            for (path, expected) in [
                ("/calendar-events?limit=50", all), ("/upcoming-events?limit=17", all.filter { $0.date >= now.microseconds }),
            ] {
                var seen: [String] = []
                var cursor: String?
                repeat {
                    let page = try await home.list(path + (cursor.map { "&cursor=\($0)" } ?? ""), as: home.ada)
                    seen += page.events.map(\.id)
                    cursor = page.pagination.nextCursor
                } while cursor != nil
                #expect(seen == expected.map(\.id), "\(path)")
            }
        }
    }
}
