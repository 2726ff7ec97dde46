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
            ])
    ]

    package static func hash(_ account: String) -> String { Hex.encode(SHA256.hash(data: Array(account.utf8))) }

    /// Called in the write that closes the account. An account that was created again under the same id can be deleted again.
    static func add(_ account: String, at now: Timestamp, _ tx: WriteTransaction) throws {
        try tx.send(
            """
            INSERT INTO deletion_log (hash, deleted_at) VALUES (\(hash(account)), \(now))
            ON CONFLICT (hash) DO UPDATE SET deleted_at = excluded.deleted_at
            """)
    }

    /// The hash of each account that was deleted after `limit`, with the time of its deletion.
    package func deletions(after limit: Timestamp) async throws -> [(hash: String, at: Timestamp)] {
        var found: [(hash: String, at: Timestamp)] = []
        var last = (at: limit, hash: "")
        while true {
            let page = try await database.read { [last] tx in
                try tx.rows(Self.page(after: last, limit: 1_000)).map { row in
                    (hash: try row.get("hash", as: String.self), at: try row.get("deleted_at", as: Timestamp.self))
                }
            }
            found += page
            guard page.count == 1_000, let end = page.last else { return found }
            last = (end.at, end.hash)
        }
    }

    private static let byTime = Keyset(.ascending, "deleted_at", "hash")

    static func page(after last: (at: Timestamp, hash: String), limit: Int) -> SQL {
        "SELECT hash, deleted_at FROM deletion_log WHERE deleted_at >= \(last.at)"
            + byTime.page(after: "\(last.at), \(last.hash)", limit: limit)
    }
}
