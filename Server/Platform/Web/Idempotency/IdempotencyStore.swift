package import Core
package import Database

/// All SQL of idempotency: which creations were asked for under which key, and how they were answered.
///
/// A key is claimed before the work begins, and the answer is kept **in the transaction that makes the rows**, fenced by the claim's
/// number. So whatever dies in between, either there are rows and an answer to repeat, or neither.
package struct IdempotencyStore: Sendable {
    /// How long an answer is repeated.
    package static let retention = Duration.hours(24)
    /// How long a claim holds others off. A node that dies leaves its claims behind for so long; a slow request may take longer, and
    /// is undone only if somebody really took its key over meanwhile.
    static let lease = Duration.seconds(10)

    /// Bytes of a kept answer's row beside the answer itself: its names, its fingerprint and its entries in two indexes.
    static let rowBytes: Int64 = 512

    let database: any Database
    let clock: WallClock
    private let count: CountBytes

    /// Counts bytes of kept answers against an account's quota, as part of the write that keeps or removes them. Negative gives back.
    /// It throws `Problem(.tooLarge)` when they do not fit.
    package typealias CountBytes = @Sendable (_ byteCount: Int64, _ account: String, _ tx: WriteTransaction) throws -> Void

    /// - Parameter count: counts nothing by default.
    package init(database: any Database, clock: WallClock, count: @escaping CountBytes = { _, _, _ in }) {
        self.database = database
        self.clock = clock
        self.count = count
    }

    package static let migrations = [
        Migration(
            "web/001-idempotency",
            [
                // fingerprint: of the request that was answered. Without an answer the request is being worked on.
                """
                CREATE TABLE idempotency (
                    account TEXT COLLATE "C" NOT NULL,
                    route TEXT COLLATE "C" NOT NULL,
                    key TEXT COLLATE "C" NOT NULL,
                    attempt BIGINT NOT NULL,
                    lease_until BIGINT NOT NULL,
                    fingerprint TEXT COLLATE "C",
                    answer TEXT,
                    created_at BIGINT NOT NULL,
                    PRIMARY KEY (account, route, key),
                    CONSTRAINT idempotency_key CHECK (length(key) BETWEEN 1 AND 255),
                    CONSTRAINT idempotency_answer CHECK ((answer IS NULL) = (fingerprint IS NULL))
                )
                """,
                "CREATE INDEX idempotency_by_age ON idempotency (created_at)",
            ]),
        // What the row's answer counts against the account's quota. NULL: no answer, or one from before answers counted.
        Migration("web/003-answer-bytes", ["ALTER TABLE idempotency ADD COLUMN row_bytes BIGINT"]),
    ]

    /// Whose key, for what.
    struct Name: Sendable, Hashable {
        let account: String
        /// Method and path as the endpoint writes them.
        let route: String
        let key: String
    }

    enum Claim: Sendable, Equatable {
        /// The caller does the work, under this number.
        case granted(attempt: Int64)
        /// It was done before.
        case answered(fingerprint: String, answer: String)
        /// Somebody is doing it.
        case inFlight
    }

    func claim(_ name: Name) async throws -> Claim {
        try await database.write { tx in
            let now = clock.now
            let made = try tx.run(
                """
                INSERT INTO idempotency (account, route, key, attempt, lease_until, created_at)
                VALUES (\(name.account), \(name.route), \(name.key), 1, \(now + Self.lease), \(now)) ON CONFLICT DO NOTHING
                """)
            if made == 1 { return .granted(attempt: 1) }
            // Gone again between the two statements: whoever had it failed.
            guard let row = try tx.row(Self.entry(name)) else { return .inFlight }
            let attempt: Int64 = try row.get("attempt")
            let isOld = try row.get("created_at", as: Timestamp.self) < now - Self.retention
            if !isOld, let answer: String = try row.get("answer"), let fingerprint: String = try row.get("fingerprint") {
                return .answered(fingerprint: fingerprint, answer: answer)
            }
            guard try isOld || row.get("lease_until", as: Timestamp.self) <= now else { return .inFlight }
            let counted: Int64? = try row.get("row_bytes")
            guard try tx.run(Self.takeOver(name, from: attempt, leaseUntil: now + Self.lease, now)) == 1 else { return .inFlight }
            // The answer that was too old is gone.
            if let counted { try count(-counted, name.account, tx) }
            return .granted(attempt: attempt + 1)
        }
    }

    /// Keeps the answer, as part of the write that makes what it tells of.
    /// - Throws: `Problem(.conflict)` when a retry has taken the key over: it makes the rows, this write does not; `.tooLarge` when the
    ///   account's quota does not hold the answer.
    func keep(_ answer: String, fingerprint: String, _ name: Name, attempt: Int64, _ tx: WriteTransaction) throws {
        let rowBytes = Self.rowBytes + Int64(answer.utf8.count)
        try count(rowBytes, name.account, tx)
        guard try tx.run(Self.keep(answer, rowBytes: rowBytes, fingerprint: fingerprint, name, attempt: attempt)) == 1 else {
            throw Problem(
                .conflict, "A retry with the same Idempotency-Key has taken over; this request was undone.", retryAfter: .seconds(1))
        }
    }

    /// Gives a key back whose request came to nothing. An answer that was kept all the same, by a commit nobody heard of, stays.
    func release(_ name: Name, attempt: Int64) async throws {
        try await database.write { tx in try tx.run(Self.release(name, attempt: attempt)) }
    }

    /// Forgets what is older than 24 hours, 500 rows at a time.
    package func sweep() async throws {
        while try await database.write({ tx in try forget(before: clock.now - Self.retention, tx) }) == Self.sweepCount {}
    }

    /// - Returns: how many rows are gone.
    private func forget(before limit: Timestamp, _ tx: WriteTransaction) throws -> Int {
        let rows = try tx.rows(Self.forget(before: limit))
        var byteCounts: [String: Int64] = [:]
        for row in rows {
            guard let byteCount: Int64 = try row.get("row_bytes") else { continue }
            byteCounts[try row.get("account"), default: 0] += byteCount
        }
        // In order, so that no two writes wait for each other's accounts.
        for (account, byteCount) in byteCounts.sorted(by: { $0.key < $1.key }) { try count(-byteCount, account, tx) }
        return rows.count
    }

    // MARK: Statements

    private static let sweepCount = 500

    static func entry(_ name: Name) -> SQL {
        """
        SELECT attempt, lease_until, fingerprint, answer, created_at, row_bytes FROM idempotency
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key)
        """
    }

    static func takeOver(_ name: Name, from attempt: Int64, leaseUntil: Timestamp, _ now: Timestamp) -> SQL {
        """
        UPDATE idempotency SET attempt = attempt + 1, lease_until = \(leaseUntil), created_at = \(now), fingerprint = NULL, answer = NULL,
            row_bytes = NULL
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key) AND attempt = \(attempt)
        """
    }

    static func keep(_ answer: String, rowBytes: Int64, fingerprint: String, _ name: Name, attempt: Int64) -> SQL {
        """
        UPDATE idempotency SET fingerprint = \(fingerprint), answer = \(answer), row_bytes = \(rowBytes)
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key) AND attempt = \(attempt) AND answer IS NULL
        """
    }

    static func release(_ name: Name, attempt: Int64) -> SQL {
        """
        DELETE FROM idempotency
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key) AND attempt = \(attempt) AND answer IS NULL
        """
    }

    static func forget(before limit: Timestamp) -> SQL {
        """
        DELETE FROM idempotency WHERE (account, route, key) IN (
            SELECT account, route, key FROM idempotency WHERE created_at < \(limit) ORDER BY created_at LIMIT \(sweepCount))
        RETURNING account, row_bytes
        """
    }
}
