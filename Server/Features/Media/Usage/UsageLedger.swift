package import Blobs
package import Core
package import Database

/// What each account uses of its quota, and what its uploads have reserved of it. All SQL of `media_usage` and `upload_reservation`.
///
/// Every statement that adds bytes has the condition `used + reserved + added <= quota`, so concurrent writes cannot exceed the quota. An
/// account's own quota, if it has one, is in the same row. A transaction locks a reservation's row before the account's row, so that
/// transactions cannot deadlock.
struct UsageLedger: Sendable {
    /// The quota of accounts that have none of their own.
    let quota: MediaQuota

    /// What one write adds to an account's usage.
    struct Charge: Sendable {
        /// Bytes of files.
        var byteCount: Int64 = 0
        var fileCount: Int64 = 0
        /// Bytes of rows, see `RowBytes`.
        var rowBytes: Int64 = 0
        /// Reserved bytes to release; their reservation's row is deleted already.
        var reserved: Int64 = 0
    }

    /// - Throws: `.tooLarge` when the charge exceeds the quota.
    func add(_ charge: Charge, to owner: String, _ tx: WriteTransaction) throws {
        let statement = Self.add(charge, to: owner, quota)
        if try tx.run(statement) == 1 { return }
        // Either the account has no row yet, or the quota is exceeded. Both are rare. A concurrent write may have inserted the row
        // meanwhile.
        try tx.send(Self.begin(owner))
        guard try tx.run(statement) == 1 else {
            var used = try usage(of: owner, tx)
            used.byteCount -= charge.reserved
            throw exceeded(used, by: charge.byteCount + charge.rowBytes, files: charge.fileCount)
        }
    }

    /// Adds usage that cannot be rejected: rows that existed before rows were counted, and rows that the server writes itself, for example
    /// a transcript. A negative amount releases bytes.
    func note(_ charge: Charge, of owner: String, _ tx: WriteTransaction) throws {
        let statement = Self.note(charge, of: owner)
        if try tx.run(statement) == 1 { return }
        // If there is no row, the account was erased meanwhile, and there is nothing to release.
        guard charge.byteCount >= 0, charge.rowBytes >= 0, charge.reserved <= 0 else { return }
        try tx.send(Self.begin(owner))
        try tx.send(statement)
    }

    /// Adjusts the usage for a changed row. Growth may exceed the quota and throw; shrinking never does.
    /// - Parameters:
    ///   - counted: bytes that were counted for the row so far; `nil` if an earlier version stored the row and did not count it.
    ///   - old: bytes of the row before the change, by the current rules of `RowBytes`.
    func change(from counted: Int64?, _ old: Int64, to new: Int64, of owner: String, _ tx: WriteTransaction) throws {
        if counted == nil { try note(Charge(rowBytes: old), of: owner, tx) }
        let growth = new - (counted ?? old)
        if growth > 0 { try add(Charge(rowBytes: growth), to: owner, tx) }
        if growth < 0 { try note(Charge(rowBytes: growth), of: owner, tx) }
    }

    /// What an account has stored and reserved.
    struct Usage: Sendable {
        var byteCount: Int64 = 0
        var fileCount: Int64 = 0
        /// The account's own quota in bytes; `nil` when it has the server's.
        var ownQuota: Int64?
    }

    /// The error when bytes or files exceed the quota.
    /// - Parameter byteCount: the requested bytes; for an upload of unknown length, the bytes that it needed next.
    func exceeded(_ used: Usage, by byteCount: Int64, files fileCount: Int64 = 0) -> Problem {
        if used.fileCount + fileCount > quota.fileCount {
            return Problem(
                .tooLarge,
                """
                Your quota of \(quota.fileCount) files is used up: you have \(used.fileCount), and \(fileCount) more were sent. Nothing was \
                kept.
                """, code: Problem.quotaExceededCode)
        }
        return Problem(
            .tooLarge,
            """
            Your quota of \(SizeText.rounded(used.ownQuota ?? quota.byteCount)) does not suffice: \(SizeText.rounded(used.byteCount)) are used, and \
            at least \(SizeText.rounded(byteCount)) more are needed. Nothing was kept.
            """, code: Problem.quotaExceededCode)
    }

