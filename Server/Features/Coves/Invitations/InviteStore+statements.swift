import Core
import Database
import People

/// The statements are separate functions, so that tests can check their query plans.
extension InviteStore {
    static func anyInvite(to cove: String) -> SQL { "SELECT id FROM cove_invite WHERE cove = \(cove) LIMIT 1" }

    static func invited(_ phones: [String], to cove: String) -> SQL {
        "SELECT phone FROM cove_invite WHERE cove = \(cove) AND phone IN (\(sql: .list(phones)))"
    }

    /// How many invitations of each phone number are stored, at most `InviteRules.maxKeptForPhone`. The statement reads only an index.
    /// - Parameter phones: at least one.
    static func keptCounts(to phones: [String]) -> SQL {
        var values: SQL = ""
        for (index, phone) in phones.enumerated() {
            if index > 0 { values = values + ", " }
            values = values + "(\(phone))"
        }
        return """
            SELECT asked.column1 AS phone, (
                SELECT COUNT(*) FROM (
                    SELECT cove_invite.phone FROM cove_invite WHERE cove_invite.phone = asked.column1
                    LIMIT \(InviteRules.maxKeptForPhone)) AS held) AS count
            FROM (VALUES \(sql: values)) AS asked
            """
    }

    /// How many invitations each phone number has that have not expired. `valid` and `own` count only those to coves that have not ended:
    /// `valid` those by ADMINs, `own` those by the sender, even if the sender is no longer an ADMIN. `kept` counts all that the sender sent.
    /// `useless` counts what `deleteUseless(to:limit:_:)` deletes, without the expired ones. A number without invitations has no row.
    static func openCounts(to phones: [String], by sender: String, _ now: Timestamp) -> SQL {
        """
        SELECT invite.phone, COUNT(CASE WHEN cove.ended_at IS NULL AND admin.hidden = 0 THEN 1 END) AS valid,
            COUNT(CASE WHEN invite.sender = \(sender) AND cove.ended_at IS NULL THEN 1 END) AS own,
            COUNT(CASE WHEN invite.sender = \(sender) THEN 1 END) AS kept,
            COUNT(CASE WHEN cove.ended_at IS NOT NULL OR admin.id IS NULL THEN 1 END) AS useless
        FROM cove_invite AS invite JOIN cove ON cove.id = invite.cove
        LEFT JOIN cove_member AS admin
            ON admin.cove = invite.cove AND admin.account = invite.sender AND admin.role = 'ADMIN'
        WHERE invite.phone IN (\(sql: .list(phones))) AND invite.expires_at > \(now)
        GROUP BY invite.phone
        """
    }

    /// How many open invitations of ADMINs the cove has, and how many of them are the sender's. The statement reads only an index, because
    /// an invitation expires a fixed time after its creation. With CROSS JOIN, SQLite finds the ADMINs first, so that it reads no other
    /// invitations.
    static func openCount(of cove: String, by sender: String, _ now: Timestamp) -> SQL {
        """
        SELECT COUNT(*) AS count, COUNT(CASE WHEN invite.sender = \(sender) THEN 1 END) AS own
        FROM cove_member AS admin CROSS JOIN cove_invite AS invite
        WHERE admin.cove = \(cove) AND admin.hidden = 0 AND admin.role = 'ADMIN'
            AND invite.sender = admin.account AND invite.cove = \(cove) AND invite.created_at > \(now - InviteRules.lifetime)
        """
    }

    /// How many invitations to the cove are stored, at most `InviteRules.maxKeptForCove`. The statement reads only an index.
    static func keptCount(of cove: String) -> SQL {
        """
        SELECT COUNT(*) AS count FROM (
            SELECT phone FROM cove_invite WHERE cove = \(cove) LIMIT \(InviteRules.maxKeptForCove)) AS kept
        """
    }

