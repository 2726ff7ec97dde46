import Core
import Database
import FeatureKit
import Media
import Web

/// What happens to events and RSVPs when a member leaves, or an account is closed or suspended, and which events are deleted later.
extension EventStore {
    /// Removes the account's RSVPs in coves that it has left. Call it in the write that ends the memberships, which holds the locks of the
    /// coves. No statement needs a result, so that the statements for many coves take few round trips to PostgreSQL.
    func memberLeft(coves: [String], account: String, _ tx: WriteTransaction) throws {
        try tx.lock(Self.rsvpLock(account))
        for cove in coves {
            try tx.send(Self.uncount(account, in: cove))
            try tx.send("DELETE FROM cove_rsvp WHERE account = \(account) AND cove = \(cove)")
        }
    }

    /// Hides the RSVPs of a suspended account, or ends the events of a closed one. Call it in the write that closes or suspends the
    /// account, which holds the lock of the account's standing.
    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {
        switch reason {
        case .suspended:
            try tx.lock(Self.rsvpLock(account))
            try tx.run(Self.count(account, isHidden: false, by: -1))
            try tx.run("UPDATE cove_rsvp SET hidden = 1 WHERE account = \(account) AND hidden = 0")
        case .closed:
            // The account's RSVPs were removed when its memberships ended. The events that it hosts end now; `eraseSome` deletes them and
            // notifies the members. The coves of the events are locked already, see `CoveUse.changedCoves`.
            for (cove, count) in try Self.hostedCounts(of: account, tx).sorted(by: { $0.cove < $1.cove }) {
                try tx.run(Self.changeEventCount(of: cove, by: -count))
                try tx.run(Self.bumpCalendar(of: cove))
            }
            // `eraseSome` deletes events that had ended before without a notice, and calendars no longer show them as cancelled. The negative
            // number takes as many bytes as the positive one. So SQLite changes the rows in place. With a shorter number, it would write all
            // rows again with their descriptions, which may be 100 MB. The same holds for 0 in place of NULL. Of many events, `endSome` has
            // changed most before.
            try tx.run("UPDATE cove_event SET ended_at = -ended_at WHERE host = \(account) AND ended_at > 1")
            try tx.run("UPDATE cove_event SET ended_at = 0 WHERE host = \(account) AND ended_at IS NULL")
        }
    }

    /// How many events or RSVPs one of the steps changes that precede the write which closes an account. Fewer are left to that write, so
    /// that most accounts are closed in one write.
    static let closedAtOnce = 256

    /// Ends some of the events of a host whose account is about to be closed, as `hide` does. If the account is not closed after all, the
    /// events stay ended, and `removeExpired` deletes them within an hour.
    /// - Parameter last: the last event of the step before; empty for the first one.
    /// - Returns: the last event of this step; `nil` when few events are left, which then do not change.
    func endSome(hostedBy account: String, after last: String, _ tx: WriteTransaction) throws -> String? {
        let found = try tx.rows(Self.someHosted(by: account, after: last))
        let ids: [String] = try found.map { try $0.get("id") }
        guard ids.count == Self.closedAtOnce else { return nil }
        let coves: [String] = try found.map { try $0.get("cove") }
        // The coves are locked in a fixed order, so that two such writes cannot deadlock.
        for cove in Set(coves).sorted() { try Membership.lock(cove, tx) }
        try tx.run(Self.negateEnd(of: ids))
        var counts: [String: Int] = [:]
        for row in try tx.rows(Self.endAtOnce(ids)) {
            let cove: String = try row.get("cove")
            counts[cove, default: 0] += 1
        }
        for (cove, count) in counts.sorted(by: { $0.key < $1.key }) {
            try tx.run(Self.changeEventCount(of: cove, by: -count))
            try tx.run(Self.bumpCalendar(of: cove))
        }
        return ids.last
    }

    /// Removes some RSVPs of an account that is about to be closed.
    /// - Returns: `false` when few are left, which then do not change.
    func removeSomeRSVPs(of account: String, _ tx: WriteTransaction) throws -> Bool {
        let found = try tx.rows(Self.someRSVPs(of: account))
        let ids: [String] = try found.map { try $0.get("id") }
        guard ids.count == Self.closedAtOnce else { return false }
        let coves: [String] = try found.map { try $0.get("cove") }
        // Another member who leaves one of the coves changes many of the same events, too. Without the locks of the coves, the two writes
        // could deadlock.
        for cove in Set(coves).sorted() { try Membership.lock(cove, tx) }
        // From here on the RSVPs do not change. Those that were removed meanwhile are not counted again.
        try tx.lock(Self.rsvpLock(account))
        try tx.run(Self.uncount(ids))
        try tx.run(Self.deleteRSVPs(ids))
        return true
    }

