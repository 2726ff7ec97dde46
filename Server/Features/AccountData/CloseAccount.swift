import Accounts
import Core
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
        let isClosed = try await accounts.close(account, at: now) { [visibility] tx in
            try visibility.hide(account, .closed(keepsCoves: keepsCoves), tx)
        } also: { [jobs] tx in
            try DeletionLog.add(account, at: now, tx)
            // Without an owner: the jobs must outlive the account that they erase.
            try jobs.enqueue(EraseAccount(account: account, isSecond: false), key: account, owner: nil, tx)
            try jobs.enqueue(RevokeTokens(account: account), key: account, owner: nil, tx)
        }
        guard isClosed else { throw Problem.accountGone }
    }
}
