import Accounts
import Core
import Database
import FeatureKit
import Jobs
import Web

/// What every route that deletes an account does: closes it, hides it from everybody else, and enqueues the jobs that erase it, in one
/// transaction. So the deletion is certain once the client has the response.
struct CloseAccount: Sendable {
    let accounts: AccountsFeature
    let visibility: AccountVisibility
    let jobs: JobQueue

    /// - Parameter keepsCoves: whether coves that the account created are handed to another member instead of ending.
    /// - Throws: `.unauthenticated` when the account is closed already; `.suspended`.
    func callAsFunction(_ account: String, keepsCoves: Bool, at now: Timestamp) async throws {
        guard try await close(account, keepsCoves: keepsCoves, at: now, showing: nil, also: { _ in }) else { throw Problem.accountGone }
    }

    /// The same for the operator, who may also delete an account that is suspended.
    /// - Parameter also: further writes in the same transaction.
    /// - Returns: `false` when the account does not exist or is closed already.
    func evenSuspended(
        _ account: String, keepsCoves: Bool, at now: Timestamp, also: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> Bool {
        try await close(account, keepsCoves: keepsCoves, at: now, showing: { [visibility] in try visibility.show(account, $0) }, also: also)
    }

    private func close(
        _ account: String, keepsCoves: Bool, at now: Timestamp, showing: (@Sendable (WriteTransaction) throws -> Void)?,
        also: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> Bool {
        try await accounts.close(
            account, at: now,
            hiding: { [visibility] tx in try visibility.hide(account, .closed(keepsCoves: keepsCoves), tx) },
            also: { [jobs] tx in
                try DeletionLog.add(account, at: now, tx)
                // Without an owner: the jobs must outlive the account that they erase.
                try jobs.enqueue(EraseAccount(account: account, isSecond: false), key: account, owner: nil, tx)
                try jobs.enqueue(RevokeTokens(account: account), key: account, owner: nil, tx)
                try also(tx)
            }, showing: showing)
    }
}
