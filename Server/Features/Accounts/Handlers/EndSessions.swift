internal import Core
internal import KeepsakeWire
internal import Web

/// `DELETE /auth/sessions`: signs out everywhere.
struct EndSessions: Sendable {
    let store: AccountStore
    let clock: WallClock

    func handle(_ input: EndSessionsInput, _ context: WebContext) async throws -> SessionsEnded {
        let viewer = try context.requireViewer()
        let kept = input.keepCurrent == true ? viewer.sessionID : nil
        let ended = try await store.endSessions(of: viewer.accountID, but: kept, at: clock.now)
        if context.isByCookie, input.keepCurrent != true { context.setSessionCookie(nil) }
        return SessionsEnded(ended: ended)
    }
}
