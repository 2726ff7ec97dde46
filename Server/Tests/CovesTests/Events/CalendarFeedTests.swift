import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Calendar feeds")
struct CalendarFeedTests {
    /// - Returns: the path and query of the new link.
    private static func link(_ person: TestServer.Person, _ home: EventHome) async throws -> String {
        let answer = try await home.server.send("POST", "/calendar-link", as: person)
        let link = try answer.decode(CalendarLink.self)
        #expect(try Set(answer.json().keys) == ["message", "url"])
        return try #require(URL(string: link.url)?.query().map { "/calendar.ics?\($0)" }, "\(answer.text)")
    }

    /// The values of a property in the feed, in order, without escapes.
    private static func values(_ name: String, _ feed: TestServer.Answer) -> [String] {
        feed.text.replacing("\r\n ", with: "").split(separator: "\r\n").filter { $0.hasPrefix(name + ":") }
            .map { String($0.dropFirst(name.count + 1)) }
    }

    @Test("the feed has the events of all coves from a year ago on, and needs no other credential", arguments: StoragePair.allCases)
    func feed(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            // The feed has the coves in the order in which they were joined.
            home.server.clock.advance(by: .seconds(1))
            let second = try await home.anotherCove("Second, of Bob", by: home.bob)
            for (name, date) in [
                ("long ago", "2025-05-31T10:00:00Z"), ("a year ago", "2025-06-01T12:00:00Z"), ("soon", "2026-06-02T10:00:00.900Z"),
            ] { _ = try await home.event(["name": name, "date": date, "description": "a; b"]) }
            _ = try await home.event(["coveId": second, "name": "there", "date": "2030-01-01T23:30:00Z"], as: home.bob)
            let link = try await Self.link(home.bob, home)
            let feed = try await home.server.send("GET", link)
            #expect(feed.status == 200)
            #expect(feed.header("Content-Type") == "text/calendar; charset=utf-8")
            #expect(feed.header("Cache-Control") == "private, no-cache")
            #expect(feed.header("Content-Disposition") == #"attachment; filename="calendar.ics""#)
            #expect(Self.values("SUMMARY", feed) == ["a year ago", "soon", "there"])
            #expect(Self.values("DTSTART", feed) == ["20250601T120000Z", "20260602T100000Z", "20300101T233000Z"])
            #expect(Self.values("DTEND", feed) == ["20250601T140000Z", "20260602T120000Z", "20300102T013000Z"])
            #expect(Self.values("CATEGORIES", feed) == ["Chess club", "Chess club", #"Second\, of Bob"#])
            #expect(Self.values("DESCRIPTION", feed) == [#"a\; b"#, #"a\; b"#])
            #expect(Self.values("STATUS", feed) == ["CONFIRMED", "CONFIRMED", "CONFIRMED"])
            #expect(feed.text.hasPrefix("BEGIN:VCALENDAR\r\n") && feed.text.hasSuffix("END:VCALENDAR\r\n"))
            let head = try await home.server.send("HEAD", link)
            #expect(head.status == 200 && head.header("ETag") == feed.header("ETag"))
            // Ada's feed does not have Bob's cove; a person without coves has an empty calendar.
            let adas = try await home.server.send("GET", try await Self.link(home.ada, home))
            #expect(Self.values("SUMMARY", adas) == ["a year ago", "soon"])
            let eves = try await home.server.send("GET", try await Self.link(home.eve, home))
            #expect(eves.status == 200 && Self.values("BEGIN", eves) == ["VCALENDAR"])
        }
    }

    @Test("the ETag changes with whatever the feed shows, and only then", arguments: StoragePair.allCases)
    func etags(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let server = home.server
            let event = try await home.event()
            let link = try await Self.link(home.bob, home)
            var last = try await server.send("GET", link)
            func changes(_ change: () async throws -> Void) async throws -> Bool {
                try await change()
                let etag = try #require(last.header("ETag"))
                let answer = try await server.send("GET", link, headers: [("If-None-Match", etag)])
                if answer.status == 304 {
                    #expect(answer.body.isEmpty && answer.header("ETag") == etag)
                    #expect(try await server.send("GET", link).body == last.body)
                    return false
                }
                #expect(answer.status == 200 && answer.header("ETag") != etag && answer.body != last.body)
                last = answer
                return true
            }
            func edit(_ path: String, _ body: [String: String]) async throws {
                #expect(try await server.sendJSON("POST", path, body, as: home.ada).status == 200)
            }
            let isSame = try await [
                changes {}, changes { server.clock.advance(by: .minutes(30)) },
                // The feed does not show RSVPs.
                changes { _ = try await home.rsvp("GOING", to: event, as: home.ada) },
            ]
            #expect(isSame == [false, false, false])
            let other = try await home.anotherCove("Other", by: home.ada)
            _ = try await home.event(["coveId": other])
            let isNew = try await [
                changes { try await edit("/edit-event", ["eventId": event, "name": "n"]) },
                changes { _ = try await home.event() },
                changes { try await edit("/edit-cove", ["coveId": home.cove, "name": "New"]) },
                changes { try await edit("/delete-event", ["eventId": event]) },
                changes { try await home.join(home.bob, other) },
                changes { try await home.leave(home.bob) },
                changes { server.clock.advance(by: .days(400)) },
            ]
            #expect(isNew == Array(repeating: true, count: 7))
            let stale = try await server.send("GET", link, headers: [("If-Match", "\"other\"")])
            #expect(stale.status == 412)
        }
    }

    @Test("an event that ended is cancelled for 30 days, also with its cove, and then gone", arguments: StoragePair.allCases)
    func cancelled(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let server = home.server
            let event = try await home.event(["date": "2026-07-15T10:00:00Z"])
            _ = try await home.rsvp("GOING", to: event, as: home.bob)
            let link = try await Self.link(home.bob, home)
            #expect(try await server.sendJSON("POST", "/delete-event", ["eventId": event], as: home.ada).status == 200)
            let feed = try await server.send("GET", link)
            #expect(Self.values("UID", feed) == [event] && Self.values("STATUS", feed) == ["CANCELLED"])
            #expect(Self.values("SEQUENCE", feed) == ["1"])

            let other = try await home.anotherCove("Other", by: home.ada)
            let taken = try await home.event(["coveId": other, "date": "2026-07-15T10:00:00Z"])
            try await home.join(home.bob, other)
            #expect(try await server.sendJSON("POST", "/delete-cove", ["coveId": other], as: home.ada).status == 200)
            let both = try await server.send("GET", link)
            #expect(Set(Self.values("UID", both)) == [event, taken] && Self.values("STATUS", both) == ["CANCELLED", "CANCELLED"])

            server.clock.advance(by: .days(29))
            let still = try await server.send("GET", link)
            #expect(Self.values("UID", still).count == 2)
            server.clock.advance(by: .days(3))
            let none = try await server.send("GET", link)
            #expect(Self.values("UID", none) == [])
        }
    }

    @Test("a link ends with its deletion, with the next link, and with its account", arguments: StoragePair.allCases)
    func links(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let server = home.server
            _ = try await home.event()
            func status(_ link: String) async throws -> Int {
                let answer = try await server.send("GET", link)
                if answer.status != 200 { #expect(try Set(answer.json().keys) == ["message"]) }
                return answer.status
            }
            let first = try await Self.link(home.bob, home)
            #expect(try await status(first) == 200)
            let second = try await Self.link(home.bob, home)
            #expect(try await status(first) == 404)
            #expect(try await status(second) == 200)
            // Only a hash of the token is stored.
            let token = try #require(second.split(separator: "=").last)
            #expect(try await server.tables(holding: String(token), pair) == [])
            let deleted = try await server.send("DELETE", "/calendar-link", as: home.bob)
            #expect(deleted.status == 200)
            #expect(try deleted.decode(JSONValue.self) == EventHome.value(#"{"message":"The calendar link was deleted."}"#))
            #expect(try await status(second) == 404)
            #expect(try await server.send("DELETE", "/calendar-link", as: home.bob).status == 200)
            for wrong in ["x", String(repeating: "A", count: 43), String(repeating: "A", count: 500)] {
                #expect(try await status("/calendar.ics?token=\(wrong)") == 404)
            }
            #expect(try await server.send("POST", "/calendar-link").status == 401)
            #expect(try await server.send("DELETE", "/calendar-link").status == 401)

            // The link of a suspended account works again when the account is restored. The link of a closed account never works again.
            let third = try await Self.link(home.bob, home)
            try await server.hide(home.bob)
            #expect(try await status(third) == 404)
            try await server.show(home.bob)
            #expect(try await status(third) == 200)
            #expect(try await server.send("POST", "/auth/delete", as: home.bob).status == 200)
            #expect(try await status(third) == 404)
        }
    }

    @Test("a large feed is sent in pieces and is complete", arguments: StoragePair.allCases)
    func large(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (ada, cove, now) = (home.ada.id, home.cove, home.server.clock.now)
            let text = String(repeating: "long text, ", count: 50)
            try await home.server.backend.database.write { tx in
                for number in 0..<450 {
                    // Groups of seven events share a date, and every third event has ended.
                    let ended = number % 3 == 0 ? now : nil
                    try tx.run(
                        """
                        INSERT INTO cove_event (
                            id, cove, host, name, description, date, location, row_bytes, created_at, changed_at, ended_at)
                        VALUES (\("e\(number)"), \(cove), \(ada), 'n', \(text), \(now + .seconds(Int64(number / 7))), 'l', 0, \(now), \(now), \(ended))
                        """)
                }
            }
            let feed = try await home.server.send("GET", try await Self.link(home.bob, home))
            let uids = Self.values("UID", feed)
            #expect(uids.count == 450 && Set(uids).count == 450)
            let cancelled = Self.values("STATUS", feed).count { $0 == "CANCELLED" }
            #expect(cancelled == 150)
            let lines = feed.body.split(separator: 0x0A).map(\.count)
            // The lengths include the CR, so the limit is 76 instead of 75.
            #expect(lines.max() ?? 0 <= 76)
        }
    }

    @Test("long events fill several pieces of the file, each once and in order", arguments: StoragePair.allCases)
    func long(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let names = (10..<50).map { "Party \($0)" }
            for (index, name) in names.enumerated() {
                // Every fourth event is short, and the others are long.
                let text = String(repeating: "🌊", count: index % 4 == 0 ? 20 : 4_900)
                _ = try await home.event(["name": name, "description": text, "date": "2026-07-\(10 + index / 4)T10:\(10 + index):00Z"])
            }
            let feed = try await home.server.send("GET", try await Self.link(home.bob, home))
            #expect(feed.body.count > 500_000, "\(feed.body.count)")
            #expect(Self.values("SUMMARY", feed) == names)
            #expect(Self.values("DESCRIPTION", feed).map(\.count) == (0..<40).map { $0 % 4 == 0 ? 20 : 4_900 })
            #expect(feed.text.hasSuffix("END:VCALENDAR\r\n"))
        }
    }
}
