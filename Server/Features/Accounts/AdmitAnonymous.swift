internal import Core
internal import Web

/// Trusts the user id in the request's path, without a credential. Only in development, with `KEEPSAKE_ALLOW_ANONYMOUS` on.
struct AdmitAnonymous: Sendable {
    let store: AccountStore
    let clock: WallClock
    let registration: AccountsSettings.Registration

    /// Creates the account at its first request, if registration is open.
    /// - Throws: `.invalid` naming `userId`; `.forbidden` when the account does not exist and registration is not open;
    ///   `.suspended`.
    func callAsFunction(_ text: String) async throws -> Viewer {
        let id = try AccountRules.anonymousID(text)
        // This viewer has no session, so nobody can end it. It is never an administrator, even if the account is an administrator's.
        let viewer = Viewer(accountID: id, sessionID: nil, isAdmin: false)
        if let account = try await store.account(id) {
            try account.requireActive()
            return viewer
        }
        guard registration == .open else { throw Problem(.forbidden, "There is no such user, and registration is not open here.") }
        try await store.ensureAccount(id: id, at: clock.now)
        // The row of a closed account remains until all its other data is erased. Then `ensureAccount` creates no account, and `account`
        // finds none.
        guard try await store.account(id) != nil else { throw Problem.accountGone }
        return viewer
    }
}
