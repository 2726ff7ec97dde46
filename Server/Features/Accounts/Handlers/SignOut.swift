internal import Core
internal import KeepsakeWire
internal import Web

/// `POST /auth/signout`
struct SignOut: Sendable {
    let store: AccountStore
    let clock: WallClock

    func handle(_ input: Empty, _ context: WebContext) async throws -> Empty { try await self(context.requireViewer()) }

    /// Ends the session the request came by: its access token is refused from now on, and so are its refresh tokens.
    func callAsFunction(_ viewer: Viewer) async throws -> Empty {
        // A credential that we did not issue has no session of ours to end.
        if let session = viewer.sessionID { try await store.endSession(session, of: viewer.accountID, at: clock.now) }
        return Empty()
    }
}
