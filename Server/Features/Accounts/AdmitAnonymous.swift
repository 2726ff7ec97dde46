internal import Core
internal import Web

/// Takes somebody for whom they say they are: only where `KEEPSAKE_ALLOW_ANONYMOUS` says so, in development.
struct AdmitAnonymous: Sendable {
    let store: AccountStore
    let clock: WallClock
    let registration: AccountsSettings.Registration

    /// Makes the account on first sight, where everybody may have one.
    /// - Throws: `.invalid` naming `userId`; `.forbidden` when there is no such account and none may be made.
    func callAsFunction(_ text: String) async throws -> Viewer {
        let id = try AccountRules.anonymousID(text)
        // No session: it cannot end. And never an administrator, though the account may be one's.
        let viewer = Viewer(accountID: id, sessionID: nil, isAdmin: false)
        if try await store.account(id) != nil { return viewer }
        guard registration == .open else { throw Problem(.forbidden, "There is no such user, and registration is not open here.") }
        try await store.ensureAccount(id: id, at: clock.now)
        // One that its owner has closed is there until all it had is gone.
        guard try await store.account(id) != nil else { throw Problem.accountGone }
        return viewer
    }
}
