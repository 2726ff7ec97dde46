internal import Core
internal import Database
internal import Web

extension AccountMigrations {
    /// closed_at: when the owner or the operator deleted the account. Jobs delete its other rows in steps, and this row last.
    static let closing = Migration("accounts/005-closing", ["ALTER TABLE account ADD COLUMN closed_at BIGINT"])
}

extension AccountStore {
    /// - Parameters:
    ///   - hiding: runs before the account's row changes.
    ///   - also: runs last.
    ///   - showing: runs first, and only for a suspended account, before the account is restored and closed; `nil` refuses a suspended
    ///     account.
    /// - Returns: `false` when the account does not exist or is already closed.
    /// - Throws: `.suspended`.
    func close(
        _ id: String, at now: Timestamp, hiding: @escaping @Sendable (WriteTransaction) throws -> Void,
        also: @escaping @Sendable (WriteTransaction) throws -> Void, showing: (@Sendable (WriteTransaction) throws -> Void)? = nil
    ) async throws -> Bool {
        try await database.write { tx in
            try Self.lockStanding(of: id, tx)
            guard let account = try tx.first(Self.account(id), Account.init) else { return false }
            // An account that is hidden already must not be hidden a second time.
            if account.suspendedAt != nil, let showing {
                try showing(tx)
                try tx.run(Self.restore(id))
            } else {
                try account.requireActive()
            }
            try hiding(tx)
            try tx.run(Self.close(id, now))
            try Self.wakeSockets(of: id, tx)
            // This only marks the sessions as ended. `eraseSome` deletes them in steps, because they may have very many refresh tokens.
            try tx.run(Self.endSessions(of: id, at: now))
            // Earlier reset codes and issuers' tokens must give access neither to this account nor to one that is created again.
            try tx.run(Self.deleteResets(of: id))
            try tx.run(Self.deleteEmailChanges(of: id))
            try Self.deleteIdentitiesAndKeepTombstones(of: id, at: now, in: tx)
            try also(tx)
            return true
        }
    }

    func open(after last: String, limit: Int) async throws -> [OpenAccount] {
        try await database.read { tx in
            try tx.rows(Self.open(after: last, limit: limit)).map { row in
                OpenAccount(
                    id: try row.get("id"), createdAt: try row.get("created_at"),
                    isSuspended: try row.get("suspended_at", as: Timestamp?.self) != nil)
            }
        }
    }

    // MARK: Statements

    private static let byID = Keyset(.ascending, "id")

    static func open(after last: String, limit: Int) -> SQL {
        "SELECT id, created_at, suspended_at FROM account WHERE closed_at IS NULL" + byID.page(after: "\(last)", limit: limit)
    }

    static func close(_ id: String, _ now: Timestamp) -> SQL {
        """
        UPDATE account SET email = NULL, name = NULL, password_hash = NULL, phone = NULL, phone_proved_at = NULL, verified_at = NULL,
            is_admin = 0, is_pro = 0, closed_at = \(now)
        WHERE id = \(id) AND closed_at IS NULL
        """
    }

    static func endSessions(of account: String, at now: Timestamp) -> SQL {
        "UPDATE session SET ended_at = \(now) WHERE account = \(account) AND ended_at IS NULL"
    }

    static func deleteClosed(_ id: String) -> SQL { "DELETE FROM account WHERE id = \(id) AND closed_at IS NOT NULL" }
}
