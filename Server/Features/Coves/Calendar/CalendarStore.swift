import Accounts
import Core
import Database
import FeatureKit

/// The events of all coves of an account. The store has the SQL of the table `cove_calendar_link`, and reads the tables of coves and
/// events.
struct CalendarStore: Sendable {
    let database: any Database
    let accounts: AccountsFeature
    let clock: WallClock

    // MARK: Lists

    /// The events of the account's coves, soonest first.
    ///
    /// A page costs two look-ups for each of the account's coves, of which there are at most `CoveRules.maxMemberships`. A page of n rows
    /// reads the events of at most n coves, and at most n events of each. So the cost does not depend on how many events the coves have.
    /// - Parameter from: only events from this time on; `nil` for all.
    func events(
        of account: String, from: Timestamp?, _ request: PageRequest<TimeKey>
    ) async throws -> Page<EventCard, TimeKey> {
        let rows = try await database.read { tx in
            let positions = try Self.positions(of: account, after: Self.start(request.after, from), limit: request.rowLimit, tx)
            guard !positions.isEmpty else { return [EventCard]() }
            let cards = try tx.list(EventStore.events(positions.map(\.id), seenBy: account)) { try EventCard(&$0) }
            let byID = Dictionary(uniqueKeysWithValues: cards.map { ($0.id, $0) })
            return positions.compactMap { byID[$0.id] }
        }
        return Page(rows, limit: request.limit) { TimeKey(at: $0.date, id: $0.id) }
    }

    /// The position of an event in the account's calendar; `nil` when it is not there.
    func position(of id: String, in account: String) async throws -> TimeKey? {
        try await database.read { tx in
            try tx.row(Self.date(of: id, for: account)).map { TimeKey(at: try $0.get("date"), id: id) }
        }
    }

    /// The positions of the next events after `start`, soonest first.
    ///
    /// The function reads the coves in the order of their first events, because a page of n events can only contain events of the first n
    /// coves. It stops at the first cove whose first event comes after the page's last event, and reads no cove beyond that event.
    static func positions(of account: String, after start: TimeKey, limit: Int, _ tx: ReadTransaction) throws -> [TimeKey] {
        let coves = try tx.list(first(of: account, after: start)) { row -> (cove: String, first: TimeKey)? in
            let cove: String = try row.next("cove")
            let date: Timestamp? = try row.next("date")
            let id: String? = try row.next("id")
            guard let date, let id else { return nil }
            return (cove, TimeKey(at: date, id: id))
        }
        var positions: [TimeKey] = []
        for (cove, first) in coves.compactMap({ $0 }).sorted(by: { $0.first.precedes($1.first) }).prefix(limit) {
            let before = positions.prefix { $0.precedes(first) }.count
            guard before < limit else { break }
            let end = positions.count == limit ? positions[limit - 1].at : Timestamp(microseconds: .max)
            positions += try tx.list(EventStore.positions(in: cove, after: start, until: end, limit: limit - before)) { row in
                TimeKey(at: try row.next("date"), id: try row.next("id"))
            }
            positions.sort { $0.precedes($1) }
            positions.removeLast(max(0, positions.count - limit))
        }
        return positions
    }

    /// A position before all events.
    private static let beginning = TimeKey(at: Timestamp(microseconds: .min), id: "")

    private static func start(_ after: TimeKey?, _ from: Timestamp?) -> TimeKey {
        let after = after ?? beginning
        // This key comes before all events at exactly this time, because the id of an event is never empty.
        guard let from else { return after }
        let first = TimeKey(at: from, id: "")
        return after.precedes(first) ? first : after
    }

    // MARK: The feed

    /// The most coves of a feed that are read at a time: an account may have thousands of them.
    static let feedCoveCount = 50

    /// A cove of the account, as far as the feed depends on it.
    struct FeedCove: Sendable, Equatable {
        let id: String
        let name: String
        let endedAt: Timestamp?
        let joinedAt: Timestamp
        /// How often the cove's events were changed.
        let version: Int64

