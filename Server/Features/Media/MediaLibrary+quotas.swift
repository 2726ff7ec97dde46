extension MediaLibrary {
    package var quotas: AccountQuotas { AccountQuotas(database: store.database, ledger: store.usage) }
}
