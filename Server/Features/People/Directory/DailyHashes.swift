import Database

/// A table that records, as hashes, what accounts did on one UTC day. It has one row for each account, so it does not grow with time. What
/// the account does on a later day replaces its row, and `sweep` deletes rows of earlier days.
///
/// The table has the columns `account`, its key, and `day`, and an index of `day` and `account`.
struct DailyHashes: Sendable {
    let table: SQL
    /// The column of the hashes. See `Set<UInt64>.stored`.
    let column: SQL

    /// Deletes the rows of days before `today`.
    func sweep(_ database: any Database, before today: Int64) async throws {
        try await database.sweep(limit: Self.sweepCount) { deletion(before: today, limit: $0) }
    }

    // MARK: Statements

    /// A row may hold 160 KB.
    private static let sweepCount = 100

    func known(_ account: String, day: Int64) -> SQL {
        "SELECT \(sql: column) FROM \(sql: table) WHERE account = \(account) AND day = \(day)"
    }

    func keep(_ hashes: [UInt8], of account: String, day: Int64) -> SQL {
        """
        INSERT INTO \(sql: table) (account, day, \(sql: column)) VALUES (\(account), \(day), \(hashes))
        ON CONFLICT (account) DO UPDATE SET day = excluded.day, \(sql: column) = excluded.\(sql: column)
        """
    }

    /// The second condition on the day: the row may become one of today between the inner SELECT and the deletion.
    func deletion(before today: Int64, limit: Int) -> SQL {
        """
        DELETE FROM \(sql: table) WHERE day < \(today) AND account IN (
            SELECT account FROM \(sql: table) WHERE day < \(today) ORDER BY day, account LIMIT \(limit))
        """
    }
}

extension Set<UInt64> {
    /// - Parameter bytes: what `stored` returned; empty for no hashes.
    init(stored bytes: [UInt8]) {
        let hashes: [UInt64] = bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 8).map { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self)) }
        }
        self.init(hashes)
    }

    /// 8 bytes a hash, in the order of their values, which does not tell in which order they were added.
    var stored: [UInt8] { sorted().map(\.bigEndian).withUnsafeBytes { Array($0) } }
}
