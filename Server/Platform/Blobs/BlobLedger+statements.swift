package import Core
package import Database

/// The statements are separate functions, so that a test can check their query plans. A `state` is always written as a literal, never
/// bound: the indexes are partial, and an engine uses them only when it sees the state in the text.
extension BlobLedger {
    package static func entry(_ key: BlobKey) -> SQL { "\(sql: Entry.table.select) WHERE key = \(key)" }

    /// Updates at most one row, even if several rows have the same bytes. The condition on `state` appears twice: when another transaction
    /// has just changed the row, PostgreSQL rechecks only the outer condition.
    package static func share(_ staged: StagedBlob, owner: String) -> SQL {
        """
        UPDATE blob SET refs = refs + 1
        WHERE state = 'live' AND key = (
            SELECT key FROM blob
            WHERE state = 'live' AND owner = \(owner) AND sha256 = \(staged.sha256) AND byte_count = \(staged.byteCount)
            LIMIT 1)
        RETURNING key
        """
    }

    package static func giveBack(_ key: BlobKey, now: Timestamp) -> SQL {
        """
        UPDATE blob SET refs = refs - 1,
            state = CASE WHEN refs = 1 THEN 'dead' ELSE state END,
            dead_at = CASE WHEN refs = 1 THEN \(now) ELSE dead_at END
        WHERE key = \(key) AND state = 'live'
        RETURNING refs
        """
    }

    package static func hand(_ key: BlobKey, to owner: String, references: Int? = nil) -> SQL {
        let counted: SQL = references.map { ", refs = \($0)" } ?? ""
        return "UPDATE blob SET owner = \(owner)\(sql: counted) WHERE key = \(key) AND state = 'live'"
    }

    package static func share(_ key: BlobKey, with owner: String) -> SQL {
        "UPDATE blob SET owner = \(owner), refs = refs + 1 WHERE key = \(key) AND state = 'live'"
    }

    /// The blobs that died first, starting after `last`.
    package static func dead(before limit: Timestamp, after last: (deadAt: Timestamp, key: String), count: Int) -> SQL {
        "SELECT key, dead_at FROM blob WHERE state = 'dead' AND dead_at < \(limit)"
            + longestDead.page(after: "\(last.deadAt), \(last.key)", limit: count)
    }

    private static let longestDead = Keyset(.ascending, "dead_at", "key")

    package static func removeDead(_ key: BlobKey) -> SQL { "DELETE FROM blob WHERE key = \(key) AND state = 'dead'" }

    package static func known(among keys: [BlobKey]) -> SQL { "SELECT key FROM blob WHERE key IN (\(sql: .list(keys)))" }

    package static let anyRow: SQL = "SELECT key FROM blob ORDER BY key LIMIT 1"

    package static let liveTotals: SQL =
        "SELECT COUNT(*) AS blobs, CAST(COALESCE(SUM(byte_count), 0) AS BIGINT) AS bytes FROM blob WHERE state = 'live'"

    package static func live(after key: String, count: Int) -> SQL {
        "\(sql: Entry.table.select) WHERE state = 'live'" + byKey.page(after: "\(key)", limit: count)
    }

    private static let byKey = Keyset(.ascending, "key")
}
