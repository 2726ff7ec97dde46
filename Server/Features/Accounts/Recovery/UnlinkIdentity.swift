internal import Core
internal import KeepsakeWire
internal import Web

/// `DELETE /auth/identities/{id}`
struct UnlinkIdentity: Sendable {
    let store: AccountStore
    let fresh: FreshSignIn
    let notices: OwnerNotices
    let clock: WallClock
    /// The issuer of Apple's tokens; empty when Sign in with Apple is not set up.
    let apple: String

    /// The identity can no longer sign in. The sessions that it opened end, except for the session of the request.
    /// The account loses its phone number if no identity is left that can have proved it.
    /// - Throws: `.forbidden` without a fresh sign-in; `.notFound` for another account's identity; `.conflict` when the identity is the
    ///   only way to sign in.
    func handle(_ input: IdentityPath, _ context: WebContext) async throws -> IdentityList {
        let viewer = try context.requireViewer()
        try await fresh.require(viewer)
        switch try await store.unlink(input.id, viewer, apple: apple, at: clock.now, notices) {
        case .unlinked(let left): return IdentityList(left)
        case .unknown: throw Problem(.notFound, "There is no such identity.")
        case .last:
            throw Problem(.conflict, "This is the only way to sign in to the account. Link another identity first, or set a password.")
        case .signedOut: throw Problem.accountGone
        }
    }
}
