internal import Core
internal import KeepsakeWire
internal import Web

/// `DELETE /auth/session`
struct EndCookie: Sendable {
    let store: AccountStore

    /// Ends every cookie of the session; its tokens stay valid.
    func handle(_ input: Empty, _ context: WebContext) async throws -> Empty {
        if let session = try context.requireViewer().sessionID { try await store.endCookies(of: session) }
        context.setSessionCookie(nil)
        return Empty()
    }
}
