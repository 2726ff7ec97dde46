import Accounts
import Core
import Database
import KeepsakeWire
import People

/// RSVPs and guest lists.
extension EventStore {
    /// - Returns: the account's RSVP; unchanged when it had this status.
    /// - Throws: `.notFound`; `.forbidden` unless the account is a member; `.conflict` when it has too many RSVPs.
    func setRSVP(_ status: RSVPStatus, of account: String, to id: String) async throws -> RSVP {
        try await database.write { tx in
            try accounts.requireActive(account, tx)
            try tx.lock(Self.rsvpLock(account))
            let membership = try requireMember(account, of: id, tx)
            let old = try tx.first(Self.rsvp(of: account, to: id), RSVP.init)
            if let old, old.status == status { return old }
            let change = (status == .going ? 1 : 0) - (old?.status == .going ? 1 : 0)
            // The statement runs even if the number does not change, because it waits for a concurrent write that ends the event.
            guard try tx.run(Self.changeGoingCount(of: id, by: change)) == 1 else { throw Problem.noSuchEvent }
            let rsvp: RSVP
            if var old {
                old.status = status
                try tx.run("UPDATE cove_rsvp SET status = \(status.rawValue) WHERE id = \(old.id)")
                rsvp = old
            } else {
                let count: Int = try tx.row(Self.rsvpCount(of: account))?.get("count") ?? 0
                guard count < EventRules.maxRSVPs else { throw EventRules.tooManyRSVPs }
                rsvp = RSVP(
                    id: identifiers.next(), event: id, cove: membership.cove.id, account: account, status: status,
                    createdAt: identifiers.clock.now)
                try tx.run(RSVP.table.insert(rsvp))
            }
            try notify(.coveRSVP, EventNotice(coveId: membership.cove.id, eventId: id), by: account, merging: true, tx)
            return rsvp
        }
    }

    /// Does nothing when the account has no RSVP.
    /// - Throws: `.notFound`; `.forbidden` unless the account is a member.
    func removeRSVP(of account: String, from id: String) async throws {
        try await database.write { tx in
            try tx.lock(Self.rsvpLock(account))
            let membership = try requireMember(account, of: id, tx)
            guard let old = try tx.first(Self.rsvp(of: account, to: id), RSVP.init) else { return }
            guard try tx.run(Self.changeGoingCount(of: id, by: old.status == .going ? -1 : 0)) == 1 else { throw Problem.noSuchEvent }
            try tx.run("DELETE FROM cove_rsvp WHERE id = \(old.id)")
            try notify(.coveRSVP, EventNotice(coveId: membership.cove.id, eventId: id), by: account, merging: true, tx)
        }
    }

    /// The guest list, newest first, without people whom `viewer` may not see.
    /// - Parameter status: only guests with this status; `nil` for all.
    /// - Throws: `.notFound`; `.forbidden` unless the viewer is a member.
    func guests(
        of id: String, _ status: RSVPStatus?, seenBy viewer: String, _ request: PageRequest<TimeKey>
    ) async throws -> Page<Guest, TimeKey> {
        let statement = Self.guests(of: id, status, seenBy: viewer, after: request.after, limit: request.rowLimit)
        let rows = try await database.read { tx in
            try requireMember(viewer, of: id, tx)
            return try tx.list(statement, Guest.init)
        }
        return Page(rows, limit: request.limit) { TimeKey(at: $0.createdAt, id: $0.id) }
    }

    /// The position of a row of the guest list.
    /// - Parameter row: the id of the RSVP, or of the account that made it.
    /// - Returns: `nil` when the viewer's list has no such row.
    func position(
        of row: String, inGuestsOf id: String, _ status: RSVPStatus?, seenBy viewer: String
    ) async throws -> TimeKey? {
        try await database.read { tx in
            try requireMember(viewer, of: id, tx)
            for named: SQL in [" AND rsvp.id = \(row)", " AND rsvp.account = \(row)"] {
                let statement = Self.guests(of: id, status, seenBy: viewer) + named
                if let guest = try tx.first(statement, Guest.init) { return TimeKey(at: guest.createdAt, id: guest.id) }
            }
            return nil
        }
    }

    /// The RSVPs that the event itself shows: the GOING first, then the MAYBE, then the NOT_GOING, each newest first.
    func firstGuests(of id: String, seenBy viewer: String, _ tx: ReadTransaction) throws -> [Guest] {
        var guests: [Guest] = []
        for status in RSVPStatus.allCases where guests.count < EventRules.shownRSVPs {
            let limit = EventRules.shownRSVPs - guests.count
            guests += try tx.list(Self.guests(of: id, status, seenBy: viewer, after: nil, limit: limit), Guest.init)
        }
        return guests
    }

    // MARK: Statements

    /// The lock of an account's RSVPs.
    static func rsvpLock(_ account: String) -> String { "cove RSVPs of " + account }

    static func rsvp(of account: String, to event: String) -> SQL {
        "\(sql: RSVP.table.select) WHERE event = \(event) AND account = \(account)"
    }

    /// Reads at most `EventRules.maxRSVPs` rows.
    static func rsvpCount(of account: String) -> SQL {
        "SELECT COUNT(*) AS count FROM (SELECT id FROM cove_rsvp WHERE account = \(account) LIMIT \(EventRules.maxRSVPs)) AS made"
    }

    static func changeGoingCount(of event: String, by change: Int) -> SQL {
        "UPDATE cove_event SET going_count = going_count + \(change) WHERE id = \(event) AND ended_at IS NULL"
    }

    private static let newest = Keyset(.descending, "rsvp.created_at", "rsvp.id")

    static func guests(of event: String, _ status: RSVPStatus?, seenBy viewer: String, after key: TimeKey?, limit: Int) -> SQL {
        guests(of: event, status, seenBy: viewer) + newest.page(after: key?.sql, limit: limit)
    }

    /// The rows of the guest list, in no order.
    private static func guests(of event: String, _ status: RSVPStatus?, seenBy viewer: String) -> SQL {
        let chosen: SQL = status.map { " AND rsvp.status = \($0.rawValue)" } ?? ""
        return """
            SELECT rsvp.id, rsvp.account, rsvp.status, rsvp.created_at, \(sql: PersonSQL.columns)
            FROM cove_rsvp AS rsvp\(sql: PersonSQL.join("rsvp.account"))
            WHERE rsvp.event = \(event) AND rsvp.hidden = 0\(sql: chosen)\(sql: PersonSQL.isNotBlocked("rsvp.account", by: viewer))
            """
    }

    /// A row of the guest list.
    struct Guest: Sendable, Equatable {
        let id: String
        let status: RSVPStatus
        let createdAt: Timestamp
        let card: PersonCard

        init(_ row: inout RowReader) throws {
            id = try row.next("id")
            let account: String = try row.next("account")
            status = RSVPStatus(rawValue: try row.next("status"))
            createdAt = try row.next("created_at")
            card = try PersonCard(&row, id: account)
        }
    }
}
