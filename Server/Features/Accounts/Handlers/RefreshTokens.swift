internal import Core
internal import KeepsakeWire
internal import Logging
internal import Web

/// `POST /auth/refresh`
struct RefreshTokens: Sendable {
    let store: AccountStore
    let tokens: TokenPairs
    let secrets: ServerSecrets
    let logger: Logger

    func handle(_ input: RefreshInput, _ context: WebContext) async throws -> AuthToken { try await self(input) }

    /// - Throws: `.unauthenticated` for a token that is unknown, expired, of an ended session, or presented again after the repeat window;
    ///   `.suspended`; `.tooManyRequests`.
    func callAsFunction(_ input: RefreshInput) async throws -> AuthToken {
        let refused = Problem(.unauthenticated, "The refresh token is not valid. Sign in again.")
        guard let presented = RefreshToken(presented: input.refreshToken) else { throw refused }
        let successor = presented.successor(Signer(key: try await secrets.secret("refresh-token").exposed))
        switch try await store.refresh(presented.hash, successor: successor.hash, at: tokens.clock.now) {
        case .granted(let session, let account):
            return try await tokens.pair(successor, account: account, session: session)
        case .familyEnded(let session):
            // A replay means that somebody has a copy of the token, which the operator may want to investigate.
            logger.warning("a refresh token was used a second time; its session was ended", metadata: ["session": "\(session)"])
            throw refused
        case .suspended: throw Problem.suspended
        case .tooMany(let wait):
            throw Problem(
                .tooManyRequests,
                "This session got \(SessionRules.maxTokens) refresh tokens within an hour. Try again after the time in Retry-After.",
                retryAfter: wait)
        case .refused:
            throw refused
        }
    }
}
