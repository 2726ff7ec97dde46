package import Database

/// Reads how much accounts store and may store, and sets an account's own quota. For the operator.
package struct AccountQuotas: Sendable {
    package struct Usage: Sendable, Equatable {
        package let fileCount: Int64
        /// Bytes of files and rows.
        package let byteCount: Int64
        /// Bytes that the account may store.
        package let quota: Int64
        /// The account's own quota; `nil` when it has the server's.
        package let ownQuota: Int64?
    }

    /// The range of an account's own quota, in bytes.
    package static let range: ClosedRange<Int64> = 0...1_000_000_000 * 1_048_576

    private let database: any Database
    private let ledger: UsageLedger

    init(database: any Database, ledger: UsageLedger) {
        self.database = database
        self.ledger = ledger
    }

    /// Returns the usage of each of `accounts`. An account that does not exist uses nothing.
    package func usage(of accounts: [String]) async throws -> [String: Usage] {
        if accounts.isEmpty { return [:] }
        let unused = Usage(fileCount: 0, byteCount: 0, quota: ledger.quota.byteCount, ownQuota: nil)
        let usage = Dictionary(accounts.map { ($0, unused) }) { first, _ in first }
        return try await database.read { [ledger] tx in
            try tx.rows(UsageLedger.uses(of: accounts)).reduce(into: usage) { usage, row in
                let own: Int64? = try row.get("quota_bytes")
                usage[try row.get("account")] = Usage(
                    fileCount: try row.get("file_count"), byteCount: try row.get("byte_count"), quota: own ?? ledger.quota.byteCount,
                    ownQuota: own)
            }
        }
    }

    /// Gives the account a quota of its own. What the account has stored so far is kept, even if it exceeds the new quota.
    /// - Parameters:
    ///   - byteCount: in `range`; `nil` gives the account the server's quota again.
    ///   - account: an account that exists.
    package func set(_ byteCount: Int64?, of account: String, _ tx: WriteTransaction) throws {
        try tx.run(UsageLedger.begin(account))
        try tx.run(UsageLedger.setQuota(byteCount, of: account))
    }
}
