internal import Core
internal import KeepsakeWire
internal import Web

/// `POST /auth/signout`
struct SignOut: Sendable {
    let store: AccountStore
    let clock: WallClock

    func handle(_ input: Empty, _ context: WebContext) async throws -> Empty { try await self(context.requireViewer()) }

    /// Ends the session of the request: the server refuses its access token and its refresh tokens from now on.
    func callAsFunction(_ viewer: Viewer) async throws -> Empty {
        // A credential of another issuer has no session here.
        if let session = viewer.sessionID { try await store.endSession(session, of: viewer.accountID, at: clock.now) }
        return Empty()
    }
}
