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

    package static func dead(of owner: String, count: Int) -> SQL {
        "SELECT key FROM blob WHERE owner = \(owner) AND state = 'dead' ORDER BY key LIMIT \(count)"
    }
}
