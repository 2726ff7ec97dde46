internal import Core
internal import KeepsakeWire

/// Makes the tokens of a sign-in: an access token and the first refresh token of a new family.
struct TokenPairs: Sendable {
    let accessTokens: AccessTokens
    let identifiers: Identifiers
    let clock: WallClock
    let entropy: Entropy

    /// Stores nothing. The access token is invalid until the caller stores `session`. It is made before the session is stored, so that no
    /// session is left behind if making the token fails.
    /// - Parameter identity: the identity that was presented; `nil` for a password.
    func prepare(
        account: String, from origin: SessionOrigin, by identity: VerifiedIdentity? = nil
    ) async throws -> (session: NewSession, token: AuthToken) {
        let refresh = RefreshToken(entropy: entropy)
        let session = NewSession(
            id: identifiers.next(), accountID: account, refreshHash: refresh.hash, origin: origin, createdAt: clock.now,
            identity: identity.map { IdentityName(issuer: $0.issuer, subject: $0.subject) }, provedAt: identity?.signedInAt)
        return (session, try await pair(refresh, account: account, session: session.id))
    }

    func pair(_ refresh: RefreshToken, account: String, session: String) async throws -> AuthToken {
        let access = try await accessTokens.issue(account: account, session: session)
        return AuthToken(accessToken: access.text.exposed, refreshToken: refresh.text, expiresAt: access.expiresAt.date)
    }
}
