package import Core

/// Finds out who a bearer is. The accounts room is the one that can; this room only asks.
package protocol Authenticator: Sendable {
    /// - Throws: `Problem(.unauthenticated)` unless the token is genuine, current and of a live account.
    func viewer(bearer token: String) async throws -> Viewer
}
