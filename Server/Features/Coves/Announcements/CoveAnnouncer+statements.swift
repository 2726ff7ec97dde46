import Database
import People

/// The statements on their own, so that a test can check their query plans.
extension CoveAnnouncer {
    /// The next members in the order of their account ids, and who of them receives the event. The LIMIT is inside, so that the statement
    /// reads that many members, however many of them are hidden. The rows come in any order.
    static func members(of cove: String, after account: String, hiding actor: String?, limit: Int) -> SQL {
        let isNotHidden: SQL =
            actor.map { actor in " AND member.account <> \(actor)\(sql: PersonSQL.isNotBlocked("member.account", by: actor))" } ?? ""
        return """
            SELECT member.account, CASE WHEN member.hidden = 0\(sql: isNotHidden) THEN 1 ELSE 0 END AS is_notified
            FROM (
                SELECT account, hidden FROM cove_member WHERE cove = \(cove) AND account > \(account)
                ORDER BY account LIMIT \(limit)) AS member
            """
    }

    static func announcement(_ id: String) -> SQL { "\(sql: Announcement.table.select) WHERE id = \(id)" }

    /// Stores the announcement; or only its payload, as the next of an announcement about the same subject.
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
