import Core
import Database
import KeepsakeWire
import People

/// Events as their cove's members see them.
extension EventStore {
    /// The cove's events, soonest first.
    /// - Throws: as `Membership.require`.
    func events(
        of cove: String, seenBy viewer: String, _ request: PageRequest<TimeKey>
    ) async throws -> Page<EventCard, TimeKey> {
        let rows = try await database.list(Self.events(of: cove, seenBy: viewer, after: request.after, limit: request.rowLimit)) {
            try EventCard(&$0)
        }
        // The statement itself checks the membership. If it returns no rows, this check tells whether the viewer is a member.
        if rows.isEmpty { try await database.read { tx in _ = try Membership.require(of: viewer, in: cove, tx) } }
        return Page(rows, limit: request.limit) { TimeKey(at: $0.date, id: $0.id) }
    }

    /// The position of an event in its cove's list; `nil` when the cove has no such event.
    /// - Throws: as `Membership.require`.
    func position(of id: String, in cove: String, seenBy viewer: String) async throws -> TimeKey? {
        try await database.read { tx in
            _ = try Membership.require(of: viewer, in: cove, tx)
            return try tx.row(Self.date(of: id, in: cove)).map { TimeKey(at: try $0.get("date"), id: id) }
        }
    }

    /// An event, and the RSVPs that it shows.
    /// - Throws: `.notFound`; `.forbidden` unless the viewer is a member.
    func details(_ id: String, seenBy viewer: String) async throws -> (EventCard, [Guest]) {
        try await database.read { tx in
            try requireMember(viewer, of: id, tx)
            guard let card = try tx.first(Self.events([id], seenBy: viewer), { try EventCard(&$0) }) else { throw Problem.noSuchEvent }
            return (card, try firstGuests(of: id, seenBy: viewer, tx))
        }
    }

    // MARK: Statements

    private static let soonest = Keyset(.ascending, "event.date", "event.id")

    /// Empty for somebody who is not a member.
    static func events(of cove: String, seenBy viewer: String, after key: TimeKey?, limit: Int) -> SQL {
        """
        \(sql: cards(seenBy: viewer))
        WHERE event.cove = \(cove) AND event.ended_at IS NULL AND cove.ended_at IS NULL
            AND EXISTS (SELECT 1 FROM cove_member AS member WHERE member.cove = \(cove) AND member.account = \(viewer))
        """ + soonest.page(after: key?.sql, limit: limit)
    }

    /// Events by their ids, in no order. The statement does not check that they have not ended: the caller has checked that in the same
    /// snapshot, and with a condition on `ended_at`, PostgreSQL might read the index of all open events instead of looking up the ids.
    /// - Parameter ids: at least one.
    static func events(_ ids: [String], seenBy viewer: String) -> SQL {
        "\(sql: cards(seenBy: viewer)) WHERE event.id IN (\(sql: .list(ids)))"
    }

    /// The positions of a cove's next events until `end`, soonest first.
    static func positions(in cove: String, after key: TimeKey, until end: Timestamp, limit: Int) -> SQL {
        """
        SELECT event.date, event.id FROM cove_event AS event
        WHERE event.cove = \(cove) AND event.ended_at IS NULL AND event.date <= \(end)
        """ + soonest.page(after: key.sql, limit: limit)
    }

    static func date(of id: String, in cove: String) -> SQL {
        "SELECT date FROM cove_event WHERE id = \(id) AND cove = \(cove) AND ended_at IS NULL"
    }

    /// Reads what `EventCard` needs, without a condition. Each row takes a fixed number of look-ups by key.
    private static func cards(seenBy viewer: String) -> SQL {
        """
        SELECT event.id, event.name, event.description, event.date, event.location, event.cove, event.host, event.going_count,
            event.created_at, event.cover, event.cover_owner, cover_person.hidden AS cover_hidden,
            cove.name AS cove_name, cove.cover AS cove_cover, cove.cover_owner AS cove_cover_owner,
            cove_cover_person.hidden AS cove_cover_hidden, rsvp.status, host.name AS host_name, host.hidden AS host_hidden,
            CASE WHEN 1 = 1\(sql: PersonSQL.isNotBlocked("event.host", by: viewer)) THEN 0 ELSE 1 END AS is_host_blocked
        FROM cove_event AS event JOIN cove ON cove.id = event.cove
        LEFT JOIN cove_rsvp AS rsvp ON rsvp.event = event.id AND rsvp.account = \(viewer)
        LEFT JOIN profile AS host ON host.account = event.host
        LEFT JOIN profile AS cover_person ON cover_person.account = event.cover_owner
        LEFT JOIN profile AS cove_cover_person ON cove_cover_person.account = cove.cover_owner
        """
    }
}

/// An event as one member sees it.
struct EventCard: Sendable, Equatable {
    let id: String
    let name: String
    let description: String?
    let date: Timestamp
    let location: String
    let cove: String
    let host: String
    let goingCount: Int
    let createdAt: Timestamp
    /// `nil` also while the account that uploaded it is suspended.
    let cover: Picture?
    let coveName: String
    let coveCover: Picture?
    /// The viewer's own.
    let rsvp: RSVPStatus?
    /// Empty when the viewer may not see it.
    let hostName: String
    let isHostHidden: Bool

    /// A file of the media library.
    struct Picture: Sendable, Equatable {
        let id: String
        let owner: String
    }

    init(_ row: inout RowReader) throws {
        id = try row.next("id")
        name = try row.next("name")
        description = try row.next("description")
        date = try row.next("date")
        location = try row.next("location")
        cove = try row.next("cove")
        host = try row.next("host")
        goingCount = try row.next("going_count")
        createdAt = try row.next("created_at")
        cover = try Self.picture(row.next("cover"), of: row.next("cover_owner"), isHidden: row.next("cover_hidden"))
        coveName = try row.next("cove_name")
        coveCover = try Self.picture(row.next("cove_cover"), of: row.next("cove_cover_owner"), isHidden: row.next("cove_cover_hidden"))
        let status: String? = try row.next("status")
        rsvp = status.map(RSVPStatus.init(rawValue:))
        let hostName: String? = try row.next("host_name")
        let isHidden: Int64? = try row.next("host_hidden")
        isHostHidden = isHidden == 1
        let isBlocked: Bool = try row.next("is_host_blocked")
        self.hostName = isHostHidden || isBlocked ? "" : hostName ?? ""
    }

    private static func picture(_ id: String?, of owner: String?, isHidden: Int64?) -> Picture? {
        guard let id, let owner, isHidden != 1 else { return nil }
        return Picture(id: id, owner: owner)
    }
}
