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

    /// Asks for a fresh sign-in: whoever holds a copied token is not to destroy what they may only read.
    ///
    /// Closes the account and puts in the job that erases it, in one write: whoever hears the answer is deleted, whatever happens next.
    func handle(_ input: Empty, _ context: WebContext) async throws -> DeletedAccount {
        let viewer = try context.requireViewer()
        try await accounts.requireFreshSignIn(viewer)
        let (account, now) = (viewer.accountID, clock.now)
        // Signed before, so that nothing can fail afterwards.
        let receipt = try await accounts.signReceipt(of: account, deletedAt: now)
        let isClosed = try await accounts.close(account, at: now) { [jobs] tx in
            // Nobody's: the jobs outlive what they erase.
            try jobs.enqueue(EraseAccount(account: account, isSecond: false), key: account, owner: nil, tx)
            try jobs.enqueue(RevokeTokens(account: account), key: account, owner: nil, tx)
        }
        guard isClosed else { throw Problem(.unauthenticated, "This account does not exist any more.") }
        if context.isByCookie { context.setSessionCookie(nil) }
        return DeletedAccount(
            accountID: account, deletedAt: Date(timeIntervalSince1970: Double(now.microseconds) / 1_000_000), receipt: receipt)
    }
}