        init(_ row: inout RowReader) throws {
            id = try row.next("id")
            name = try row.next("name")
            endedAt = try row.next("ended_at")
            joinedAt = try row.next("joined_at")
            let version: Int64? = try row.next("version")
            self.version = version ?? 0
        }

        /// The position after the cove in the feed.
        var key: TimeKey { TimeKey(at: joinedAt, id: id) }
    }

    /// An event of the feed.
    struct FeedEvent: Sendable, Equatable {
        let id: String
        let name: String
        let description: String?
        let date: Timestamp
        let location: String
        let revision: Int
        let createdAt: Timestamp
        let changedAt: Timestamp
        let endedAt: Timestamp?

        /// The position after the event, in the order of the list that it comes from.
        var key: TimeKey { TimeKey(at: endedAt ?? date, id: id) }
    }

    /// The account that a link belongs to, and the version of the account's feed on this day.
    /// - Parameter ended: a time; the feed leaves out coves that ended before.
    /// - Returns: `nil` when no open account has a link with this token.
    func feed(_ token: CalendarToken, on today: Timestamp, ended: Timestamp) async throws -> (account: String, version: String)? {
        try await database.read { tx in
            guard let account = try Self.account(of: token, tx) else { return nil }
            var version = CalendarVersion(of: account, on: today)
            var last: TimeKey?
            while true {
                let page = Self.feedCoves(of: account, ended: ended, after: last, limit: Self.feedCoveCount)
                let coves = try tx.list(page, FeedCove.init)
                for cove in coves { version.add(cove) }
                guard coves.count == Self.feedCoveCount else { break }
                last = coves.last?.key
            }
            return (account, version.text)
        }
    }

    /// The account that the link belongs to; `nil` when no open account has a link with this token.
    func account(of token: CalendarToken) async throws -> String? {
        try await database.read { tx in try Self.account(of: token, tx) }
    }

    private static func account(of token: CalendarToken, _ tx: ReadTransaction) throws -> String? {
        try tx.row(owner(ofLink: token.hash))?.get("account", as: String.self)
    }

    /// Returns at most `feedCoveCount` of the feed's next coves.
    func feedCoves(of account: String, ended: Timestamp, after last: TimeKey?) async throws -> [FeedCove] {
        try await database.list(
            Self.feedCoves(of: account, ended: ended, after: last, limit: Self.feedCoveCount), FeedCove.init)
    }

    /// Reads a page of one cove's events for the feed of a member.
    func feedEvents(_ statement: SQL) async throws -> [FeedEvent] {
        try await database.list(statement) { row in
            FeedEvent(
                id: try row.next("id"), name: try row.next("name"), description: try row.next("description"), date: try row.next("date"),
                location: try row.next("location"), revision: try row.next("revision"), createdAt: try row.next("created_at"),
                changedAt: try row.next("changed_at"), endedAt: try row.next("ended_at"))
        }
    }

    // MARK: The link

    /// Replaces the account's link.
    func setLink(_ token: CalendarToken, of viewer: Viewer) async throws {
        let account = viewer.accountID
        try await database.write { tx in
            try accounts.requireSignedIn(viewer, tx)
            try accounts.requireActive(account, tx)
            try tx.run(Self.setLink(token.hash, of: account, at: clock.now))
        }
    }

    /// - Returns: whether there was a link.
    static func endLink(of account: String, _ tx: WriteTransaction) throws -> Bool { try tx.run(deleteLink(of: account)) > 0 }

    func deleteLink(of account: String) async throws {
        try await database.write { tx in try tx.run(Self.deleteLink(of: account)) }
    }

    /// Part of the write that closes or suspends the account. A suspended account keeps its link, but `owner(ofLink:)` does not find it.
    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {
        if case .closed = reason { try tx.run(Self.deleteLink(of: account)) }
    }

    // MARK: Statements

