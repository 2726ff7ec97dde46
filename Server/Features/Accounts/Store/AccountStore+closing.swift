internal import Core
internal import Database
internal import Web

extension AccountMigrations {
    /// closed_at: when its owner deleted the account. Other rows are deleted step by step, this one last.
    static let closing = Migration("accounts/005-closing", ["ALTER TABLE account ADD COLUMN closed_at BIGINT"])
}

extension AccountStore {
    /// - Returns: `false` when the account does not exist or is already closed.
    func close(
        _ id: String, at now: Timestamp, also: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> Bool {
        try await database.write { tx in
            guard try tx.run(Self.close(id, now)) == 1 else { return false }
            // Closes the sessions' sockets on every node; they outlive the request that opened them.
            for row in try tx.rows(Self.deleteSessions(of: id)) { tx.wake(Wake(.sessions, try row.get("id"))) }
            // Earlier reset codes and issuers' tokens must lead neither to this account nor to one that is created anew.
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
