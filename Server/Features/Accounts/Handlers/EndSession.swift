internal import Core
internal import KeepsakeWire
internal import Web

/// `DELETE /auth/sessions/{id}`
struct EndSession: Sendable {
    let store: AccountStore
    let clock: WallClock

    /// Its tokens and cookies are refused from now on, on every node, and its sockets are closed.
    /// - Throws: `.notFound` for one that has ended, and for somebody else's.
    func handle(_ input: SessionInput, _ context: WebContext) async throws -> Empty {
        let viewer = try context.requireViewer()
        guard try await store.endSession(input.id, of: viewer.accountID, at: clock.now) else {
            throw Problem(.notFound, "There is no such session.")
        }
        if context.isByCookie, input.id == viewer.sessionID { context.setSessionCookie(nil) }
        return Empty()
    }
}
