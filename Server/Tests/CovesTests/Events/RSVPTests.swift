import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("RSVPs and guest lists")
struct RSVPTests {
    /// Adds people and their RSVPs. The clock advances by a second after each RSVP.
    private static func answer(
        _ statuses: [String], to event: String, _ home: EventHome
    ) async throws -> [(person: TestServer.Person, rsvp: String)] {
        var guests: [(TestServer.Person, String)] = []
        for (number, status) in statuses.enumerated() {
            let person = try await home.server.person("guest\(number)")
            try await home.join(person)
            let answer = try await home.rsvp(status, to: event, as: person)
            guests.append((person, try #require((answer.json()["rsvp"] as? [String: Any])?["id"] as? String, "\(answer.text)")))
            home.server.clock.advance(by: .seconds(1))
        }
        return guests
    }

    @Test("the event shows ten guests, the GOING first; the guest list shows all, newest first", arguments: StoragePair.allCases)
    func order(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let event = try await home.event()
            let statuses = [
                "NOT_GOING", "MAYBE", "GOING", "GOING", "MAYBE", "GOING", "GOING", "GOING", "GOING", "MAYBE", "GOING", "NOT_GOING",
            ]
            let guests = try await Self.answer(statuses, to: event, home)
            let shown = try await home.read(event, as: home.ada)
            #expect(shown.goingCount == 7 && shown.rsvpStatus == nil && shown.isHost)
            let expected = [10, 8, 7, 6, 5, 3, 2, 9, 4, 1].map { guests[$0].rsvp }
            #expect(shown.rsvps.map(\.id) == expected)
            #expect(shown.rsvps.map(\.status) == Array(repeating: .going, count: 7) + Array(repeating: .maybe, count: 3))
            let all = try await home.guests(event, "&limit=50", as: home.bob)
            #expect(all.members.map(\.id) == guests.reversed().map(\.rsvp) && !all.hasMore)
            #expect(all.members.map(\.userId) == guests.reversed().map(\.person.id))
            #expect(try await home.guests(event, "&limit=99", as: home.bob).members.count == 12)
            #expect(try await home.guests(event, as: home.bob).members.count == 10)
            let maybe = try await home.guests(event, "&status=MAYBE", as: home.bob)
            #expect(maybe.members.map(\.id) == Array(expected.suffix(3)))

            // A changed RSVP keeps its place and its time.
            #expect(try await home.rsvp("MAYBE", to: event, as: guests[2].person).status == 200)
            #expect(try await home.read(event, as: home.ada).goingCount == 6)
            let again = try await home.guests(event, "&limit=50", as: home.bob)
            #expect(again.members.map(\.id) == guests.reversed().map(\.rsvp))
            let changed = again.members.first { $0.id == guests[2].rsvp }
            #expect(changed?.status == .maybe)
        }
    }

    @Test(
        "pages by cursor and by plain id show each guest who stays exactly once while others come and go", arguments: StoragePair.allCases)
    func paging(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let event = try await home.event()
            let guests = try await Self.answer(Array(repeating: "GOING", count: 9), to: event, home)
            for how in ["cursor", "id", "userId"] {
                var seen: [String] = []
                var cursor: String?
                var round = 0
                repeat {
                    let page = try await home.guests(event, "&limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""), as: home.bob)
                    seen += page.members.map(\.id)
                    let last = page.members.last
                    cursor = page.hasMore ? ["cursor": page.nextCursor, "id": last?.id, "userId": last?.userId][how] ?? nil : nil
                    #expect(page.hasMore == (page.nextCursor != nil))
                    // Between the pages, the first or the last guest removes the RSVP, and the other one of these two answers.
                    round += 1
                    let (coming, leaving) = round.isMultiple(of: 2) ? (guests[0], guests[8]) : (guests[8], guests[0])
                    _ = try await home.server.sendJSON("POST", "/remove-event-rsvp", ["eventId": event], as: leaving.person)
                    _ = try await home.rsvp("GOING", to: event, as: coming.person)
                } while cursor != nil
                let stayed = guests[1...7].reversed().map(\.rsvp)
                #expect(seen.filter(stayed.contains) == stayed, "\(how)")
            }
            // A cursor is valid only for its caller, its event and its status. The id of a deleted row is not a valid cursor.
            let cursor = try #require(try await home.guests(event, "&limit=1", as: home.bob).nextCursor)
            let other = try await home.event()
            for (path, person) in [
                ("eventId=\(event)&cursor=\(cursor)", home.ada), ("eventId=\(other)&cursor=\(cursor)", home.bob),
                ("eventId=\(event)&status=GOING&cursor=\(cursor)", home.bob),
                ("eventId=\(other)&cursor=\(guests[3].rsvp)", home.bob),
                ("eventId=\(event)&status=MAYBE&cursor=\(guests[3].rsvp)", home.bob),
            ] {
                #expect(try await home.server.send("GET", "/event-members?\(path)", as: person).status == 400, "\(path)")
            }
            #expect(try await home.server.sendJSON("POST", "/remove-event-rsvp", ["eventId": event], as: guests[3].person).status == 200)
            let gone = try await home.server.send("GET", "/event-members?eventId=\(event)&cursor=\(guests[3].rsvp)", as: home.bob)
            #expect(gone.status == 400)
        }
    }

    @Test("blocked and hidden guests and hosts are not shown; counts leave out the hidden only", arguments: StoragePair.allCases)
    func visibility(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let server = home.server
            let event = try await home.event()
            let guests = try await Self.answer(["GOING", "GOING", "MAYBE", "GOING"], to: event, home)
            try await server.block(guests[0].person, by: home.bob)
            try await server.block(home.bob, by: guests[1].person)
            func seen(by person: TestServer.Person) async throws -> [String] {
                let list = try await home.guests(event, as: person).members.map(\.id)
                let shown = try await home.read(event, as: person).rsvps.map(\.id)
                #expect(Set(list) == Set(shown))
                return list
            }
            #expect(try await seen(by: home.bob) == [guests[3].rsvp, guests[2].rsvp])
            #expect(try await seen(by: home.ada).count == 4)
            #expect(try await home.read(event, as: home.bob).goingCount == 3)
            let hidden = try await server.send("GET", "/event-members?eventId=\(event)&cursor=\(guests[0].rsvp)", as: home.bob)
            #expect(hidden.status == 400)

            // A suspended guest is not shown and not counted.
            try await server.hide(guests[3].person)
            #expect(try await seen(by: home.ada).count == 3)
            #expect(try await home.read(event, as: home.ada).goingCount == 2)
            #expect(try await home.list(home.coveEvents, as: home.ada).events.map(\.goingCount) == [2])
            try await server.show(guests[3].person)
            #expect(try await seen(by: home.ada).count == 4)
            #expect(try await home.read(event, as: home.ada).goingCount == 3)

            // The host's name is hidden from Bob, who blocks the host, and from everybody while the host is suspended.
            #expect(try await home.read(event, as: home.bob).host == .init(id: home.ada.id, name: "Ada"))
            try await server.block(home.ada, by: home.bob)
            #expect(try await home.read(event, as: home.bob).host == .init(id: home.ada.id, name: ""))
            #expect(try await home.list("/calendar-events", as: home.bob).events.map(\.hostName) == [""])
            #expect(try await home.list("/calendar-events", as: guests[2].person).events.map(\.hostName) == ["Ada"])
            try await server.hide(home.ada)
            #expect(try await home.list("/calendar-events", as: guests[2].person).events.map(\.hostName) == [""])
            #expect(try await home.list("/calendar-events", as: guests[2].person).events.map(\.hostId) == [""])
            #expect(try await home.read(event, as: guests[2].person).host == .init(id: "", name: ""))
        }
    }

