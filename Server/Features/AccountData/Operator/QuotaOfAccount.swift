package import Accounts
import Core
import Database
package import KeepsakeWire
import Media

/// Gives an account a quota of its own, or the server's again.
package struct QuotaOfAccount: Sendable {
    let database: any Database
    let accounts: AccountsFeature
    let quotas: AccountQuotas
    let log: OperatorLog

    /// - Parameters:
    ///   - byteCount: bytes that the account may store; `nil` for the quota that the server's setting says.
    ///   - account: its id.
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

    /// What an account stores and may store.
    package func usage(of account: String) async throws -> AdminUser.Usage {
        AdminUser.Usage(try await quotas.usage(of: [account])[account])
    }

    /// A page of accounts with their usage, in the same order.
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
    /// - Parameter usage: every account has one.
    init(_ usage: AccountQuotas.Usage?) {
        self.init(
            files: Int(usage?.fileCount ?? 0), bytes: Int(usage?.byteCount ?? 0), quota: Int(usage?.quota ?? 0),
            ownQuota: usage?.ownQuota.map(Int.init))
    }
}