    func show(_ account: String, _ tx: WriteTransaction) throws {
        try tx.lock(Self.rsvpLock(account))
        try tx.run(Self.count(account, isHidden: true, by: 1))
        try tx.run("UPDATE cove_rsvp SET hidden = 0 WHERE account = \(account) AND hidden = 1")
    }

    /// Deletes some rows of an account that was closed.
    /// - Returns: how many rows were deleted or changed; 0 when none is left.
    func eraseSome(of account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        let removed = try remove(Self.hosted(by: account), limit: limit, tx)
        if removed > 0 { return removed }
        let covers = try tx.run(Self.dropCovers(of: account, limit: limit))
        if covers > 0 { return covers }
        // Closing the account has removed its RSVPs. Those that are left were written by a request that was still running.
        try tx.lock(Self.rsvpLock(account))
        try tx.run(Self.count(account, isHidden: false, by: -1))
        return try tx.run("DELETE FROM cove_rsvp WHERE account = \(account)")
    }

    /// Deletes some of the events that ended at least `EventRules.kept` ago, or that ended because their host's account was closed.
    /// - Returns: how many rows were deleted; 0 when none is left.
    func removeExpired(limit: Int) async throws -> Int {
        try await database.write { tx in
            try remove(Self.expired(before: identifiers.clock.now - EventRules.kept), limit: limit, tx)
        }
    }

    /// Deletes some of the events of a cove that has ended.
    /// - Returns: how many rows were deleted; 0 when none is left.
    func removeSome(ofCove cove: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        for isEnded in [false, true] {
            let removed = try remove(Self.events(ofCove: cove, isEnded: isEnded), limit: limit, tx)
            if removed > 0 { return removed }
        }
        return 0
    }

    // MARK: Inside a transaction

    /// Deletes events with their RSVPs. Notifies the members of the cove if the event ended because its host's account was closed.
    /// - Parameter selection: a SELECT of a few events. There must be few, because this write may notify `CoveAnnouncer.directCount`
    ///   members of each.
    /// - Returns: how many rows were deleted.
    private func remove(_ selection: SQL, limit: Int, _ tx: WriteTransaction) throws -> Int {
        var left = limit
        var freed: [String: Int64] = [:]
        for gone in try tx.list(selection, Gone.init) {
            left -= try tx.run(Self.deleteRSVPs(to: gone.id, limit: left))
            // There may be more RSVPs; the next call continues with them.
            guard left > 0 else { break }
            // The event counts even if nothing was deleted: 0 would tell the caller that no event is left.
            left -= 1
            // On PostgreSQL, another write, such as the sweep of ended coves, may have deleted the event since it was read. That write has
            // done all that follows here.
            guard try tx.run("DELETE FROM cove_event WHERE id = \(gone.id)") == 1 else { continue }
            if gone.endedAt?.microseconds == 0, try tx.row(Self.isOpen(gone.cove)) != nil {
                let notice = EventNotice(coveId: gone.cove, eventId: gone.id)
                try announcer.notify(cove: gone.cove, kind: .coveEventEnded, payload: notice, except: nil, tx)
            }
            // The host's account may still be open, if it was not closed after `endSome`.
            let answerBytes = try IdempotencyStore.forget(CoveEvent.resource(gone.id), of: gone.host, tx)
            freed[gone.host, default: 0] += gone.rowBytes + answerBytes
            if let cover = gone.cover, let owner = gone.coverOwner {
                try library.erase([cover], owner: owner, tx)
                // A write erases only one file, because captures of the owner may refer to it.
                break
            }
            guard left > 0 else { break }
        }
        // The accounts are changed in a fixed order, so that two writes do not wait for each other's accounts.
        for (owner, byteCount) in freed.sorted(by: { $0.key < $1.key }) { try library.note(rowBytes: -byteCount, owner: owner, tx) }
        return limit - left
    }

    private struct Gone {
        let id: String
        let cove: String
        let host: String
        let cover: String?
        let coverOwner: String?
        let rowBytes: Int64
        let endedAt: Timestamp?

        init(_ row: inout RowReader) throws {
            id = try row.next("id")
            cove = try row.next("cove")
            host = try row.next("host")
            cover = try row.next("cover")
            coverOwner = try row.next("cover_owner")
            rowBytes = try row.next("row_bytes")
            endedAt = try row.next("ended_at")
        }
    }

    /// The coves with events of the host that have not ended, and how many each has.
    static func hostedCounts(of account: String, _ tx: ReadTransaction) throws -> [(cove: String, count: Int)] {
        try tx.rows(hostedCounts(of: account)).map { row in (try row.get("cove"), try row.get("count")) }
    }

