import Accounts
import Core
import Foundation
import Jobs
import KeepsakeWire
import Web

/// `POST /auth/delete`
struct DeleteAccount: Sendable {
    let accounts: AccountsFeature
    let jobs: JobQueue
    let clock: WallClock

    /// Requires a fresh sign-in, so that the holder of a copied token cannot delete the account.
    ///
    /// Closes the account and enqueues the job that erases it in one transaction, so that the deletion is certain once the client has the
    /// response.
    func handle(_ input: Empty, _ context: WebContext) async throws -> DeletedAccount {
        let viewer = try context.requireViewer()
        try await accounts.requireFreshSignIn(viewer)
        let (account, now) = (viewer.accountID, clock.now)
        // Signed first, so that nothing can fail after the account is closed.
        let receipt = try await accounts.signReceipt(of: account, deletedAt: now)
        let isClosed = try await accounts.close(account, at: now) { [jobs] tx in
            // Without an owner: the jobs must outlive the account that they erase.
            try jobs.enqueue(EraseAccount(account: account, isSecond: false), key: account, owner: nil, tx)
            try jobs.enqueue(RevokeTokens(account: account), key: account, owner: nil, tx)
        }
        guard isClosed else { throw Problem(.unauthenticated, "This account does not exist any more.") }
        if context.isByCookie { context.setSessionCookie(nil) }
        return DeletedAccount(
            accountID: account, deletedAt: Date(timeIntervalSince1970: Double(now.microseconds) / 1_000_000), receipt: receipt)
    }
}
