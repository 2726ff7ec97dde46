package import Core
package import Database

/// All SQL of idempotency: the keys of creations and the responses to them.
///
/// A request claims its key before it does its work. It stores the response **in the transaction that makes the rows**, and only if its
/// claim's attempt number is still current. So after a crash there are either both the rows and a response to repeat, or neither. A
/// response names the resources that it describes. The transaction that deletes the last of them deletes the response as well; the key
/// stays, so that a retry creates nothing.
package struct IdempotencyStore: Sendable {
    /// How long the server repeats a response, unless it is configured otherwise. Phones repeat queued creations after weeks.
    package static let defaultRetention = Duration.days(30)
    /// The longest time that can be configured. Nothing older than that has a stored response.
    package static let longestRetention = Duration.days(90)
    /// The server counts an account's keys when it stores a response, but only for one in this many responses.
    static let countingInterval: UInt8 = 64
    /// How long a claim blocks other requests with the same key. The claims of a node that crashed end after this time. A request may take
    /// longer; the server undoes it only if a retry has taken over its key meanwhile.
    static let lease = Duration.seconds(10)

    /// Bytes that count against the quota for a response's row, in addition to the length of the response: for the account, the route, the
    /// key, the fingerprint and the index entries. They count until the key is deleted, even if the response was deleted before.
    static let rowBytes: Int64 = 512

    let database: any Database
    let clock: WallClock
    /// How long the server repeats a response.
    let retention: Duration
    private let maxKeyCount: Int
    private let entropy: Entropy
    let count: CountBytes

    /// Counts bytes of stored responses against an account's quota, in the write that stores or deletes them. A negative count frees bytes.
    /// Throws `Problem(.tooLarge)` when the bytes exceed the quota.
    package typealias CountBytes = @Sendable (_ byteCount: Int64, _ account: String, _ tx: WriteTransaction) throws -> Void

    /// - Parameters:
    ///   - retention: how long the server repeats a response; at most `longestRetention`.
    ///   - maxKeyCount: about how many keys an account may have. The server counts them only at some requests.
    ///   - entropy: chooses those requests.
    ///   - count: the default counts nothing.
    package init(
        database: any Database, clock: WallClock, retention: Duration = defaultRetention, maxKeyCount: Int = 200_000,
        entropy: Entropy = .system, count: @escaping CountBytes = { _, _, _ in }
    ) {
        self.database = database
        self.clock = clock
        self.retention = retention
        self.maxKeyCount = maxKeyCount
        self.entropy = entropy
        self.count = count
    }

    package static let createdResources = "web/004-created-resources"

    package static let migrations = [
        Migration(
            "web/001-idempotency",
            [
                // fingerprint: of the request that was answered. A row without an answer belongs to a request in progress.
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
        // row_bytes: what the row counts against the account's quota. NULL: no answer, or one that is older than this column.
        Migration("web/003-answer-bytes", ["ALTER TABLE idempotency ADD COLUMN row_bytes BIGINT"]),
        Migration(
            createdResources,
            [
                // How many of the resources that the answer names still exist. 0: all have been deleted, and the answer as well. NULL:
                // there is no answer yet, or it is older than this column and names no resource.
                "ALTER TABLE idempotency ADD COLUMN resources_left BIGINT",
                """
                CREATE TABLE idempotency_resource (
                    account TEXT COLLATE "C" NOT NULL,
                    route TEXT COLLATE "C" NOT NULL,
                    key TEXT COLLATE "C" NOT NULL,
                    kind TEXT COLLATE "C" NOT NULL,
                    resource TEXT COLLATE "C" NOT NULL,
                    PRIMARY KEY (account, route, key, kind, resource),
                    FOREIGN KEY (account, route, key) REFERENCES idempotency (account, route, key) ON DELETE CASCADE
                )
                """,
                // The index contains all columns of the query. Otherwise SQLite would use the primary key, which contains them too, and
                // search it by the account alone.
                "CREATE INDEX idempotency_resource_by_id ON idempotency_resource (account, kind, resource, route, key)",
            ]),
    ]

    /// Identifies a key: its account, its route and its text.
    struct Name: Sendable, Hashable {
        let account: String
        /// Method and path template of the endpoint.
        let route: String
        let key: String
    }

    /// The stored state of a key.
    struct Entry: Sendable {
        let attempt: Int64
        let leaseUntil: Timestamp
        let fingerprint: String?
        let answer: String?
        let createdAt: Timestamp
        let rowBytes: Int64?
        /// How many of the resources that the response names still exist; `nil` when it names none.
        let resourcesLeft: Int64?
    }

    enum Claim: Sendable, Equatable {
        /// The caller may do the work. It then passes this attempt number to `keep` or `release`.
        case granted(attempt: Int64)
        /// An earlier request has completed. `answer(_:)` reads its response.
        case answered(fingerprint: String)
        /// An earlier request has completed, and everything that it created has been deleted.
        case deleted
        /// Another request with the key is in progress.
        case inFlight
    }

    /// The response to a request, and what the request created.
    struct Answer: Sendable {
        let text: String
        let fingerprint: String
        let resources: [CreatedResource]

        var rowBytes: Int64 { IdempotencyStore.rowBytes + Int64(text.utf8.count) }
    }

    func claim(_ name: Name) async throws -> Claim {
        // Most keys are new, and this statement is all they need.
        if try await database.run(Self.begin(name, clock.now)) == 1 { return .granted(attempt: 1) }
        return try await database.write { tx in
            let now = clock.now
            if try tx.run(Self.begin(name, now)) == 1 { return .granted(attempt: 1) }
            // If the row was deleted between the two statements, the request that held the key has failed.
            guard let entry = try tx.first(Self.entry(name), Entry.init) else { return .inFlight }
            let isOld = entry.createdAt < now - retention
            if !isOld, entry.resourcesLeft == 0 { return .deleted }
            if !isOld, entry.answer != nil, let fingerprint = entry.fingerprint { return .answered(fingerprint: fingerprint) }
            guard isOld || entry.leaseUntil <= now else { return .inFlight }
            guard try tx.run(Self.takeOver(name, from: entry.attempt, leaseUntil: now + Self.lease, now)) == 1 else { return .inFlight }
            // The expired response is deleted, so delete the names of its resources as well.
            if entry.resourcesLeft != nil { try tx.send(Self.unname(name)) }
            if let counted = entry.rowBytes { try count(-counted, name.account, tx) }
            return .granted(attempt: entry.attempt + 1)
        }
    }

    /// - Returns: the stored response; `nil` when it does not exist any more.
    func answer(_ name: Name) async throws -> String? { try await database.first(Self.entry(name), Entry.init)?.answer }

    /// Stores the response, in the write that makes the rows it describes.
    /// - Throws: `Problem(.conflict)` when a retry has taken over the key: the retry makes the rows, and this write is undone; `.tooLarge`
    ///   when the response exceeds the account's quota, or the account has too many keys.
    func keep(_ answer: Answer, _ name: Name, attempt: Int64, _ tx: WriteTransaction) throws {
        // Do not count for every response, because counting reads up to `maxKeyCount` rows of an index.
        if entropy.bytes(1)[0] % Self.countingInterval == 0 {
            let keyCount: Int64 = try tx.row(Self.countKeys(of: name.account, upTo: maxKeyCount + 1))?.get("n") ?? 0
            guard keyCount <= maxKeyCount else {
                throw Problem(
                    .tooLarge,
                    "This account used \(maxKeyCount) Idempotency-Keys, and the server keeps each for \(Int(retention / .days(1))) days. "
                        + "Repeat the request later or without a key.",
                    field: "Idempotency-Key")
            }
        }
        try tx.send(
            Self.keep(answer, name, attempt: attempt), expecting: 1,
            otherwise: Problem(
                .conflict, "A retry with the same Idempotency-Key has taken over; this request was undone.", retryAfter: .seconds(1)))
        for resource in answer.resources { try tx.send(Self.insert(resource, name)) }
        try count(answer.rowBytes, name.account, tx)
    }

    /// Deletes each response that describes `resource`, unless it also describes another resource that still exists. Call it in the write
    /// that deletes the resource, before that write changes the account's usage: like `sweep`, the write must lock a response first and
    /// the account's usage second.
    /// - Returns: bytes of the account's quota that this frees. The caller frees them together with those of the row that it deletes.
    package static func forget(_ resource: CreatedResource, of account: String, _ tx: WriteTransaction) throws -> Int64 {
        var freed: Int64 = 0
        for row in try tx.rows(answers(to: resource, of: account)) {
            freed += try forget(resource, Name(account: account, route: row.get("route"), key: row.get("key")), tx)
        }
        return freed
    }

    /// - Returns: bytes of the account's quota that this frees.
    private static func forget(_ resource: CreatedResource, _ name: Name, _ tx: WriteTransaction) throws -> Int64 {
        // Locks the row against the sweep, against a retry that takes over an expired key, and against the deletion of another resource of
        // the response.
        guard let kept = try tx.row(hold(name)), let left: Int64 = try kept.get("resources_left"), try tx.run(unname(resource, name)) == 1
        else { return 0 }
        if left > 1 {
            try tx.send(setLeft(left - 1, name))
            return 0
        }
        let counted: Int64? = try kept.get("row_bytes")
        try tx.send(deleteAnswer(name, rowBytes: counted.map { min($0, rowBytes) }))
        return counted.map { max(0, $0 - rowBytes) } ?? 0
    }

    /// Does what `forget(_:of:_:)` does for many resources.
    /// - Parameters:
    ///   - kind: the kind of all these resources.
    ///   - made: a SELECT that returns the columns `account` and `id` of the resources, whether or not they have stored responses.
    ///   - limit: the most responses to read, 1 or more. A resource may have several.
    /// - Returns: how many responses were found, and bytes that this frees of each account's quota.
    package static func forget(
        _ kind: String, made: SQL, limit: Int, _ tx: WriteTransaction
    ) throws -> (count: Int, freed: [String: Int64]) {
        let rows = try tx.rows(answers(to: kind, made: made, limit: limit))
        var freed: [String: Int64] = [:]
        for row in rows {
            let name = Name(account: try row.get("account"), route: try row.get("route"), key: try row.get("key"))
            let byteCount = try forget(CreatedResource(kind: kind, id: row.get("resource")), name, tx)
            if byteCount > 0 { freed[name.account, default: 0] += byteCount }
        }
        return (rows.count, freed)
    }

    /// Deletes a key whose request failed. It deletes no key with a response: the response may have been committed although the commit's
    /// result was lost. It also keeps a key whose response has been deleted since.
    func release(_ name: Name, attempt: Int64) async throws {
        try await database.run(Self.release(name, attempt: attempt))
    }

    // MARK: Statements

    /// Inserts the key, unless it exists.
    static func begin(_ name: Name, _ now: Timestamp) -> SQL {
        let new = Entry(
            attempt: 1, leaseUntil: now + lease, fingerprint: nil, answer: nil, createdAt: now, rowBytes: nil, resourcesLeft: nil)
        return Entry.table.insert(new, with: ["account": name.account, "route": name.route, "key": name.key]) + " ON CONFLICT DO NOTHING"
    }

    static func entry(_ name: Name) -> SQL {
        """
        \(sql: Entry.table.select)
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key)
        """
    }

    static func countKeys(of account: String, upTo limit: Int) -> SQL {
        """
        SELECT COUNT(*) AS n FROM (SELECT key FROM idempotency WHERE account = \(account) LIMIT \(limit)) AS held
        """
    }

    static func takeOver(_ name: Name, from attempt: Int64, leaseUntil: Timestamp, _ now: Timestamp) -> SQL {
        """
        UPDATE idempotency SET attempt = attempt + 1, lease_until = \(leaseUntil), created_at = \(now), fingerprint = NULL, answer = NULL,
            row_bytes = NULL, resources_left = NULL
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key) AND attempt = \(attempt)
        """
    }

    static func keep(_ answer: Answer, _ name: Name, attempt: Int64) -> SQL {
        """
        UPDATE idempotency SET fingerprint = \(answer.fingerprint), answer = \(answer.text), row_bytes = \(answer.rowBytes),
            resources_left = \(answer.resources.count)
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key) AND attempt = \(attempt) AND answer IS NULL
            AND resources_left IS NULL
        """
    }

    static func insert(_ resource: CreatedResource, _ name: Name) -> SQL {
        """
        INSERT INTO idempotency_resource (account, route, key, kind, resource)
        VALUES (\(name.account), \(name.route), \(name.key), \(resource.kind), \(resource.id))
        """
    }

    static func answers(to resource: CreatedResource, of account: String) -> SQL {
        """
        SELECT route, key FROM idempotency_resource
        WHERE account = \(account) AND kind = \(resource.kind) AND resource = \(resource.id)
        """
    }

    static func answers(to kind: String, made: SQL, limit: Int) -> SQL {
        """
        SELECT named.account, named.resource, named.route, named.key FROM (\(sql: made)) AS made
        JOIN idempotency_resource AS named
            ON named.account = made.account AND named.kind = \(kind) AND named.resource = made.id
        LIMIT \(limit)
        """
    }

    /// Locks the row without changing it.
    static func hold(_ name: Name) -> SQL {
        """
        UPDATE idempotency SET resources_left = resources_left
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key) RETURNING resources_left, row_bytes
        """
    }

    static func setLeft(_ left: Int64, _ name: Name) -> SQL {
        """
        UPDATE idempotency SET resources_left = \(left)
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key)
        """
    }

    static func deleteAnswer(_ name: Name, rowBytes: Int64?) -> SQL {
        """
        UPDATE idempotency SET fingerprint = NULL, answer = NULL, row_bytes = \(rowBytes), resources_left = 0
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key)
        """
    }

    static func unname(_ resource: CreatedResource, _ name: Name) -> SQL {
        """
        DELETE FROM idempotency_resource
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key) AND kind = \(resource.kind)
            AND resource = \(resource.id)
        """
    }

    static func unname(_ name: Name) -> SQL {
        """
        DELETE FROM idempotency_resource
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key)
        """
    }

    static func release(_ name: Name, attempt: Int64) -> SQL {
        """
        DELETE FROM idempotency
        WHERE account = \(name.account) AND route = \(name.route) AND key = \(name.key) AND attempt = \(attempt) AND answer IS NULL
            AND resources_left IS NULL
        """
    }
}

extension IdempotencyStore.Entry: TableRow {
    static let table = Table<IdempotencyStore.Entry>("idempotency")

    init(_ row: inout RowReader, writing entry: IdempotencyStore.Entry?) throws {
        attempt = try row.next("attempt", entry?.attempt)
        leaseUntil = try row.next("lease_until", entry?.leaseUntil)
        fingerprint = try row.next("fingerprint", entry?.fingerprint)
        answer = try row.next("answer", entry?.answer)
        createdAt = try row.next("created_at", entry?.createdAt)
        rowBytes = try row.next("row_bytes", entry?.rowBytes)
        resourcesLeft = try row.next("resources_left", entry?.resourcesLeft)
    }
}
