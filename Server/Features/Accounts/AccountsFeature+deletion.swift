package import Core
package import Database

/// What `AccountData` needs to end an account: closing it at once, and taking its row away when all else is gone.
extension AccountsFeature {
    /// Ends the account for its owner: no name, address or password leads to it any more, and every session, with all its tokens and
    /// cookies, is over on every node.
    /// - Parameter also: what else is part of the same write.
    /// - Returns: `false` when it is closed already.
    package func close(
        _ account: String, at now: Timestamp, also: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> Bool {
        try await store.close(account, at: now, also: also)
    }

    /// Whether somebody may have it: also an account that was made anew under the id of one that was deleted.
    package func isOpen(_ account: String, _ tx: ReadTransaction) throws -> Bool { try tx.row(AccountStore.account(account)) != nil }

    /// Takes away the row of a closed account, and with it whatever the schema hangs on it.
    package func removeClosed(_ account: String, _ tx: WriteTransaction) throws { try tx.run(AccountStore.deleteClosed(account)) }

    /// A compact JWS that says so, by the key that signs now: its public half is in `/.well-known/jwks.json`.
    package func signReceipt(of account: String, deletedAt: Timestamp) async throws -> String {
        try await accessTokens.receipt(of: account, deletedAt: deletedAt).exposed
    }
}
