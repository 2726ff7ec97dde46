package import Core
package import Database

/// Erases an account's blobs.
extension BlobLedger: TableOwner {
    package static var localTables: [String] { ["blob_hold"] }

    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "blob", owner: .column("owner"), order: ["key"],
                columns: [
                    .plain("sha256"), .plain("byte_count"), .plain("state"), .time("created_at"), .time("dead_at"), .withheld("key"),
                    .withheld("owner"), .withheld("refs"),
                ],
                ending: .batches)
        ]
    }

    /// The live blobs of `owner`.
    package func live(of owner: String, _ tx: ReadTransaction) throws -> [BlobKey] {
        try tx.rows(Self.live(of: owner)).map { try $0.get("key") }
    }

    /// Locks a live blob's row until the end of the write. A concurrent write that drops a reference to the blob waits for this one.
    /// - Returns: `false` when the blob is dead or belongs to another account.
    package func lock(_ key: BlobKey, of owner: String, _ tx: WriteTransaction) throws -> Bool {
        try tx.run(Self.lock(key, of: owner)) == 1
    }

    /// Drops all references that `owner` still has, after the rows that held them are deleted.
    /// - Returns: the number of blobs that are dead now.
    @discardableResult
    package func abandon(_ owner: String, at now: Timestamp, _ tx: WriteTransaction) throws -> Int {
        try tx.run(Self.abandonment(owner, now: now))
    }

    /// Dead blobs of `owner`, ordered by key.
    package func dead(of owner: String, count: Int, _ tx: ReadTransaction) throws -> [BlobKey] {
        try tx.rows(Self.dead(of: owner, count: count)).map { try $0.get("key") }
    }

    /// Deletes the rows of dead blobs whose bytes are deleted.
    package func removeDead(_ keys: [BlobKey], _ tx: WriteTransaction) throws {
        for key in keys { try tx.send(Self.removeDead(key)) }
    }

    package static func abandonment(_ owner: String, now: Timestamp) -> SQL {
        "UPDATE blob SET refs = 0, state = 'dead', dead_at = \(now) WHERE owner = \(owner) AND state = 'live'"
    }

    /// Sorts by the columns of the index `blob_live_bytes`, so that the engine does not read the owner's dead blobs, which may be many
    /// more.
    package static func live(of owner: String) -> SQL {
        "SELECT key FROM blob WHERE owner = \(owner) AND state = 'live' ORDER BY sha256, byte_count"
    }

    package static func lock(_ key: BlobKey, of owner: String) -> SQL {
        "UPDATE blob SET owner = owner WHERE key = \(key) AND owner = \(owner) AND state = 'live'"
    }

    package static func dead(of owner: String, count: Int) -> SQL {
        "SELECT key FROM blob WHERE owner = \(owner) AND state = 'dead' ORDER BY key LIMIT \(count)"
    }
}
