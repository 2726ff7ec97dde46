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
}

extension Authenticator {
    package func isAccount(_ id: String, alsoKnownAs subject: String) async throws -> Bool { false }
}