    /// The first event after `start` in each of the account's coves.
    static func first(of account: String, after start: TimeKey) -> SQL {
        """
        SELECT member.cove,
            (SELECT event.date \(sql: next(start))) AS date,
            (SELECT event.id \(sql: next(start))) AS id
        FROM cove_member AS member JOIN cove ON cove.id = member.cove
        WHERE member.account = \(account) AND cove.ended_at IS NULL
        """
    }

    private static func next(_ start: TimeKey) -> SQL {
        """
        FROM cove_event AS event
        WHERE event.cove = member.cove AND event.ended_at IS NULL AND (event.date, event.id) > (\(sql: start.sql))
        ORDER BY event.date, event.id LIMIT 1
        """
    }

    static func date(of id: String, for account: String) -> SQL {
        """
        SELECT event.date FROM cove_event AS event JOIN cove ON cove.id = event.cove
        JOIN cove_member AS member ON member.cove = event.cove AND member.account = \(account)
        WHERE event.id = \(id) AND event.ended_at IS NULL AND cove.ended_at IS NULL
        """
    }

    static func owner(ofLink hash: String) -> SQL {
        """
        SELECT link.account FROM cove_calendar_link AS link LEFT JOIN profile ON profile.account = link.account
        WHERE link.token_hash = \(hash) AND profile.hidden IS DISTINCT FROM 1
        """
    }

    private static let firstJoined = Keyset(.ascending, "member.joined_at", "member.cove")

    /// The account's coves in the order in which it joined them, without those that ended before `ended`.
    static func feedCoves(of account: String, ended: Timestamp, after last: TimeKey?, limit: Int) -> SQL {
        """
        SELECT cove.id, cove.name, cove.ended_at, member.joined_at, calendar.version
        FROM cove_member AS member JOIN cove ON cove.id = member.cove
        LEFT JOIN cove_calendar AS calendar ON calendar.cove = member.cove
        WHERE member.account = \(account) AND (cove.ended_at IS NULL OR cove.ended_at > \(ended))
        """ + firstJoined.page(after: last?.sql, limit: limit)
    }

    private static let soonest = Keyset(.ascending, "event.date", "event.id")

    /// The events of a cove that have not ended, from `start` on, by date.
    static func feedEvents(of cove: String, for account: String, after start: TimeKey, limit: Int) -> SQL {
        "\(sql: feedEvents(of: cove, for: account)) AND event.ended_at IS NULL" + soonest.page(after: start.sql, limit: limit)
    }

    private static let firstEnded = Keyset(.ascending, "event.ended_at", "event.id")

    /// The events of a cove that ended after `start`, whose date is `from` or later, in the order in which they ended.
    static func feedCancellations(
        of cove: String, for account: String, from: Timestamp, after start: TimeKey, limit: Int
    ) -> SQL {
        "\(sql: feedEvents(of: cove, for: account)) AND event.ended_at IS NOT NULL AND event.date >= \(from)"
            + firstEnded.page(after: start.sql, limit: limit)
    }

    /// Returns no rows for somebody who is not a member.
    private static func feedEvents(of cove: String, for account: String) -> SQL {
        """
        SELECT event.id, event.name, event.description, event.date, event.location, event.revision, event.created_at, event.changed_at,
            event.ended_at
        FROM cove_event AS event
        WHERE event.cove = \(cove)
            AND EXISTS (SELECT 1 FROM cove_member AS member WHERE member.cove = \(cove) AND member.account = \(account))
        """
    }

    static func setLink(_ hash: String, of account: String, at now: Timestamp) -> SQL {
        """
        INSERT INTO cove_calendar_link (account, token_hash, created_at) VALUES (\(account), \(hash), \(now))
        ON CONFLICT (account) DO UPDATE SET token_hash = excluded.token_hash, created_at = excluded.created_at
        """
    }

    static func deleteLink(of account: String) -> SQL { "DELETE FROM cove_calendar_link WHERE account = \(account)" }
}

extension TimeKey {
    /// Whether this key comes before the other one in the order of the database: by time, then by the bytes of the id.
    func precedes(_ other: TimeKey) -> Bool {
        at != other.at ? at < other.at : id.utf8.lexicographicallyPrecedes(other.id.utf8)
    }
}
