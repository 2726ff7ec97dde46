internal import Core
internal import Foundation
internal import KeepsakeWire
internal import Web

/// `POST /auth/session`: creates a cookie for the session of the bearer token, for browsers and for apps that expect cookies.
struct OpenCookie: Sendable {
    let store: AccountStore
    let clock: WallClock
    let entropy: Entropy

    /// - Throws: `.unauthenticated` unless the request has a bearer token that this server issued.
    func handle(_ input: Empty, _ context: WebContext) async throws -> CookieSession {
        let viewer = try context.requireViewer()
        guard let session = viewer.sessionID, !context.isByCookie else {
            throw Problem(.unauthenticated, "A session cookie requires an access token. Send Authorization: Bearer <access token>.")
        }
        // The cookie's token is as random as a refresh token, and is stored like one.
        let token = RefreshToken(entropy: entropy)
        let now = clock.now
        let end = now + SessionCookie.lifetime
        guard
            try await store.openCookie(
                token.hash, session: session, userAgent: SessionOrigin.shown(context.userAgent), until: end, at: now)
        else {
            throw Problem.sessionEnded
        }
        context.setSessionCookie(token.text)
        return CookieSession(
            cookie: SessionCookie.pair(token.text, isSecure: context.isSecure),
            expiresAt: end.date)
    }
}
