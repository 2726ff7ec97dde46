internal import Core
internal import KeepsakeWire
internal import Web

/// `DELETE /auth/sessions/{id}`
struct EndSession: Sendable {
    let store: AccountStore
    let clock: WallClock

    /// Its tokens and cookies are refused from now on, on every node, and its sockets are closed.
    /// - Throws: `.notFound` for one that has ended, and for somebody else's.
    func callAsFunction(_ input: SessionInput, _ viewer: Viewer) async throws -> Empty {
        guard try await store.endSession(input.id, of: viewer.accountID, at: clock.now) else {
            throw Problem(.notFound, "There is no such session.")
        }
        return Empty()
    }
}

/// `DELETE /auth/sessions`: signs out everywhere.
struct EndSessions: Sendable {
    let store: AccountStore
    let clock: WallClock

    func callAsFunction(_ input: EndSessionsInput, _ viewer: Viewer) async throws -> SessionsEnded {
        let kept = input.keepCurrent == true ? viewer.sessionID : nil
        return SessionsEnded(ended: try await store.endSessions(of: viewer.accountID, but: kept, at: clock.now))
    }
}
