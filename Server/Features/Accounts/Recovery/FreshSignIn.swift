internal import Core
internal import Web

/// Whether the person behind a credential proved a short while ago who they are. Whoever holds a copied token cannot, so what would
/// give them the account for good asks for it.
struct FreshSignIn: Sendable {
    /// Long enough to sign in and then find the button.
    static let lifetime = Duration.minutes(10)

    let store: AccountStore
    let clock: WallClock

    /// A password or an identity token was presented; new tokens for a refresh token, and a cookie for an access token, prove nothing.
    /// - Throws: `Problem.signInAgain`.
    func require(_ viewer: Viewer) async throws {
        guard let signedInAt = try await store.signedInAt(viewer), clock.now - signedInAt <= Self.lifetime else {
            throw Problem.signInAgain
        }
    }
}
