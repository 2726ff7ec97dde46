import Accounts
import Core
import KeepsakeWire
import Web

/// `POST /delete-user`: the same operation as `POST /auth/delete`, in the form of surface 1.
struct DeleteUser: Sendable {
    let accounts: AccountsFeature
    let close: CloseAccount
    let clock: WallClock

    /// Requires a recent sign-in, as `/auth/delete` does. The exception is a caller with an issuer's identity token: the existing app has
    /// no other credential, and its issuer renews tokens without stating when the user last signed in.
    func handle(_ input: DeleteUserInput, _ context: WebContext) async throws -> DeletedUser {
        let viewer = try context.requireViewer()
        if viewer.identity == nil { try await accounts.requireFreshSignIn(viewer) }
        try await close(viewer.accountID, keepsCoves: input.keepCoves ?? false, at: clock.now)
        if context.isByCookie { context.setSessionCookie(nil) }
        return DeletedUser(message: "The account is deleted.")
    }
}
