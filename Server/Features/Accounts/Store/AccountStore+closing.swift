internal import Core
internal import Database
internal import Web

extension AccountMigrations {
    /// closed_at: its owner deleted it; the rows go one after the other, this one last.
    static let closing = Migration("accounts/005-closing", ["ALTER TABLE account ADD COLUMN closed_at BIGINT"])
}

extension AccountStore {
    /// - Returns: `false` when there is no such account, or it is closed already.
    func close(
        _ id: String, at now: Timestamp, also: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> Bool {
        try await database.write { tx in
            guard try tx.run(Self.close(id, now)) == 1 else { return false }
            // Sockets outlive the request that opened them, on any node.
            for row in try tx.rows(Self.deleteSessions(of: id)) { tx.wake(Wake(.sessions, try row.get("id"))) }
            // No code and no issuer's token of before leads to it any more, nor to one that is made anew.
            try tx.run(Self.deleteResets(of: id))
            try Self.deleteIdentitiesAndKeepTombstones(of: id, at: now, in: tx)
            try also(tx)
            return true
        }
    }

    // MARK: Statements

    static func close(_ id: String, _ now: Timestamp) -> SQL {
        """
        UPDATE account SET email = NULL, name = NULL, password_hash = NULL, is_admin = 0, is_pro = 0, closed_at = \(now)
        WHERE id = \(id) AND closed_at IS NULL
        """
    }

    static func deleteSessions(of account: String) -> SQL { "DELETE FROM session WHERE account = \(account) RETURNING id" }

    static func deleteClosed(_ id: String) -> SQL { "DELETE FROM account WHERE id = \(id) AND closed_at IS NOT NULL" }
}