    /// The accounts that have not blocked `viewer`, and that `viewer` has not blocked.
    static func visible(_ accounts: [String], to viewer: String) -> SQL {
        """
        SELECT account.id FROM account WHERE account.id IN (\(sql: .list(accounts)))\(sql: PersonSQL.isNotBlocked("account.id", by: viewer))
        """
    }

    static func members(_ accounts: [String], of cove: String) -> SQL {
        "SELECT account FROM cove_member WHERE cove = \(cove) AND account IN (\(sql: .list(accounts))) AND hidden = 0"
    }

    /// The open invitations to a phone number that the number's owner sees, newest first: invitations by ADMINs, and, for a person who was
    /// removed from the cove, only invitations sent after that. The statement reads the role in a subquery and not with EXISTS, because
    /// PostgreSQL may turn EXISTS into a join, and then sort the whole list.
    /// - Parameters:
    ///   - cove: only the invitation to this cove.
    ///   - id: only the invitation with this id.
    static func received(_ phone: String, by viewer: String, _ now: Timestamp, cove: String? = nil, id: String? = nil) -> SQL {
        var filter: SQL = ""
        if let cove { filter = filter + " AND invite.cove = \(cove)" }
        if let id { filter = filter + " AND invite.id = \(id)" }
        return """
            SELECT cove.id, cove.name, \(sql: CoveStore.shownCover), cove.cover_owner, cove.description, cove.location, invite.id AS invite,
                invite.message, invite.created_at, invite.is_opened, invite.sender, \(sql: PersonSQL.columns)
            \(sql: shown(phone, to: viewer, now))\(sql: filter)
            ORDER BY invite.created_at DESC, invite.id DESC
            """
    }

    /// How many rows `received` has.
    static func receivedCount(_ phone: String, by viewer: String, _ now: Timestamp) -> SQL {
        "SELECT COUNT(*) AS count \(sql: shown(phone, to: viewer, now))"
    }

    private static func shown(_ phone: String, to viewer: String, _ now: Timestamp) -> SQL {
        """
        FROM cove_invite AS invite JOIN cove ON cove.id = invite.cove\(sql: PersonSQL.join("invite.sender"))
        WHERE invite.phone = \(phone) AND invite.expires_at > \(now) AND cove.ended_at IS NULL
            AND NOT EXISTS (SELECT 1 FROM cove_member WHERE cove_member.cove = invite.cove AND cove_member.account = \(viewer))
            AND NOT EXISTS (
                SELECT 1 FROM cove_removal WHERE cove_removal.cove = invite.cove AND cove_removal.account = \(viewer)
                    AND cove_removal.removed_at > invite.created_at)
            AND 'ADMIN' = (
                SELECT admin.role FROM cove_member AS admin WHERE admin.cove = invite.cove AND admin.account = invite.sender)
            \(sql: PersonSQL.isVisible("invite.sender", to: viewer))
        """
    }

    static func open(_ id: String) -> SQL { "UPDATE cove_invite SET is_opened = 1 WHERE id = \(id)" }

    private static let newest = Keyset(.descending, "cove_invite.created_at", "cove_invite.id")

    static func sent(by account: String, cove: String?, _ now: Timestamp, after key: TimeKey?, limit: Int) -> SQL {
        sentInvites(by: account, cove: cove, now) + newest.page(after: key?.sql, limit: limit)
    }

    static func sent(_ id: String, by account: String, cove: String?, _ now: Timestamp) -> SQL {
        sentInvites(by: account, cove: cove, now) + " AND cove_invite.id = \(id)"
    }

    private static func sentInvites(by account: String, cove: String?, _ now: Timestamp) -> SQL {
        let filter: SQL = cove.map { " AND cove_invite.cove = \($0)" } ?? ""
        return """
            SELECT \(sql: CoveInvite.table.columns) FROM cove_invite JOIN cove ON cove.id = cove_invite.cove
            WHERE cove_invite.sender = \(account)\(sql: filter) AND cove_invite.expires_at > \(now) AND cove.ended_at IS NULL
            """
    }

    // MARK: Deletions, which return what `remove` needs

