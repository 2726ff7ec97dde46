internal import Core
internal import KeepsakeWire
internal import Web

/// `DELETE /auth/sessions/{id}`
struct EndSession: Sendable {
    let store: AccountStore
    let clock: WallClock

    /// Ends the session: every node refuses its tokens and cookies from now on, and closes its WebSockets.
    /// - Throws: `.notFound` for a session that has ended or belongs to another account.
    func handle(_ input: SessionInput, _ context: WebContext) async throws -> Empty {
        let viewer = try context.requireViewer()
        guard try await store.endSession(input.id, of: viewer.accountID, at: clock.now) else {
            throw Problem(.notFound, "There is no such session.")
        }
        if context.isByCookie, input.id == viewer.sessionID { context.setSessionCookie(nil) }
        return Empty()
    }
}
