import Accounts
import Core
import Database
import FeatureKit
import Jobs
import Web

/// Closes an account, hides it from everybody else, and enqueues the jobs that erase it, in one transaction. Every route that deletes an
/// account calls it. So the deletion is certain once the client has the response.
struct CloseAccount: Sendable {
    let accounts: AccountsFeature
    let visibility: AccountVisibility
    let jobs: JobQueue
    let database: any Database

    /// - Parameter keepsCoves: whether coves that the account created are handed to another member instead of ending.
    /// - Throws: `.unauthenticated` when the account is closed already; `.suspended`.
    func callAsFunction(_ account: String, keepsCoves: Bool, at now: Timestamp) async throws {
        // People may always delete their own account. If it belongs to the only administrator, the operator can appoint another one by a
        // command.
        let isClosed = try await close(account, keepsCoves: keepsCoves, at: now, evenLast: true, showing: nil, also: { _ in })
        guard isClosed else { throw Problem.accountGone }
    }

    /// As `callAsFunction`, for the operator, who may also delete a suspended account.
    /// - Parameters:
    ///   - evenLast: whether to delete the account even if its owner is the only administrator.
    ///   - also: further writes in the same transaction.
    /// - Returns: `false` when the account does not exist or is closed already.
    /// - Throws: `Problem.lastAdministrator`.
    func evenSuspended(
        _ account: String, keepsCoves: Bool, at now: Timestamp, evenLast: Bool,
        also: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> Bool {
        try await close(
            account, keepsCoves: keepsCoves, at: now, evenLast: evenLast,
            showing: { [visibility] in try visibility.show(account, $0) }, also: also)
    }

    private func close(
        _ account: String, keepsCoves: Bool, at now: Timestamp, evenLast: Bool,
        showing: (@Sendable (WriteTransaction) throws -> Void)?,
        also: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> Bool {
        let isOwn = showing == nil
        try await visibility.handOver(account, keepsCoves: keepsCoves, in: database) { [accounts] tx in
            // The account may have been closed or suspended since the last step. Only the operator closes a suspended account.
            if isOwn { try accounts.requireActive(account, tx) }
            if !evenLast { try accounts.requireAnotherAdministrator(than: account, tx) }
        }
        return try await visibility.inTurn {
            try await accounts.close(
                account, at: now,
                hiding: { [accounts, visibility] tx in
                    if !evenLast { try accounts.requireAnotherAdministrator(than: account, tx) }
                    try visibility.hide(account, .closed(keepsCoves: keepsCoves), tx)
                },
                also: { [jobs] tx in
                    try DeletionLog.add(account, keepsCoves: keepsCoves, at: now, tx)
                    // The time is part of the key, because the id may be used again while a job of the earlier account is still running.
                    let key = "\(account) \(now.microseconds)"
                    // The jobs have no owner, because they must outlive the account that they erase.
                    try jobs.enqueue(EraseAccount(account: account, isSecond: false), key: key, owner: nil, tx)
                    try jobs.enqueue(RevokeTokens(account: account), key: key, owner: nil, tx)
                    try also(tx)
                }, showing: showing)
        }
    }
}
