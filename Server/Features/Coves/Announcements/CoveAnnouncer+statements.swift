import Database
import People

/// The statements are separate functions, so that a test can check their query plans.
extension CoveAnnouncer {
    /// Selects the next members in the order of their account ids, and whether each receives the event. The LIMIT is in the inner query, so
    /// that the statement reads `limit` members, even if it hides the event from many of them. The result has no order.
    ///
    /// Closing or suspending an account does not change its memberships of coves that have ended, so the statement also reads the profile:
    /// a job may still be sending the event `cove.ended`.
    static func members(of cove: String, after account: String, hiding actor: String?, limit: Int) -> SQL {
        let isNotHidden: SQL =
            actor.map { actor in " AND member.account <> \(actor)\(sql: PersonSQL.isNotBlocked("member.account", by: actor))" } ?? ""
        return """
            SELECT member.account, CASE WHEN member.hidden = 0
                AND (SELECT profile.hidden FROM profile WHERE profile.account = member.account) IS DISTINCT FROM 1\(sql: isNotHidden)
                THEN 1 ELSE 0 END AS is_notified
            FROM (
                SELECT account, hidden FROM cove_member WHERE cove = \(cove) AND account > \(account)
                ORDER BY account LIMIT \(limit)) AS member
            """
    }

    static func announcement(_ id: String) -> SQL { "\(sql: Announcement.table.select) WHERE id = \(id)" }

    /// Stores the announcement. If there is one about the same subject already, stores only the payload, which the job sends next.
    static func store(_ announcement: Announcement) -> SQL {
        Announcement.table.insert(announcement) + """
             ON CONFLICT (cove, kind, subject) WHERE subject IS NOT NULL DO UPDATE SET
                next_payload = excluded.payload,
                actor = CASE WHEN cove_announcement.actor = excluded.actor THEN excluded.actor ELSE NULL END
            RETURNING id
            """
    }

    static func remove(_ id: String) -> SQL { "DELETE FROM cove_announcement WHERE id = \(id)" }

    static func hidden(_ account: String) -> SQL { "SELECT account FROM profile WHERE account = \(account) AND hidden = 1" }
}
