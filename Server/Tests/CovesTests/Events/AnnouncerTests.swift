import Core
import Database
import FeatureKit
import Foundation
import Jobs
import KeepsakeWire
import Live
import TestKit
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

@Suite("Live events for all members of a cove")
struct AnnouncerTests {
    /// How often each account was notified.
    private static func received(_ kind: String, _ home: EventHome) async throws -> [String: Int] {
        try await home.server.backend.database.read { tx in
            try tx.rows("SELECT account, COUNT(*) AS count FROM event WHERE kind = \(kind) GROUP BY account").reduce(into: [:]) {
                received, row in
                received[try row.get("account")] = try row.get("count", as: Int.self)
            }
        }
    }

    private static func open(_ home: EventHome) async throws -> Int {
        try await home.server.backend.database.read { tx in try tx.rows("SELECT id FROM cove_announcement").count }
    }

    @Test("fifty members are told in the write itself, fifty-one by a job", arguments: StoragePair.allCases)
    func direct(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            // The members are Ada, Bob and 48 others.
            try await home.addMembers(0..<48)
            let announcer = Self.announcer(home)
            let cove = home.cove
            @Sendable func notify() async throws -> Int {
                try await home.server.backend.database.write { tx in
                    try announcer.notify(cove: cove, kind: "test.told", payload: ["a": 1], except: nil, tx)
                    return try tx.rows("SELECT id FROM cove_announcement").count
                }
            }
            #expect(try await notify() == 0)
            let first = try await Self.received("test.told", home)
            #expect(first.count == 50 && Set(first.values) == [1])
            try await home.addMembers(48..<49)
            #expect(try await notify() == 1)
            try await eventually { try await Self.open(home) == 0 }
            let second = try await Self.received("test.told", home)
            let twice = second.filter { $0.value == 2 }
            #expect(second.count == 51 && second[EventHome.member(48)] == 1 && twice.count == 50)
        }
    }

    @Test("each of 450 members is told once, in the order of batches, with the same payload", arguments: StoragePair.allCases)
    func batches(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await home.addMembers(0..<448)
            let event = try await home.event()
            try await eventually { try await Self.open(home) == 0 }
            let received = try await Self.received("cove.event.added", home)
            #expect(received.count == 450 && Set(received.values) == [1])
            let payloads = try await home.server.backend.database.read { tx in
                try tx.rows("SELECT DISTINCT payload FROM event WHERE kind = 'cove.event.added'").map {
                    try $0.get("payload", as: String.self)
                }
            }
            #expect(payloads == [#"{"coveId":"\#(home.cove)","eventId":"\#(event)"}"#])
        }
    }

    @Test(
        "hidden members, the actor and those it shares a block with are not told, in the write and by the job",
        arguments: StoragePair.allCases)
    func skipped(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let announcer = Self.announcer(home)
            let (cove, ada) = (home.cove, home.ada.id)
            try await home.addMembers(0..<5)
            func person(_ number: Int) -> TestServer.Person { TestServer.Person(id: EventHome.member(number), token: "") }
            try await home.server.block(person(0), by: home.ada)
            try await home.server.block(home.ada, by: person(1))
            try await home.server.hide(person(2))
            func notify(_ kind: Event.Kind) async throws {
                try await home.server.backend.database.write { tx in
                    try announcer.notify(cove: cove, kind: kind, payload: [String: String](), except: ada, tx)
                }
                try await eventually { try await Self.open(home) == 0 }
            }
            let expected: Set = [home.bob.id, EventHome.member(3), EventHome.member(4)]
            try await notify("test.few")
            let few = try await Self.received("test.few", home)
            #expect(Set(few.keys) == expected && Set(few.values) == [1])
            try await home.addMembers(5..<60)
            try await notify("test.many")
            let many = try await Self.received("test.many", home)
            let all = expected.union((5..<60).map(EventHome.member))
            #expect(Set(many.keys) == all && Set(many.values) == [1])
        }
    }

    @Test("a member whose account is suspended after the cove has ended is not told", arguments: StoragePair.allCases)
    func hiddenAfterTheEnd(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let announcer = Self.announcer(home)
            let (cove, now) = (home.cove, home.server.clock.now)
            try await home.server.backend.database.run("UPDATE cove SET ended_at = \(now) WHERE id = \(cove)")
            try await home.server.hide(home.bob)
            try await home.server.backend.database.write { tx in
                try announcer.notify(cove: cove, kind: "test.ended", payload: [String: String](), except: nil, tx)
            }
            #expect(try await Self.received("test.ended", home) == [home.ada.id: 1])
        }
    }

    @Test("what happens while an announcement is under way: joining, leaving, a closed actor", arguments: StoragePair.allCases)
    func meanwhile(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await home.addMembers(0..<300)
            let announcer = Self.announcer(home)
            let (cove, bob) = (home.cove, home.bob.id)
            let database = home.server.backend.database
            // Stores an announcement without a job, so that the test runs the steps itself.
            func announce(_ id: String, by actor: String?) async throws {
                let announcement = Announcement(
                    id: id, cove: cove, kind: "test.\(id)", subject: nil, payload: #"{"n":1}"#, actor: actor, told: "",
                    createdAt: home.server.clock.now)
                try await database.write { tx in _ = try tx.row(CoveAnnouncer.store(announcement)) }
            }
            @Sendable func step(_ id: String) async throws {
                try await database.write { tx in
                    try announcer.notifyNext(id, tx)
                    try tx.run("DELETE FROM job WHERE kind = 'coves/announce'")
                }
            }
            try await announce("one", by: nil)
            try await step("one")
            // A step considers 200 members, in the order of their ids. The ids of Ada and Bob sort either before or after all of
            // `member-…`.
            #expect(try await Self.received("test.one", home).count == 200)
            let last = EventHome.member(299)
            let gone: Int = try await database.write { tx in
                try tx.run("DELETE FROM cove_member WHERE account = \(last)")
            }
            #expect(gone == 1)
            try await home.addMembers(300..<301)
            try await step("one")
            let received = try await Self.received("test.one", home)
            #expect(received.count == 302 && received[last] == nil && received[EventHome.member(300)] == 1 && Set(received.values) == [1])
            // The announcement is finished, and a further step does nothing.
            try await step("one")
            #expect(try await Self.open(home) == 0)

            try await announce("two", by: bob)
            try await step("two")
            try await home.server.hide(home.bob)
            try await step("two")
            #expect(try await Self.received("test.two", home).count <= 200)
            #expect(try await Self.open(home) == 0)
        }
    }

    @Test("changes of one event in quick succession are merged, and members are told of the last", arguments: StoragePair.allCases)
    func merging(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await home.addMembers(0..<60)
            let event = try await home.event()
            try await eventually { try await Self.open(home) == 0 }
            let announcer = Self.announcer(home)
            let (cove, ada, bob) = (home.cove, home.ada.id, home.bob.id)
            let database = home.server.backend.database
            // This is one write, so that the job cannot run between the calls.
            let actors: [String?] = try await database.write { tx in
                for actor in [ada, ada, bob, ada] {
                    try announcer.notify(
                        cove: cove, kind: "test.merged", payload: ["n": actor == bob ? 3 : 1], except: actor, merging: event, tx)
                }
                return try tx.rows("SELECT actor FROM cove_announcement").map { try $0.get("actor") }
            }
            // There is one announcement. It names no actor, because several accounts caused it.
            #expect(actors == [nil])
            try await eventually { try await Self.open(home) == 0 }
            let received = try await Self.received("test.merged", home)
            // Each member is told of the first change, and once of all later ones.
            #expect(received.count == 62 && Set(received.values) == [2])
            let other = try await home.event()
            let open: Int = try await database.write { tx in
                for subject in [event, other] {
                    try announcer.notify(cove: cove, kind: "test.other", payload: ["n": 1], except: ada, merging: subject, tx)
                }
                return try tx.rows("SELECT id FROM cove_announcement WHERE kind = 'test.other'").count
            }
            #expect(open == 2)
            try await eventually { try await Self.open(home) == 0 }
        }
    }

    @Test("each job takes the turn of the account that caused the event, or of the cove", arguments: StoragePair.allCases)
    func turns(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await home.addMembers(0..<300)
            let announcer = Self.announcer(home)
            let (cove, ada, bob) = (home.cove, home.ada.id, home.bob.id)
            // This is one write, so that the server's jobs cannot run between its statements.
            let (first, next): ([String?], [String?]) = try await home.server.backend.database.write { tx in
                func keys() throws -> [String?] {
                    try tx.rows("SELECT turn_key FROM job WHERE kind = 'coves/announce'").map { try $0.get("turn_key") }
                }
                try tx.run("DELETE FROM job WHERE kind = 'coves/announce'")
                for actor in [ada, bob, nil] {
                    try announcer.notify(cove: cove, kind: "test.turns", payload: ["n": 1], except: actor, tx)
                }
                let first = try keys()
                try tx.run("DELETE FROM job WHERE kind = 'coves/announce'")
                for row in try tx.rows("SELECT id FROM cove_announcement WHERE kind = 'test.turns'") {
                    try announcer.notifyNext(row.get("id"), tx)
                }
                return (first, try keys())
            }
            let expected: Set<String?> = Set([ada, bob, cove].map { JobTurnKey(party: JobTurnKey.part(of: $0)).text })
            #expect(first.count == 3 && Set(first) == expected)
            #expect(next.count == 3 && Set(next) == expected)
        }
    }

    @Test("events that one account can cause again and again are limited for each day", arguments: StoragePair.allCases)
    func budget(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            var announcer = Self.announcer(home)
            announcer.budget = CoveNoticeBudget(limit: 3)
            let (limited, cove, ada, bob) = (announcer, home.cove, home.ada.id, home.bob.id)
            @Sendable func notify(_ actor: String?, _ subject: String?, always: Bool = false) async throws {
                try await home.server.backend.database.write { tx in
                    try limited.notify(
                        cove: cove, kind: "test.often", payload: ["n": 1], except: actor, merging: subject, always: always, tx)
                }
            }
            for number in 0..<5 { try await notify(bob, number.isMultiple(of: 2) ? "event" : nil) }
            #expect(try await Self.received("test.often", home) == [ada: 3])
            // There is no limit for other accounts, for the server itself, and for events that an account cannot cause again and again.
            try await notify(ada, "event")
            try await notify(nil, "event")
            try await notify(bob, nil, always: true)
            #expect(try await Self.received("test.often", home) == [ada: 5, bob: 2])
            home.server.clock.advance(by: .days(1))
            try await notify(bob, "event")
            #expect(try await Self.received("test.often", home) == [ada: 6, bob: 2])
        }
    }

    @Test("an account that changes its answer to an event all the time does not fill the others' event logs", arguments: Engine.allCases)
    func answers(_ engine: Engine) async throws {
        try await EventHome.run(StoragePair(engine)) { home in
            let (event, bob) = (try await home.event(), home.bob.id)
            let store = home.server.backend.features[CovesFeature.self].events.store
            while store.announcer.budget.spend(bob, at: home.server.clock.now) {}
            for number in 0..<10 { _ = try await store.setRSVP(number.isMultiple(of: 2) ? .going : .maybe, of: bob, to: event) }
            // Only Bob's own devices are notified of the changes.
            #expect(try await Self.received("cove.rsvp", home) == [bob: 10])
            home.server.clock.advance(by: .days(1))
            _ = try await store.setRSVP(.notGoing, of: bob, to: event)
            #expect(try await Self.received("cove.rsvp", home) == [home.ada.id: 1, bob: 11])
        }
    }

    @Test(
        "an account that creates events all the time does not fill the others' event logs; members learn of each deletion",
        arguments: Engine.allCases)
    func additions(_ engine: Engine) async throws {
        try await EventHome.run(StoragePair(engine)) { home in
            let (ada, bob) = (home.ada.id, home.bob.id)
            let store = home.server.backend.features[CovesFeature.self].events.store
            while store.announcer.budget.spend(ada, at: home.server.clock.now) {}
            for _ in 0..<2 { _ = try await home.event() }
            try await store.end(home.event(), by: ada)
            #expect(try await Self.received("cove.event.ended", home) == [ada: 1, bob: 1])
            #expect(try await Self.received("cove.event.added", home) == [ada: 3])
        }
    }

    private static func announcer(_ home: EventHome) -> CoveAnnouncer {
        home.server.backend.features[CovesFeature.self].events.store.announcer
    }
}
