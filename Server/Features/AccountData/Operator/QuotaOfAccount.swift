package import Accounts
import Core
import Database
package import KeepsakeWire
import Media

/// Gives an account its own quota, or the server's quota again.
package struct QuotaOfAccount: Sendable {
    let database: any Database
    let accounts: AccountsFeature
    let quotas: AccountQuotas
    let log: OperatorLog

    /// - Parameters:
    ///   - byteCount: how many bytes the account may store; `nil` for the quota in the server's setting.
    ///   - account: the account's id.
    /// - Throws: `.notFound`; `.invalid` naming `bytes`.
    package func set(_ byteCount: Int64?, of account: String, by who: Operator) async throws {
        if let byteCount, !AccountQuotas.range.contains(byteCount) {
            throw Problem(.invalid, "bytes must be from 0 to \(AccountQuotas.range.upperBound), or null.", field: "bytes")
        }
        let details = ["bytes": byteCount.map(String.init) ?? "the server's"]
        let isKnown = try await database.write { [accounts, quotas, log] tx in
            guard try accounts.holdOpen(account, tx) else { return false }
            try quotas.set(byteCount, of: account, tx)
            try log.record("quota", on: account, by: who, details: details, tx)
            return true
        }
        guard isKnown else { throw AccountsFeature.noSuchAccount }
        log.write("quota", on: account, by: who, isChanged: true, details: details)
    }

    /// How much an account stores, and how much it may store.
    package func usage(of account: String) async throws -> AdminUser.Usage {
        AdminUser.Usage(try await quotas.usage(of: [account])[account])
    }

    /// A page of accounts, each with its usage. The order stays.
    package func users(_ accounts: [AccountSummary]) async throws -> [AdminUser] {
        let usage = try await quotas.usage(of: accounts.map(\.id))
        return accounts.map { AdminUser($0, AdminUser.Usage(usage[$0.id])) }
    }
}

extension AdminUser {
    init(_ account: AccountSummary, _ usage: Usage) {
        self.init(
            id: account.id, name: account.name, email: account.email, phone: account.phone, createdAt: account.createdAt.date,
            suspendedAt: account.suspendedAt?.date, verifiedAt: account.verifiedAt?.date, isAdmin: account.isAdmin, usage: usage)
    }
}

extension AdminUser.Usage {
    /// - Parameter usage: is not `nil` for an account that exists.
    init(_ usage: AccountQuotas.Usage?) {
        self.init(
            files: Int(usage?.fileCount ?? 0), bytes: Int(usage?.byteCount ?? 0), quota: Int(usage?.quota ?? 0),
            ownQuota: usage?.ownQuota.map(Int.init))
    }
}
