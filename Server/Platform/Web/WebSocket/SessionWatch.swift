package import Core
package import Database

/// Tells which sessions go on. The accounts room knows; sockets outlive the request that was authenticated, so they ask again.
package protocol SessionWatch: Sendable {
    /// - Returns: those of `viewers` whose session has not ended; for a credential we did not issue, whose account is still there and whose
    ///   identity is still linked to it.
    func live(_ viewers: Set<Viewer>) async throws -> Set<Viewer>
}

extension Wake.Channel {
    /// Keyed by session, or by identity: it has ended, or is linked no more.
    package static let sessions: Wake.Channel = "sessions"
}
