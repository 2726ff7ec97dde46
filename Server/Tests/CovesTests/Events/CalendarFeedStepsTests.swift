import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing
import Web

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

/// Feeds of accounts with many coves. In addition to the coves that a test adds, Ada is in one cove without events.
@Suite("Calendar feeds of many coves")
struct CalendarFeedStepsTests {
    /// Adds coves that Ada created. She joined all of them at the same time.
    /// - Parameter description: the description of one event in each cove; `nil` for coves without events.
    private static func addCoves(_ count: Int, description: String?, _ home: EventHome) async throws {
        let (ada, now) = (home.ada.id, home.server.clock.now)
        try await home.server.backend.database.write { tx in
            for number in 0..<count {
                let id = "cove-\(1_000 + number)"
                try tx.run(
                    """
                    INSERT INTO cove (id, creator, name, location, joining, member_count, event_count, row_bytes, created_at)
                    VALUES (\(id), \(ada), 'Old', 'l', 'id', 1, 0, 0, \(now))
                    """)
                try tx.run(
                    "INSERT INTO cove_member (id, cove, account, role, joined_at) VALUES (\("m " + id), \(id), \(ada), 'ADMIN', \(now))")
                guard let description else { continue }
                try tx.run(
                    """
                    INSERT INTO cove_event (id, cove, host, name, description, date, location, row_bytes, created_at, changed_at)
                    VALUES (\("event of " + id), \(id), \(ada), 'n', \(description), \(now), 'l', 0, \(now), \(now))
                    """)
            }
        }
    }

    /// The store of the calendar. It adds each of its statements to `record`.
    private static func store(_ home: EventHome, _ record: StatementRecord = StatementRecord()) -> CalendarStore {
        let server = home.server
        return CalendarStore(
            database: ObservedDatabase(base: server.backend.database, observe: record.add),
            accounts: server.backend.features[CovesFeature.self].store.accounts, clock: server.clock.wall)
    }

    /// Sets a new calendar link for Ada, and makes its feed.
    private static func feed(_ home: EventHome, _ store: CalendarStore) async throws -> CalendarFeed {
        let (ada, now) = (home.ada.id, home.server.clock.now)
        let link = try #require(CalendarToken(String(repeating: "A", count: 43)))
        try await home.server.backend.database.run(CalendarStore.setLink(link.hash, of: ada, at: now))
        return CalendarFeed(of: ada, link: link, from: now - .days(365), ended: now - EventRules.kept, store)
    }

    /// The values of a property in the feed, in order.
    private static func values(_ name: String, _ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).replacing("\r\n ", with: "").split(separator: "\r\n").filter { $0.hasPrefix(name + ":") }
            .map { String($0.dropFirst(name.count + 1)) }
    }

    @Test("between two pieces, a feed holds no cove but the one that it is writing", arguments: StoragePair.allCases)
    func held(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            // The events of four coves fill a piece.
            try await Self.addCoves(12, description: String(repeating: "long", count: 5_000), home)
            var feed = try await Self.feed(home, Self.store(home)).next()
            #expect(feed.isFull && !feed.isComplete)
            var bytes = feed.take()
            #expect(feed.byteCount == 0)
            try await home.server.backend.database.run("UPDATE cove SET name = 'New'")
            while !feed.isComplete {
                feed = try await feed.next()
                bytes += feed.take()
            }
            let names = Self.values("CATEGORIES", bytes)
            #expect(names.count == 12 && names.filter { $0 == "Old" }.count <= 5 && names.last == "New", "\(names)")
            #expect(Set(Self.values("UID", bytes)).count == 12)
        }
    }

    @Test("a step reads at most 50 coves, and so does each statement that the version needs", arguments: StoragePair.allCases)
    func pages(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await Self.addCoves(120, description: nil, home)
            let record = StatementRecord()
            let store = Self.store(home, record)
            var feed = try await Self.feed(home, store)
            var steps = 0
            while !feed.isComplete {
                feed = try await feed.next()
                steps += 1
            }
            // Ada is in 121 coves, so the steps read 50, 50 and 21.
            #expect(steps == 3)
            #expect(record.all.filter { $0.text.contains("cove_calendar AS") }.map { $0.text.hasSuffix("LIMIT ?") } == [true, true, true])

            let made = try await home.server.send("POST", "/calendar-link", as: home.ada)
            let url = try made.decode(CalendarLink.self).url
            let token = try #require(url.split(separator: "=").last.flatMap { CalendarToken(String($0)) })
            let before = record.all.count
            let now = home.server.clock.now
            let found = try await store.feed(token, on: now, ended: now - EventRules.kept)
            #expect(found?.account == home.ada.id)
            // Leaves out the first statement, which finds the account.
            #expect(record.all.dropFirst(before + 1).map { $0.text.hasSuffix("LIMIT ?") } == [true, true, true])
        }
    }

    @Test("a feed that is being read ends with its link, at the next step", arguments: StoragePair.allCases)
    func ended(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await Self.addCoves(120, description: nil, home)
            let server = home.server
            let ends: [@Sendable () async throws -> Void] = [
                { _ = try await server.send("POST", "/calendar-link", as: home.ada) },
                { _ = try await server.send("DELETE", "/calendar-link", as: home.ada) },
                { try await server.hide(home.ada) },
            ]
            for end in ends {
                let feed = try await Self.feed(home, Self.store(home)).next()
                #expect(!feed.isComplete)
                _ = try await feed.next()
                try await end()
                await #expect(throws: Problem.self) { _ = try await feed.next() }
            }
        }
    }

    @Test("a feed has each event of each cove once, whatever the sizes of its pieces", arguments: StoragePair.allCases)
    func complete(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await Self.addCoves(130, description: String(repeating: "text", count: 400), home)
            let made = try await home.server.send("POST", "/calendar-link", as: home.ada)
            let path = try made.decode(CalendarLink.self).url
            let query = try #require(URL(string: path)?.query())
            let feed = try await home.server.send("GET", "/calendar.ics?" + query)
            #expect(feed.body.count > 3 * DownloadBody.pieceByteCount)
            #expect(Self.values("UID", Array(feed.body)) == (0..<130).map { "event of cove-\(1_000 + $0)" })
        }
    }
}
