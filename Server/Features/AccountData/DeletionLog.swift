package import Core
import Crypto
package import Database

/// Which accounts were deleted, and when. Each backup includes the log, so that the restore of an older backup deletes these accounts
/// again. The log outlives the account, so it holds only the hash of the account's id.
package struct DeletionLog: Sendable {
    private let database: any Database

    package init(database: any Database) { self.database = database }

    static let migrations = [
        Migration(
            "account-data/001-deletion",
            [
                // hash: SHA-256 of the account's id, in hexadecimal.
                """
                CREATE TABLE deletion_log (
                    hash TEXT COLLATE "C" PRIMARY KEY NOT NULL CONSTRAINT deletion_log_hash CHECK (length(hash) = 64),
                    deleted_at BIGINT NOT NULL
                )
                """,
                "CREATE INDEX deletion_log_by_time ON deletion_log (deleted_at, hash)",
            ]),
        Migration(
            "account-data/002-kept-coves",
            [
                // keeps_coves: 1 if the coves that the account had created were handed to other members. 0 otherwise, and for rows that are
                // older than this column.
                """
                ALTER TABLE deletion_log ADD COLUMN keeps_coves SMALLINT NOT NULL DEFAULT 0
                    CONSTRAINT deletion_log_keeps_coves CHECK (keeps_coves IN (0, 1))
                """
            ], release: 2),
    ]

    package struct Deletion: Sendable, Hashable {
        /// The hash of the account's id (see `DeletionLog.hash`).
        package let hash: String
        package let at: Timestamp
        /// Whether coves that the account had created were handed to other members instead of ending.
        package let keepsCoves: Bool

        package init(hash: String, at: Timestamp, keepsCoves: Bool) {
            self.hash = hash
            self.at = at
            self.keepsCoves = keepsCoves
        }
    }

    package static func hash(_ account: String) -> String { Hex.encode(SHA256.hash(data: Array(account.utf8))) }

    /// Adds an account to the log. Call it in the write that closes the account. An account that was created again under the same id can be
    /// deleted again.
    static func add(_ account: String, keepsCoves: Bool, at now: Timestamp, _ tx: WriteTransaction) throws {
        try tx.send(
            """
            INSERT INTO deletion_log (hash, deleted_at, keeps_coves) VALUES (\(hash(account)), \(now), \(keepsCoves))
            ON CONFLICT (hash) DO UPDATE SET deleted_at = excluded.deleted_at, keeps_coves = excluded.keeps_coves
            """)
    }

    /// The deletions after the time `limit`, oldest first.
    package func deletions(after limit: Timestamp) async throws -> [Deletion] {
        var found: [Deletion] = []
        var last = (at: limit, hash: "")
        while true {
            let page = try await database.read { [last] tx in
                try tx.rows(Self.page(after: last, limit: 1_000)).map { row in
                    Deletion(
                        hash: try row.get("hash"), at: try row.get("deleted_at"), keepsCoves: try row.get("keeps_coves", as: Bool.self))
                }
            }
            found += page
            guard page.count == 1_000, let end = page.last else { return found }
            last = (end.at, end.hash)
        }
    }

    private static let byTime = Keyset(.ascending, "deleted_at", "hash")

    static func page(after last: (at: Timestamp, hash: String), limit: Int) -> SQL {
        "SELECT hash, deleted_at, keeps_coves FROM deletion_log WHERE deleted_at >= \(last.at)"
            + byTime.page(after: "\(last.at), \(last.hash)", limit: limit)
    }
}