    func usage(of owner: String, _ tx: ReadTransaction) throws -> Usage {
        guard let row = try tx.row(Self.used(owner)) else { return Usage() }
        return Usage(byteCount: try row.get("used"), fileCount: try row.get("file_count"), ownQuota: try row.get("quota_bytes"))
    }

    // MARK: Reservations

    /// Deletes the reservations of files that become rows or are discarded.
    /// - Returns: the bytes that they held. The account's row counts these as reserved until a charge releases them.
    func take(_ reservations: Set<String>, of owner: String, _ tx: WriteTransaction) throws -> Int64 {
        var byteCount: Int64 = 0
        for id in reservations.sorted() {
            byteCount += try tx.row(Self.removal(of: id, owner: owner))?.get("byte_count") ?? 0
        }
        return byteCount
    }

    /// See `UploadQuota.reserve`.
    func reserve(_ request: ReservationRequest, until: Timestamp, _ tx: WriteTransaction) throws -> Int64 {
        try tx.send(
            """
            INSERT INTO upload_reservation (id, owner, byte_count, expires_at) VALUES (\(request.id), \(request.owner), 0, \(until))
            ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at
            """)
        try tx.send(Self.begin(request.owner))
        for amount in [request.wanted, request.least] {
            let reserved = try tx.run(
                """
                UPDATE media_usage SET reserved_bytes = reserved_bytes + \(amount)
                WHERE account = \(request.owner)
                    AND byte_count + row_bytes + reserved_bytes + \(amount)
                        <= COALESCE(quota_bytes, \(quota.byteCount)) + \(request.replacing)
                """)
            guard reserved == 1 else { continue }
            let row = try tx.row(
                """
                UPDATE upload_reservation SET byte_count = byte_count + \(amount)
                WHERE id = \(request.id) AND owner = \(request.owner) RETURNING byte_count
                """)
            return try row?.get("byte_count") ?? amount
        }
        // The usage that the error states includes the bytes that this upload has already reserved.
        throw QuotaExceeded(exceeded(try usage(of: request.owner, tx), by: request.wanted - request.replacing))
    }

    func release(_ id: String, owner: String, _ tx: WriteTransaction) throws {
        let byteCount = try take([id], of: owner, tx)
        if byteCount > 0 { try note(Charge(reserved: byteCount), of: owner, tx) }
    }

    /// Deletes expired reservations, which no node renews, because the node that made them stopped.
    /// - Returns: the number of deleted reservations.
    func sweep(before now: Timestamp, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try tx.lock("upload reservations that expired")
        let rows = try tx.rows(Self.expired(before: now, limit: limit))
        var byteCounts: [String: Int64] = [:]
        for row in rows {
            byteCounts[try row.get("owner"), default: 0] += try take([row.get("id")], of: row.get("owner"), tx)
        }
        for (owner, byteCount) in byteCounts.sorted(by: { $0.key < $1.key }) {
            try note(Charge(reserved: byteCount), of: owner, tx)
        }
        return rows.count
    }

    // MARK: Statements

    static func begin(_ owner: String) -> SQL {
        "INSERT INTO media_usage (account, byte_count, file_count) VALUES (\(owner), 0, 0) ON CONFLICT DO NOTHING"
    }

    static func add(_ charge: Charge, to owner: String, _ quota: MediaQuota) -> SQL {
        let growth = charge.byteCount + charge.rowBytes - charge.reserved
        return """
            UPDATE media_usage SET byte_count = byte_count + \(charge.byteCount), file_count = file_count + \(charge.fileCount),
                row_bytes = row_bytes + \(charge.rowBytes), reserved_bytes = reserved_bytes - \(charge.reserved)
            WHERE account = \(owner)
                AND byte_count + row_bytes + reserved_bytes + \(growth) <= COALESCE(quota_bytes, \(quota.byteCount))
                AND file_count + \(charge.fileCount) <= \(quota.fileCount)
            """
    }

