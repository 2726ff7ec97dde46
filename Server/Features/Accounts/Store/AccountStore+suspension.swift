internal import Core
internal import Database
internal import Web

extension AccountMigrations {
    /// The index for `otherAdministrator`, which would otherwise read all accounts if there is no other administrator.
    static let administrators = Migration(
        "accounts/031-administrators", ["CREATE INDEX account_administrator ON account (id) WHERE is_admin = 1"], release: 2)
}

/// Suspends and restores accounts. Suspending changes only one column: every statement that checks a credential reads that column. So
/// sessions, identities, tokens and the password stay as they are and work again after the account is restored.
extension AccountStore {
    /// The result of a change that an operator makes to an account.
    enum ChangeResult: Sendable {
        case changed(AccountSummary)
        /// The account was in the requested state before.
        case unchanged(AccountSummary)
        /// The account does not exist or is closed.
        case unknown
    }

    /// - Parameter hiding: runs before the account's row changes, and only when it changes.
    func suspend(
        _ id: String, at now: Timestamp, hiding: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> ChangeResult {
        try await change(id, if: { $0.suspendedAt == nil }) { tx in
            try hiding(tx)
            try tx.run(Self.suspend(id, now))
            try Self.wakeSockets(of: id, tx)
        }
    }

    /// - Parameter showing: runs before the account's row changes, and only when it changes.
    func restore(_ id: String, showing: @escaping @Sendable (WriteTransaction) throws -> Void) async throws -> ChangeResult {
        try await change(id, if: { $0.suspendedAt != nil }) { tx in
            try showing(tx)
            try tx.run(Self.restore(id))
        }
    }

    /// - Parameters:
    ///   - at: when the operator verified the account; `nil` takes that back.
    ///   - also: runs last, and only when the account changes.
    func setVerified(
        _ id: String, at now: Timestamp?, also: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> ChangeResult {
        try await change(id, if: { ($0.verifiedAt == nil) != (now == nil) }) { tx in
            try tx.run(Self.setVerified(id, at: now))
            try also(tx)
        }
    }

    /// - Parameters:
    ///   - administrator: the account that makes the change; it must still be an administrator. `nil` for a command.
    ///   - evenLast: whether the only administrator may lose the right.
    ///   - also: runs last, and only when the account changes.
    /// - Throws: `.forbidden`; `.conflict` if a suspended account would become an administrator; `Problem.lastAdministrator`.
    func setAdmin(
        _ id: String, _ isAdmin: Bool, by administrator: String?, evenLast: Bool,
        also: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> ChangeResult {
        try await change(id, if: { $0.isAdmin != isAdmin }) { tx in
            // If two administrators demote each other at the same moment, the second write fails, because its caller is no longer an
            // administrator. So one administrator is left.
            try tx.lock(AccountLocks.administrators)
            if let administrator {
                guard try tx.first(Self.account(administrator), Account.init)?.isAdmin == true else { throw Problem.notAnAdministrator }
            }
            if isAdmin, try tx.first(Self.account(id), Account.init)?.suspendedAt != nil {
                throw Problem(.conflict, "This account is suspended. Restore it first.")
            }
            if !isAdmin, !evenLast { try Self.requireAnotherAdministrator(than: id, tx) }
            try tx.run(Self.setAdmin(id, isAdmin))
            try also(tx)
        }
    }

    private func change(
        _ id: String, if isNeeded: @escaping @Sendable (AccountSummary) -> Bool,
        by write: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> ChangeResult {
        try await database.write { tx in
            try Self.lockStanding(of: id, tx)
            guard let account = try tx.first(Self.summary(id), AccountSummary.init) else { return .unknown }
            guard isNeeded(account) else { return .unchanged(account) }
            try write(tx)
            return try tx.first(Self.summary(id), AccountSummary.init).map { .changed($0) } ?? .unknown
        }
    }

    /// Until the transaction ends, no other write that calls this can remove an administrator. The caller has called `lockStanding` for the
    /// account.
    /// - Throws: `Problem.lastAdministrator` if the account is an administrator that is not suspended, and there is no other one.
    static func requireAnotherAdministrator(than id: String, _ tx: WriteTransaction) throws {
        guard let account = try tx.first(Self.account(id), Account.init), account.isAdmin, account.suspendedAt == nil else { return }
        try tx.lock(AccountLocks.administrators)
        guard try tx.row(Self.otherAdministrator(than: id)) == nil else { return }
        throw Problem.lastAdministrator
    }

    /// Call it in a write that closes, suspends or restores an account, or whose result depends on whether the account is closed or
    /// suspended. Such a write takes this lock before all its other locks.
    static func lockStanding(of account: String, _ tx: WriteTransaction) throws { try tx.lock("standing \(account)") }

    /// Makes every node check the account's open sockets now, both those of its sessions and those of its identities' own tokens. Call it
    /// before sessions or identities are deleted.
    static func wakeSockets(of account: String, _ tx: WriteTransaction) throws {
        for row in try tx.rows(sessionIDs(of: account)) { tx.wake(Wake(.sessions, try row.get("id"))) }
        for identity in try tx.list(identities(of: account), LinkedIdentity.init) { tx.wake(Wake(.sessions, identity.id)) }
    }

    // MARK: Statements

    static func suspend(_ id: String, _ now: Timestamp) -> SQL { "UPDATE account SET suspended_at = \(now) WHERE id = \(id)" }

    static func restore(_ id: String) -> SQL { "UPDATE account SET suspended_at = NULL WHERE id = \(id)" }

    static func setVerified(_ id: String, at now: Timestamp?) -> SQL { "UPDATE account SET verified_at = \(now) WHERE id = \(id)" }

    static func setAdmin(_ id: String, _ isAdmin: Bool) -> SQL { "UPDATE account SET is_admin = \(isAdmin) WHERE id = \(id)" }

    static func otherAdministrator(than id: String) -> SQL {
        "SELECT id FROM account WHERE is_admin = 1 AND suspended_at IS NULL AND id <> \(id) LIMIT 1"
    }

    static func sessionIDs(of account: String) -> SQL { "SELECT id FROM session WHERE account = \(account) AND ended_at IS NULL" }
}
