import Database

/// A table that records, as hashes, what accounts did on one UTC day. It has one row for each account, so it does not grow with time. What
/// the account does on a later day replaces its row, and `sweep` deletes rows of earlier days.
///
/// The table has the columns `account`, its key, and `day`, and an index of `day` and `account`.
struct DailyHashes: Sendable {
    let table: SQL
    /// The column that holds the hashes, in the form of `Set<UInt64>.stored`.
    let column: SQL

    /// Deletes the rows of days before `today`, some at a time.
    func sweep(_ database: any Database, before today: Int64) async throws {
        try await database.sweep(limit: Self.sweepCount) { deletion(before: today, limit: $0) }
    }

    // MARK: Statements

    /// How many rows one write deletes. A row may hold 160 KB.
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

    /// The statement checks the day twice: between the inner SELECT and the deletion, another write may give a row today's date.
    func deletion(before today: Int64, limit: Int) -> SQL {
        """
        DELETE FROM \(sql: table) WHERE day < \(today) AND account IN (
            SELECT account FROM \(sql: table) WHERE day < \(today) ORDER BY day, account LIMIT \(limit))
        """
    }
}

extension Set<UInt64> {
    /// - Parameter bytes: the result of `stored`; empty for no hashes.
    init(stored bytes: [UInt8]) {
        let hashes: [UInt64] = bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 8).map { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self)) }
        }
        self.init(hashes)
    }

    /// The hashes, 8 bytes each. They are sorted by value, so the bytes do not show in which order they were added.
    var stored: [UInt8] { sorted().map(\.bigEndian).withUnsafeBytes { Array($0) } }
}