    static func delete(_ id: String) -> SQL { "DELETE FROM cove_invite WHERE id = \(id)" + returning }

    static func cancel(_ id: String, by sender: String) -> SQL {
        "DELETE FROM cove_invite WHERE id = \(id) AND sender = \(sender)" + returning
    }

    static func delete(phone: String, cove: String) -> SQL {
        "DELETE FROM cove_invite WHERE cove = \(cove) AND phone = \(phone)" + returning
    }

    static func coves(inviting phone: String) -> SQL { "SELECT cove FROM cove_invite WHERE phone = \(phone)" }

    static func delete(phone: String) -> SQL { "DELETE FROM cove_invite WHERE phone = \(phone)" + returning }

    /// Deletes invitations that have expired, or whose sender is no longer an ADMIN: they would prevent new invitations.
    static func deleteUseless(_ phones: [String], of cove: String, _ now: Timestamp) -> SQL {
        """
        DELETE FROM cove_invite WHERE cove = \(cove) AND phone IN (\(sql: .list(phones))) AND (expires_at <= \(now) OR (
            SELECT admin.role FROM cove_member AS admin
            WHERE admin.cove = \(cove) AND admin.account = cove_invite.sender AND admin.hidden = 0) IS DISTINCT FROM 'ADMIN')
        """ + returning
    }

    /// Deletes some of the cove's useless invitations, to any number.
    static func deleteUseless(of cove: String, limit: Int, _ now: Timestamp) -> SQL {
        """
        DELETE FROM cove_invite WHERE id IN (
            SELECT old.id FROM cove_invite AS old
            WHERE old.cove = \(cove) AND (old.expires_at <= \(now) OR (
                SELECT admin.role FROM cove_member AS admin
                WHERE admin.cove = \(cove) AND admin.account = old.sender AND admin.hidden = 0) IS DISTINCT FROM 'ADMIN')
            ORDER BY old.phone LIMIT \(limit))
        """ + returning
    }

    /// Deletes some useless invitations to a number, from any cove: expired ones, those to coves that have ended, and those whose senders
    /// are no longer ADMINs. The invitations of suspended ADMINs stay. Looks at no more than the oldest `InviteRules.maxKeptForPhone`.
    static func deleteUseless(to phone: String, limit: Int, _ now: Timestamp) -> SQL {
        """
        DELETE FROM cove_invite WHERE id IN (
            SELECT old.id FROM (
                SELECT id, cove, sender, expires_at FROM cove_invite WHERE phone = \(phone)
                ORDER BY created_at, id LIMIT \(InviteRules.maxKeptForPhone)) AS old
            JOIN cove ON cove.id = old.cove
            LEFT JOIN cove_member AS admin ON admin.cove = old.cove AND admin.account = old.sender AND admin.role = 'ADMIN'
            WHERE old.expires_at <= \(now) OR cove.ended_at IS NOT NULL OR admin.id IS NULL
            LIMIT \(limit))
        """ + returning
    }

    static func deleteExpired(before now: Timestamp, limit: Int) -> SQL {
        """
        DELETE FROM cove_invite WHERE id IN (
            SELECT old.id FROM cove_invite AS old WHERE old.expires_at <= \(now) ORDER BY old.expires_at, old.id LIMIT \(limit))
        """ + returning
    }

    static func delete(ofCove cove: String, limit: Int) -> SQL {
        """
        DELETE FROM cove_invite WHERE id IN (
            SELECT old.id FROM cove_invite AS old WHERE old.cove = \(cove) ORDER BY old.phone LIMIT \(limit))
        """ + returning
    }

    static func erase(of account: String, limit: Int) -> SQL {
        """
        DELETE FROM cove_invite WHERE id IN (
            SELECT old.id FROM cove_invite AS old WHERE old.sender = \(account) ORDER BY old.created_at, old.id LIMIT \(limit))
        """
    }

    private static let returning: SQL = " RETURNING id, sender, row_bytes"
}
