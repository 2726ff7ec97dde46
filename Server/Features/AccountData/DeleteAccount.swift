import Accounts
import Core
import KeepsakeWire
import Web

/// `POST /auth/delete`
struct DeleteAccount: Sendable {
    let accounts: AccountsFeature
    let close: CloseAccount
    let clock: WallClock

    /// Deletes the caller's account. It requires a recent sign-in, so that somebody with a copied token cannot delete the account.
    func handle(_ input: DeleteAccountInput, _ context: WebContext) async throws -> DeletedAccount {
        let viewer = try context.requireViewer()
        try await accounts.requireFreshSignIn(viewer)
        let (account, now) = (viewer.accountID, clock.now)
        // The receipt is signed first, so that nothing can fail after the account is closed.
        let receipt = try await accounts.signReceipt(of: account, deletedAt: now)
        try await close(account, keepsCoves: input.keepCoves ?? false, at: now)
        if context.isByCookie { context.setSessionCookie(nil) }
        return DeletedAccount(accountID: account, deletedAt: now.date, receipt: receipt)
    }
}
