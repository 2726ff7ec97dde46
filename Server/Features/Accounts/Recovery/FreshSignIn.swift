internal import Core
internal import Web

/// Checks that the user presented a password or an identity token a short while ago. Somebody who holds only a copied token cannot do that.
/// Therefore actions with which they could take over or destroy the account require it.
struct FreshSignIn: Sendable {
    /// Long enough to sign in and then confirm the action.
    static let lifetime = Duration.minutes(10)

    let store: AccountStore
    let clock: WallClock

    /// Refreshing tokens, or creating a cookie from an access token, does not count as a sign-in.
    /// - Throws: `Problem.signInAgain`.
    func require(_ viewer: Viewer) async throws {
        guard let signedInAt = try await store.signedInAt(viewer), clock.now - signedInAt <= Self.lifetime else {
            throw Problem.signInAgain
        }
    }
}
