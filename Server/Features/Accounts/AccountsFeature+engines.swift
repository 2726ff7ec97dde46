package import Database

extension AccountsFeature {
    /// Whether engines outside the installation may get the account's data. `false` for an account that is closed or does not exist.
    package func allowsOutsideEngines(_ account: String, _ tx: ReadTransaction) throws -> Bool {
        try tx.row(AccountStore.outsideEngines(of: account))?.get("outside_engines") ?? false
    }

    /// Like `allowsOutsideEngines(_:_:)`, but outside of a transaction. Call it before each request to an engine, because the owner may
    /// have changed the setting.
    package func allowsOutsideEngines(_ account: String) async throws -> Bool {
        try await store.database.read { [self] tx in try allowsOutsideEngines(account, tx) }
    }
}
