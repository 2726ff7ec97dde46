import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import Synchronization
import TestKit
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

@Suite("Events of people who are gone, and what is deleted later")
struct EventEndingTests {
    /// Runs the deletions of `CovesFeature.erase` until nothing is left.
    private static func erase(_ account: String, _ home: EventHome) async throws {
        let features = home.server.backend.features.all
        for feature in features.reversed() {
            while try await home.server.backend.database.write({ tx in try feature.erase(account, limit: 100, tx) }) > 0 {}
        }
    }

    @Test(
        "a closed host's events vanish at once, without any job, and members are told when they are deleted",
        arguments: StoragePair.allCases)
    func closedHost(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let server = home.server
            try await home.setRole("ADMIN", of: home.bob)
            let (bobs, adas) = (try await home.event(["name": "Bob's own words"], as: home.bob), try await home.event())
            let over = try await home.event(["name": "Bob's last words"], as: home.bob)
            #expect(try await server.sendJSON("POST", "/delete-event", ["eventId": over], as: home.bob).status == 200)
            for event in [bobs, adas] {
                for person in [home.ada, home.bob] { #expect(try await home.rsvp("GOING", to: event, as: person).status == 200) }
            }
            let link = try await server.send("POST", "/calendar-link", as: home.ada).decode(CalendarLink.self).url
            let path = try #require(URL(string: link)?.query().map { "/calendar.ics?\($0)" })
            #expect(try await home.eventCount() == 2)

            let bob = home.bob.id
            // This does only what the write that closes the account does; no job follows.
            try await server.backend.database.write { [features = server.backend.features] tx in
                for feature in features.all { try feature.hide(bob, .closed(keepsCoves: false), tx) }
            }
            #expect(try await home.eventCount() == 1)
            #expect(try await home.list(home.coveEvents, as: home.ada).events.map(\.id) == [adas])
            #expect(try await home.list("/calendar-events", as: home.ada).events.map(\.goingCount) == [1])
            #expect(try await home.guests(adas, as: home.ada).members.map(\.userId) == [home.ada.id])
            #expect(try await server.send("GET", "/event?eventId=\(bobs)", as: home.ada).status == 404)
            #expect(try await home.rsvp("MAYBE", to: bobs, as: home.ada).status == 404)
            let feed = try await server.send("GET", path)
            #expect(feed.text.contains(adas) && !feed.text.contains("Bob") && !feed.text.contains(bobs) && !feed.text.contains(over))
            let end = try await server.backend.database.read { tx in
                try tx.row("SELECT ended_at FROM cove_event WHERE id = \(over)")?.get("ended_at", as: Int64.self)
            }
            #expect((end ?? 0) < -1_000_000, "a shorter number would make SQLite write the whole row again")

            try await Self.erase(bob, home)
            #expect(try await server.tables(holding: "words", pair) == [])
            let left = try await server.rowCounts(of: bob)
            let mine = left.keys.filter { $0.hasPrefix("cove") }
            #expect(mine == [])
            let ended = try await home.received(home.ada, "cove.event.ended")
            let expected = [over, bobs].map { #"cove.event.ended {"coveId":"\#(home.cove)","eventId":"\#($0)"}"# }
            #expect(ended == expected)
            #expect(try await RSVPTests.countsAreExact(server))
        }
    }

    @Test(
        "an account that hosts many events ends them in steps; if it stays open, they are deleted with its usage",
        arguments: StoragePair.allCases)
    func endedInSteps(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, bob, store) = (home.server, home.bob.id, Self.store(home.server))
            try await home.setRole("ADMIN", of: home.bob)
            let (adas, bobs) = (try await home.event(), try await home.event(as: home.bob))
            let ended = try await home.event(as: home.bob)
            #expect(try await server.sendJSON("POST", "/delete-event", ["eventId": ended], as: home.bob).status == 200)
            // Bob hosts more events than one step ends, and has answered each of the others.
            try await Self.addEvents(EventStore.closedAtOnce + 1, home)
            #expect(try await home.eventCount() == EventStore.closedAtOnce + 3)
            let hasMore = try await server.backend.database.write { tx in try store.removeSomeRSVPs(of: bob, tx) }
            let hasMoreAgain = try await server.backend.database.write { tx in try store.removeSomeRSVPs(of: bob, tx) }
            #expect(hasMore && !hasMoreAgain)
            #expect(try await RSVPTests.countsAreExact(server))

            let last = try await server.backend.database.write { tx in try store.endSome(hostedBy: bob, after: "", tx) }
            let next = try #require(last)
            let end = try await server.backend.database.write { tx in try store.endSome(hostedBy: bob, after: next, tx) }
            #expect(end == nil)
            // Ada's event and the last three of Bob's are left.
            #expect(try await home.eventCount() == 4)
            #expect(try await RSVPTests.countsAreExact(server))
            #expect(try await server.send("GET", "/event?eventId=\(bobs)", as: home.ada).status == 404)
            while try await store.removeExpired(limit: 500) > 0 {}
            let left = try await server.backend.database.read { tx in
                try tx.rows("SELECT id FROM cove_event").map { try $0.get("id", as: String.self) }
            }
            #expect(left.count == 4 && left.contains(adas) && !left.contains(ended))
            // The inserted events that are left do not count against Bob's quota.
            try await server.backend.database.write { tx in try tx.run("DELETE FROM cove_event WHERE id <> \(adas)") }
            _ = try await server.checkedUsage(of: home.bob)
        }
    }

    @Test("a step that removes RSVPs holds the locks of their coves, like the write of a member who leaves")
    func locksOfSteps() async throws {
        try await EventHome.run(.shared) { home in
            try await home.setRole("ADMIN", of: home.bob)
            try await Self.addEvents(EventStore.closedAtOnce, home)
            let (bob, store) = (home.bob.id, Self.store(home.server))
            let locks = try await home.server.backend.database.write { tx -> Int in
                #expect(try store.removeSomeRSVPs(of: bob, tx))
                let held = try tx.row("SELECT COUNT(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
                return try held?.get("n", as: Int.self) ?? 0
            }
            // Those of the cove and of Bob's RSVPs.
            #expect(locks == 2)
            #expect(try await RSVPTests.countsAreExact(home.server))
        }
    }

    /// Inserts events that Bob hosts, each with his RSVP. Their ids follow those of other events.
    private static func addEvents(_ count: Int, _ home: EventHome) async throws {
        let (cove, bob, now) = (home.cove, home.bob.id, home.server.clock.now)
        try await home.server.backend.database.write { tx in
            var (events, answers): (SQL, SQL) = ("", "")
            for number in 0..<count {
                let (id, separator): (String, SQL) = ("~\(1_000 + number)", number == 0 ? "" : ", ")
                let event: SQL = "(\(id), \(cove), \(bob), 'Party', \(now), 'Garden', 1, \(now), \(now), 0)"
                let answer: SQL = "(\("answer to " + id), \(id), \(cove), \(bob), 'GOING', \(now))"
                (events, answers) = (events + separator + event, answers + separator + answer)
            }
            let head: SQL = "INSERT INTO cove_event (id, cove, host, name, date, location, going_count, created_at, changed_at, row_bytes)"
            try tx.run(head + " VALUES " + events)
            let answerHead: SQL = "INSERT INTO cove_rsvp (id, event, cove, account, status, created_at) VALUES "
            try tx.run(answerHead + answers)
            try tx.run("UPDATE cove SET event_count = event_count + \(count) WHERE id = \(cove)")
        }
    }

    @Test("a suspended host's events stay without a name, and everything comes back", arguments: StoragePair.allCases)
    func suspendedHost(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await home.setRole("ADMIN", of: home.bob)
            let event = try await home.event(as: home.bob)
            for person in [home.ada, home.bob] { #expect(try await home.rsvp("GOING", to: event, as: person).status == 200) }
            let before = try await home.list(home.coveEvents, as: home.ada)
            try await home.server.hide(home.bob)
            let hidden = try #require(try await home.list(home.coveEvents, as: home.ada).events.first)
            #expect(hidden.hostId == "" && hidden.hostName == "" && hidden.goingCount == 1)
            #expect(try await home.eventCount() == 1)
            try await home.server.show(home.bob)
            #expect(try await home.list(home.coveEvents, as: home.ada) == before)
            #expect(try await RSVPTests.countsAreExact(home.server))
        }
    }

    @Test(
        "events that ended 30 days ago are deleted with all their RSVPs; covers of others are released", arguments: StoragePair.allCases
    )
    func expired(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let server = home.server
            let (event, kept) = (try await home.event(), try await home.event())
            try await home.addMembers(0..<30)
            let (cove, now) = (home.cove, server.clock.now)
            try await server.backend.database.write { tx in
                for number in 0..<30 {
                    try tx.run(
                        """
                        INSERT INTO cove_rsvp (id, event, cove, account, status, created_at)
                        VALUES (\("r\(number)"), \(event), \(cove), \(EventHome.member(number)), 'MAYBE', \(now))
                        """)
                }
            }
            #expect(try await server.sendJSON("POST", "/delete-event", ["eventId": event], as: home.ada).status == 200)
            let store = Self.store(server)
            #expect(try await store.removeExpired(limit: 10) == 0)
            server.clock.advance(by: .days(30))
            var counts: [Int] = []
            repeat { counts.append(try await store.removeExpired(limit: 10)) } while counts.last != 0
            // The steps delete thirty RSVPs and the event, at most ten rows at a time.
            #expect(counts == [10, 10, 10, 1, 0])
            let left = try await server.backend.database.read { tx in
                (try tx.rows("SELECT id FROM cove_event"), try tx.rows("SELECT id FROM cove_rsvp").count)
            }
            #expect(try left.0.map { try $0.get("id", as: String.self) } == [kept] && left.1 == 0)
            _ = try await server.checkedUsage(of: home.ada)
        }
    }

    @Test("the rows of a cove that ended are deleted in steps, and count against nobody any more", arguments: StoragePair.allCases)
    func endedCove(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let server = home.server
            try await home.setRole("ADMIN", of: home.bob)
            let photo = try Fixture.data("photo.jpg").base64EncodedString()
            let event = try await home.event(["coverPhoto": photo], as: home.bob)
            _ = try await home.event(["coverPhoto": photo], as: home.bob)
            let over = try await home.event()
            #expect(try await server.sendJSON("POST", "/delete-event", ["eventId": over], as: home.ada).status == 200)
            #expect(try await home.rsvp("GOING", to: event, as: home.ada).status == 200)
            #expect(try await server.checkedUsage(of: home.bob).files == 2)
            #expect(try await server.sendJSON("POST", "/delete-cove", ["coveId": home.cove], as: home.ada).status == 200)
            let (store, cove) = (Self.store(server), home.cove)
            var counts: [Int] = []
            repeat {
                counts.append(try await server.backend.database.write { tx in try store.removeSome(ofCove: cove, limit: 100, tx) })
            } while counts.last != 0
            // A write erases at most one cover, so each event with a cover is the last one of its write.
            #expect(counts.sorted() == [0, 1, 1, 2])
            let usage = try await server.checkedUsage(of: home.bob)
            #expect(usage.files == 0)
        }
    }

    @Test("a write frees nothing for an event that another write deletes meanwhile", arguments: Engine.allCases)
    func deletedMeanwhile(_ engine: Engine) async throws {
        try await EventHome.run(StoragePair(engine)) { home in
            let server = home.server
            for _ in 0..<2 { _ = try await home.event() }
            let (store, cove, ada) = (Self.store(server), home.cove, home.ada.id)
            let before = try await server.backend.database.read { tx in try QuotaUsage.kept(of: ada, tx) }
            let removed = try await server.backend.database.write { tx in
                // Deletes the events as another node would, between this write's SELECT and its DELETE.
                let observed = WriteTransaction(
                    ObservedEngine(tx.engine) { sql in
                        guard sql.text({ _ in "?" }).hasPrefix("DELETE FROM cove_event") else { return }
                        _ = try? tx.run("DELETE FROM cove_event WHERE cove = \(cove)")
                    })
                let removed = try store.removeSome(ofCove: cove, limit: 100, observed)
                try observed.end()
                return removed
            }
            // If `removeSome` returned 0, the caller would stop.
            #expect(removed == 2)
            let (after, left) = try await server.backend.database.read { tx in
                (try QuotaUsage.kept(of: ada, tx), try tx.rows("SELECT id FROM cove_event").count)
            }
            #expect(after == before && before.rowBytes > 0 && left == 0)
        }
    }

    private static func store(_ server: TestServer) -> EventStore { server.backend.features[CovesFeature.self].events.store }

    private final class Runs: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    @Test("hosts of events in coves that they have left, who close their accounts at the same time, do not deadlock")
    func closedTogether() async throws {
        try await EventHome.run(.shared) { home in
            let server = home.server
            func post(_ path: String, _ body: [String: Any], as person: TestServer.Person) async throws {
                let answer = try await server.sendJSON("POST", path, body, as: person)
                try #require(answer.status == 200, "\(path): \(answer.text)")
            }
            var hosts: [(person: TestServer.Person, cove: String)] = []
            for number in 0..<6 {
                let person = try await server.person("host\(number)")
                try await server.onboard("Host \(number)", as: person)
                hosts.append((person, try await home.anotherCove("Cove \(number)", by: person)))
            }
            for (index, host) in hosts.enumerated() {
                for (number, other) in hosts.enumerated() where number != index {
                    try await post("/join-cove", ["coveId": host.cove], as: other.person)
                    try await post("/cove-role", ["coveId": host.cove, "userId": other.person.id, "role": "ADMIN"], as: host.person)
                    _ = try await home.event(["coveId": host.cove], as: other.person)
                    if (index + number).isMultiple(of: 2) { try await post("/leave-cove", ["coveId": host.cove], as: other.person) }
                }
            }
            // Calls `hide` without a route, because the routes let such writes take turns on one node. On several nodes, only the lock of
            // `AccountVisibility` does. A write that deadlocks runs again, and `runs` counts it twice.
            let (runs, ids) = (Runs(), hosts.map(\.person.id))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in ids {
                    group.addTask {
                        try await server.backend.database.write { [features = server.backend.features] tx in
                            // The write also runs again when very many writes wait for a lock, see `LockWaits`.
                            try tx.lock("account visibility")
                            runs.add()
                            for feature in features.all { try feature.hide(id, .closed(keepsCoves: false), tx) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(runs.count == ids.count)
        }
    }
}
