import Core
import Database

/// Deletes expired keys.
extension IdempotencyStore {
    /// The most rows that one run of `sweep` deletes. Expired keys beyond that wait for the next run.
    private static let sweepRunCount = 100_000
    /// The most rows that one write deletes.
    private static let sweepCount = 500

    /// Deletes keys that are older than `retention`. A write deletes at most 500 rows, and no more than `DeletionStep` allows. A call
    /// deletes about `sweepRunCount` rows in all.
    package func sweep() async throws {
        var left = Self.sweepRunCount
        while left > 0 {
            let count = try await database.write { tx in try forget(before: clock.now - retention, tx) }
            guard count > 0 else { return }
            left -= count
        }
    }

    /// - Returns: how many rows were deleted.
    private func forget(before time: Timestamp, _ tx: WriteTransaction) throws -> Int {
        let step: [Void] = try tx.deletionStep(limit: Self.sweepCount, { Self.sizes(before: time, limit: $0) }) { _ in }
        guard !step.isEmpty else { return 0 }
        let rows = try tx.rows(Self.forget(before: time, limit: step.count))
        var byteCounts: [String: Int64] = [:]
        for row in rows {
            guard let byteCount: Int64 = try row.get("row_bytes") else { continue }
            byteCounts[try row.get("account"), default: 0] += byteCount
        }
        // The accounts are changed in a fixed order, so that two writes cannot deadlock on each other's accounts.
        for (account, byteCount) in byteCounts.sorted(by: { $0.key < $1.key }) { try count(-byteCount, account, tx) }
        return rows.count
    }

    // MARK: Statements

    /// The oldest keys.
    static func oldest(before time: Timestamp, limit: Int) -> SQL {
        "SELECT account, route, key FROM idempotency WHERE created_at < \(time) ORDER BY created_at LIMIT \(limit)"
    }

    /// The lengths of the oldest keys' rows, in bytes. A key without a response counts nothing against the quota.
    static func sizes(before time: Timestamp, limit: Int) -> SQL {
        """
        SELECT CASE WHEN answer IS NULL THEN 512 ELSE row_bytes END AS row_bytes FROM idempotency
        WHERE created_at < \(time) ORDER BY created_at LIMIT \(limit)
        """
    }

    static func forget(before time: Timestamp, limit: Int) -> SQL {
        """
        DELETE FROM idempotency WHERE (account, route, key) IN (\(sql: oldest(before: time, limit: limit)))
        RETURNING account, row_bytes
        """
    }
}
