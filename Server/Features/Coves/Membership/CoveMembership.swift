package import Database
import People

/// Looks up memberships of coves. A cove that has ended has no members.
package struct CoveMembership: CoveLookup {
    package init() {}

    package func coveCount(of account: String, _ tx: ReadTransaction) throws -> Int {
        try tx.row(Self.count(of: account))?.get("count") ?? 0
    }

    package func haveCommonCove(_ account: String, _ other: String, _ tx: ReadTransaction) throws -> Bool {
        try tx.row(Self.common(account, other)) != nil
    }

    package func firstCove(of account: String, _ tx: ReadTransaction) throws -> String? {
        try tx.row(Self.first(of: account))?.get("cove")
    }

    // MARK: Statements

    static func count(of account: String) -> SQL {
        """
        SELECT COUNT(*) AS count FROM cove_member JOIN cove ON cove.id = cove_member.cove
        WHERE cove_member.account = \(account) AND cove.ended_at IS NULL
        """
    }

    /// Also counts memberships of coves that have ended. Counts no further than the limit.
    static func keptCount(of account: String) -> SQL {
        """
        SELECT COUNT(*) AS count FROM (
            SELECT cove FROM cove_member WHERE account = \(account) LIMIT \(CoveRules.maxKept)) AS kept
        """
    }

    static func common(_ account: String, _ other: String) -> SQL {
        """
        SELECT mine.cove FROM cove_member AS mine JOIN cove_member AS theirs ON theirs.cove = mine.cove
        JOIN cove ON cove.id = mine.cove
        WHERE mine.account = \(account) AND theirs.account = \(other) AND cove.ended_at IS NULL LIMIT 1
        """
    }

    static func first(of account: String) -> SQL {
        """
        SELECT cove_member.cove FROM cove_member JOIN cove ON cove.id = cove_member.cove
        WHERE cove_member.account = \(account) AND cove.ended_at IS NULL
        ORDER BY cove_member.joined_at, cove_member.cove LIMIT 1
        """
    }
}
