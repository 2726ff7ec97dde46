internal import Core
internal import Foundation
internal import KeepsakeWire
internal import Web

/// `GET /auth/sessions`
struct ListSessions: Sendable {
    let store: AccountStore
    let clock: WallClock

    func handle(_ input: Empty, _ context: WebContext) async throws -> SessionList {
        let viewer = try context.requireViewer()
        return SessionList(sessions: try await sessions(of: viewer.accountID, current: viewer.sessionID))
    }

    func sessions(of account: String, current: String?) async throws -> [SessionList.Session] {
        try await store.sessions(of: account, at: clock.now).map { session in
            SessionList.Session(
                id: session.id, method: session.method, userAgent: session.userAgent, createdAt: session.createdAt.date,
                lastUsedAt: session.lastUsedAt.date, expiresAt: session.expiresAt.date, isCurrent: session.id == current,
                cookies: session.cookies.map {
                    SessionList.Cookie(userAgent: $0.userAgent, createdAt: $0.createdAt.date, expiresAt: $0.expiresAt.date)
                })
        }
    }
}
