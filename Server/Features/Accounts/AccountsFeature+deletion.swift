package import Core
package import Database

/// The operations with which `AccountData` deletes an account: close it at once, and delete its row after everything else is deleted.
extension AccountsFeature {
    /// Closes the account. Its name, e-mail address, phone number and password no longer sign in and are free again, and all its sessions,
    /// tokens and cookies end on every node.
    /// - Parameters:
    ///   - hiding: runs every feature's `hide` in the same transaction, before the account's row changes.
    ///   - also: makes further writes in the same transaction, after all others.
    ///   - showing: for a suspended account, runs every feature's `show` in the same transaction, before all other writes. If it is `nil`,
    ///     a suspended account is refused.
    /// - Returns: `false` when the account does not exist or is already closed.
    /// - Throws: `.suspended` for a suspended account when `showing` is `nil`.
    package func close(
        _ account: String, at now: Timestamp, hiding: @escaping @Sendable (WriteTransaction) throws -> Void,
        also: @escaping @Sendable (WriteTransaction) throws -> Void, showing: (@Sendable (WriteTransaction) throws -> Void)? = nil
    ) async throws -> Bool {
        try await store.close(account, at: now, hiding: hiding, also: also, showing: showing)
    }

    /// Whether the account exists and is not closed. True also for an account that was created again under the id of a deleted one.
    package func isOpen(_ account: String, _ tx: ReadTransaction) throws -> Bool { try tx.row(AccountStore.account(account)) != nil }

    /// Accounts that are not closed, in the order of their ids.
    package func open(after last: String, limit: Int) async throws -> [OpenAccount] { try await store.open(after: last, limit: limit) }

    /// Like `open(after:limit:)`, for a database on which no server runs. It is static, because no feature object exists then.
    package static func open(in database: any Database, after last: String, limit: Int) async throws -> [OpenAccount] {
        try await AccountStore(database: database).open(after: last, limit: limit)
    }

    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try AccountStore.eraseSome(of: account, limit: limit, tx)
    }

    /// Deletes the row of a closed account. Foreign keys cascade to its dependent rows.
    package func removeClosed(_ account: String, _ tx: WriteTransaction) throws { try tx.run(AccountStore.deleteClosed(account)) }

    /// A compact JWS that states the deletion, signed by the current key. The public key is in `/.well-known/jwks.json`.
    package func signReceipt(of account: String, deletedAt: Timestamp) async throws -> String {
        try await accessTokens.receipt(of: account, deletedAt: deletedAt).exposed
    }
}