    // MARK: Statements

    private static let gone: SQL = "SELECT id, cove, host, cover, cover_owner, row_bytes, ended_at FROM cove_event"

    /// The most events that one write deletes.
    private static let removedCount = 20

    /// Events of a host whose account is being erased. Their `ended_at` is at most 1, so they are deleted at once.
    static func hosted(by account: String) -> SQL {
        "\(sql: gone) WHERE host = \(account) AND ended_at <= 1 ORDER BY id LIMIT \(removedCount)"
    }

    static func someHosted(by account: String, after last: String) -> SQL {
        "SELECT id, cove FROM cove_event WHERE host = \(account) AND id > \(last) ORDER BY id LIMIT \(closedAtOnce)"
    }

    // The conditions on `ended_at` keep PostgreSQL from reading the indexes of all ended or all open events instead of the ids.

    /// See `hide` for the negative number and for 0.
    static func negateEnd(of ids: [String]) -> SQL {
        "UPDATE cove_event SET ended_at = -ended_at WHERE id IN (\(sql: .list(ids))) AND COALESCE(ended_at, 0) > 1"
    }

    static func endAtOnce(_ ids: [String]) -> SQL {
        "UPDATE cove_event SET ended_at = 0 WHERE id IN (\(sql: .list(ids))) AND COALESCE(ended_at, -1) = -1 RETURNING cove"
    }

    static func someRSVPs(of account: String) -> SQL {
        "SELECT id, cove FROM cove_rsvp WHERE account = \(account) ORDER BY cove, event LIMIT \(closedAtOnce)"
    }

    static func uncount(_ ids: [String]) -> SQL {
        """
        UPDATE cove_event SET going_count = going_count - 1
        WHERE id IN (SELECT event FROM cove_rsvp WHERE id IN (\(sql: .list(ids))) AND hidden = 0 AND status = 'GOING')
        """
    }

    static func deleteRSVPs(_ ids: [String]) -> SQL { "DELETE FROM cove_rsvp WHERE id IN (\(sql: .list(ids)))" }

    static func expired(before limit: Timestamp) -> SQL {
        "\(sql: gone) WHERE ended_at <= \(limit) ORDER BY ended_at, id LIMIT \(removedCount)"
    }

    static func events(ofCove cove: String, isEnded: Bool) -> SQL {
        isEnded
            ? "\(sql: gone) WHERE cove = \(cove) AND ended_at IS NOT NULL ORDER BY ended_at, id LIMIT \(removedCount)"
            : "\(sql: gone) WHERE cove = \(cove) AND ended_at IS NULL ORDER BY date, id LIMIT \(removedCount)"
    }

    /// The cove's events that have not ended, each with its host. The responses about the others were deleted when they ended.
    static func hosts(ofEventsIn cove: String) -> SQL {
        "SELECT host AS account, id FROM cove_event WHERE cove = \(cove) AND ended_at IS NULL"
    }

    static func deleteRSVPs(to event: String, limit: Int) -> SQL {
        "DELETE FROM cove_rsvp WHERE id IN (SELECT id FROM cove_rsvp WHERE event = \(event) LIMIT \(limit))"
    }

    static func isOpen(_ cove: String) -> SQL { "SELECT id FROM cove WHERE id = \(cove) AND ended_at IS NULL" }

    static func hostedCounts(of account: String) -> SQL {
        // The condition is not `ended_at IS NULL`: PostgreSQL might then walk the index of all such events, which is in the order of the
        // coves.
        "SELECT cove, COUNT(*) AS count FROM cove_event WHERE host = \(account) AND COALESCE(ended_at, -1) = -1 GROUP BY cove"
    }

    static func dropCovers(of account: String, limit: Int) -> SQL {
        """
        UPDATE cove_event SET cover = NULL, cover_owner = NULL
        WHERE id IN (SELECT id FROM cove_event WHERE cover_owner = \(account) ORDER BY id LIMIT \(limit))
        """
    }

    /// Changes `going_count` of the events for which the account has the RSVP GOING.
    static func count(_ account: String, isHidden: Bool, by change: Int) -> SQL {
        """
        UPDATE cove_event SET going_count = going_count + \(change)
        WHERE id IN (SELECT event FROM cove_rsvp WHERE account = \(account) AND hidden = \(isHidden ? 1 : 0) AND status = 'GOING')
        """
    }

    static func uncount(_ account: String, in cove: String) -> SQL {
        """
        UPDATE cove_event SET going_count = going_count - 1
        WHERE id IN (
            SELECT event FROM cove_rsvp WHERE account = \(account) AND cove = \(cove) AND hidden = 0 AND status = 'GOING')
        """
    }
}