    @Test("RSVPs end with the membership, also when it was removed, and counts stay exact", arguments: StoragePair.allCases)
    func leaving(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (first, second) = (try await home.event(), try await home.event())
            for event in [first, second] {
                #expect(try await home.rsvp("GOING", to: event, as: home.bob).status == 200)
                #expect(try await home.rsvp("GOING", to: event, as: home.ada).status == 200)
            }
            // Bob's RSVP in another cove stays.
            let other = try await home.anotherCove("Other", by: home.bob)
            let elsewhere = try await home.event(["coveId": other], as: home.bob)
            #expect(try await home.rsvp("GOING", to: elsewhere, as: home.bob).status == 200)
            try await home.leave(home.bob)
            for event in [first, second] {
                let shown = try await home.read(event, as: home.ada)
                #expect(shown.goingCount == 1 && shown.rsvps.map(\.userId) == [home.ada.id])
            }
            #expect(try await home.read(elsewhere, as: home.bob).goingCount == 1)
            try await home.join(home.bob)
            #expect(try await home.read(first, as: home.bob).rsvpStatus == nil)
            #expect(try await home.rsvp("GOING", to: first, as: home.bob).status == 200)
            // Bob is suspended and then removed. His RSVP must not be subtracted twice.
            try await home.server.hide(home.bob)
            let removal = try await home.server.sendJSON(
                "POST", "/remove-member", ["coveId": home.cove, "userId": home.bob.id], as: home.ada)
            // A suspended member is not shown, so there is nobody to remove.
            #expect(removal.status == 404)
            try await home.server.show(home.bob)
            #expect(
                try await home.server.sendJSON("POST", "/remove-member", ["coveId": home.cove, "userId": home.bob.id], as: home.ada).status
                    == 200)
            #expect(try await home.read(first, as: home.ada).goingCount == 1)
            #expect(try await Self.countsAreExact(home.server))
        }
    }

    @Test("an account has at most 2,000 RSVPs, and can change and remove them", arguments: StoragePair.allCases)
    func limit(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (cove, ada, bob, now) = (home.cove, home.ada.id, home.bob.id, home.server.clock.now)
            try await home.server.backend.database.write { tx in
                for number in 0..<2_000 {
                    try tx.send(
                        """
                        INSERT INTO cove_event (id, cove, host, name, date, location, created_at, changed_at, row_bytes)
                        VALUES (\("event-\(number)"), \(cove), \(ada), 'Party', \(now), 'Garden', \(now), \(now), 0)
                        """)
                    try tx.send(
                        """
                        INSERT INTO cove_rsvp (id, event, cove, account, status, created_at)
                        VALUES (\("rsvp-\(number)"), \("event-\(number)"), \(cove), \(bob), 'MAYBE', \(now))
                        """)
                }
            }
            let event = try await home.event()
            let tooMany = try await home.rsvp("GOING", to: event, as: home.bob)
            #expect(tooMany.status == 409, "\(tooMany.text)")
            #expect(try await home.rsvp("GOING", to: event, as: home.ada).status == 200)
            #expect(try await home.rsvp("GOING", to: "event-0", as: home.bob).status == 200)
            #expect(try await home.server.sendJSON("POST", "/remove-event-rsvp", ["eventId": "event-1"], as: home.bob).status == 200)
            #expect(try await home.rsvp("GOING", to: event, as: home.bob).status == 200)
            try await home.leave(home.bob)
            let left = try await home.server.backend.database.read { tx in
                try tx.rows("SELECT id FROM cove_rsvp WHERE account = \(bob)").count
            }
            #expect(left == 0)
        }
    }

    /// Whether every stored count equals the number of the rows that it counts.
    static func countsAreExact(_ server: TestServer) async throws -> Bool {
        try await server.backend.database.read { tx in
            let wrong = try tx.rows(
                """
                SELECT id FROM cove_event WHERE ended_at IS NULL AND going_count <> (
                    SELECT COUNT(*) FROM cove_rsvp WHERE cove_rsvp.event = cove_event.id AND status = 'GOING' AND hidden = 0)
                """)
            let coves = try tx.rows(
                """
                SELECT id FROM cove WHERE ended_at IS NULL AND event_count <> (
                    SELECT COUNT(*) FROM cove_event WHERE cove_event.cove = cove.id AND cove_event.ended_at IS NULL)
                """)
            return wrong.isEmpty && coves.isEmpty
        }
    }

    @Test("racing answers, withdrawals and departures leave exact counts", arguments: StoragePair.allCases)
    func races(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let events = [try await home.event(), try await home.event()]
            let people = try await Self.answer(Array(repeating: "MAYBE", count: 4), to: events[0], home).map(\.person)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, person) in people.enumerated() {
                    for event in events {
                        group.addTask {
                            for round in 0..<6 {
                                let status = ["GOING", "MAYBE", "GOING", "NOT_GOING"][(round + number) % 4]
                                let answer = try await home.rsvp(status, to: event, as: person)
                                #expect(answer.status == 200 || answer.status == 403, "\(answer.text)")
                            }
                        }
                    }
                    group.addTask {
                        for _ in 0..<3 {
                            _ = try await home.server.sendJSON("POST", "/leave-cove", ["coveId": home.cove], as: person)
                            _ = try await home.server.sendJSON("POST", "/join-cove", ["coveId": home.cove], as: person)
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<3 {
                        try await home.server.suspend(people[0].id)
                        try await home.server.restore(people[0].id)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await Self.countsAreExact(home.server))
            // Nobody who is not a member has an RSVP.
            let orphans = try await home.server.backend.database.read { tx in
                try tx.rows(
                    """
                    SELECT id FROM cove_rsvp WHERE NOT EXISTS (
                        SELECT 1 FROM cove_member WHERE cove_member.cove = cove_rsvp.cove AND cove_member.account = cove_rsvp.account)
                    """
                ).count
            }
            #expect(orphans == 0)
        }
    }
}
