package import Core
package import Database

/// Determines which sessions have not ended. The Accounts feature implements it. Sockets and downloads last long after their request was
/// authenticated, so the server checks their sessions again.
package protocol SessionWatch: Sendable {
    /// - Returns: those of `viewers` whose session has not ended and whose account is neither closed nor suspended. For a credential of
    ///   another issuer: those whose account exists, is not suspended and is still linked to the identity.
    func live(_ viewers: Set<Viewer>) async throws -> Set<Viewer>
}

extension Wake.Channel {
    /// Notifies that a session has ended, an identity is no longer linked, or an account was suspended. The key is the id of the session or
    /// identity.
    package static let sessions: Wake.Channel = "sessions"
}