    static func note(_ charge: Charge, of owner: String) -> SQL {
        """
        UPDATE media_usage SET byte_count = byte_count + \(charge.byteCount), file_count = file_count + \(charge.fileCount),
            row_bytes = row_bytes + \(charge.rowBytes), reserved_bytes = reserved_bytes - \(charge.reserved)
        WHERE account = \(owner)
        """
    }

    static func used(_ owner: String) -> SQL {
        "SELECT byte_count + row_bytes + reserved_bytes AS used, file_count, quota_bytes FROM media_usage WHERE account = \(owner)"
    }

    static func uses(of accounts: [String]) -> SQL {
        """
        SELECT account, file_count, byte_count + row_bytes AS byte_count, quota_bytes FROM media_usage
        WHERE account IN (\(sql: .list(accounts)))
        """
    }

    /// Locks the rows of those accounts whose row no other write has locked.
    /// - Parameter locking: `WriteTransaction.skippingLocked`.
    static func free(among accounts: [String], _ locking: SQL) -> SQL {
        "SELECT account FROM media_usage WHERE account IN (\(sql: .list(accounts))) \(sql: locking)"
    }

    /// Locks the account's row, after other writes that have locked it.
    /// - Parameter locking: `WriteTransaction.lockingRows`.
    static func locked(_ account: String, _ locking: SQL) -> SQL {
        "SELECT account FROM media_usage WHERE account = \(account) ORDER BY account \(sql: locking)"
    }

    static func setQuota(_ byteCount: Int64?, of owner: String) -> SQL {
        "UPDATE media_usage SET quota_bytes = \(byteCount) WHERE account = \(owner)"
    }

    static func removal(of id: String, owner: String) -> SQL {
        "DELETE FROM upload_reservation WHERE id = \(id) AND owner = \(owner) RETURNING byte_count"
    }

    static func renewal(of id: String, owner: String, until: Timestamp) -> SQL {
        "UPDATE upload_reservation SET expires_at = \(until) WHERE id = \(id) AND owner = \(owner)"
    }

    static func expired(before now: Timestamp, limit: Int) -> SQL {
        "SELECT id, owner FROM upload_reservation WHERE expires_at < \(now) ORDER BY expires_at, id LIMIT \(limit)"
    }
}

/// The quota check that uploads use while their bytes arrive.
package struct StagingQuota: UploadQuota {
    private let database: any Database
    private let ledger: UsageLedger
    private let clock: WallClock

    package init(database: any Database, quota: MediaQuota, clock: WallClock) {
        self.database = database
        self.clock = clock
        ledger = UsageLedger(quota: quota)
    }

    package func check(_ byteCount: Int64, of owner: String) async throws {
        let used = try await database.read { [ledger] tx in try ledger.usage(of: owner, tx) }
        if used.byteCount + byteCount > used.ownQuota ?? ledger.quota.byteCount {
            throw QuotaExceeded(ledger.exceeded(used, by: byteCount))
        }
    }

    package func reserve(_ request: ReservationRequest) async throws -> Int64 {
        try await database.write { [ledger, clock] tx in try ledger.reserve(request, until: clock.now + request.lease, tx) }
    }

    package func renew(_ id: String, owner: String, lease: Duration) async throws -> Bool {
        try await database.run(UsageLedger.renewal(of: id, owner: owner, until: clock.now + lease)) == 1
    }

    package func release(_ id: String, owner: String) async throws {
        try await database.write { [ledger] tx in try ledger.release(id, owner: owner, tx) }
    }

    /// Deletes expired reservations in batches.
    func sweep() async throws {
        try await database.sweep { [ledger, clock] limit, tx in try ledger.sweep(before: clock.now, limit: limit, tx) }
    }
}
