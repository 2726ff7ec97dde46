package import Core

/// Finds out who a bearer is. The accounts room is the one that can; this room only asks.
package protocol Authenticator: Sendable {
    /// - Throws: `Problem(.unauthenticated)` unless the token is genuine, current and of a live account.
    func viewer(bearer token: String) async throws -> Viewer

    /// - Throws: `Problem(.unauthenticated)` unless the session cookie's value is one of ours, current and of a live session.
    func viewer(cookie value: String) async throws -> Viewer

    /// Whoever says that this is their id, without any proof: only where the server was told to believe everybody.
    ///
    /// The account is made on first sight. Never an administrator, whoever's account it is.
    /// - Throws: `Problem(.invalid)` naming `userId` for what can be nobody's id; `.forbidden` when there is no such account and none may
    ///   be made.
    func viewer(anonymous id: String) async throws -> Viewer

    /// Whether the account is linked to somebody whom an identity issuer calls `subject`: such a name is as good as the id in a path.
    func isAccount(_ id: String, alsoKnownAs subject: String) async throws -> Bool

    /// Whether the account is there and its owner has not deleted it.
    func isOpen(_ account: String) async throws -> Bool
}

extension Authenticator {
    package func isAccount(_ id: String, alsoKnownAs subject: String) async throws -> Bool { false }
    package func isOpen(_ account: String) async throws -> Bool { true }
}

extension Problem {
    /// The account was deleted after the credential was checked.
    package static let accountGone = Problem(.unauthenticated, "This account does not exist any more.")

    /// The credential is good, but the person behind it proved who they are too long ago.
    package static let signInAgain = Problem(
        .forbidden, "This needs a sign-in of the last 10 minutes. Sign in again, then repeat the request.", code: signInAgainCode)

    static let signInAgainCode = "sign_in_again"
}
