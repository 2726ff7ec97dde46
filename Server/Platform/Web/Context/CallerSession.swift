import Core

/// The session that a request was authenticated with. A client can send the body of a request for hours, and the session may end meanwhile.
struct CallerSession: Sendable {
    /// A check this long after authentication reads the session again. Earlier ones do not, because most bodies arrive with the head.
    static let shortestAge = Duration.seconds(1)

    let viewer: Viewer
    let watch: any SessionWatch
    let authenticatedAt: ContinuousClock.Instant

    init(_ viewer: Viewer, _ watch: any SessionWatch, authenticatedAt: ContinuousClock.Instant = .now) {
        self.viewer = viewer
        self.watch = watch
        self.authenticatedAt = authenticatedAt
    }

    /// - Throws: `.unauthenticated` when the session has ended, or its account was closed or suspended; what the database throws.
    func requireLive(now: ContinuousClock.Instant = .now) async throws {
        guard now - authenticatedAt >= Self.shortestAge else { return }
        guard try await watch.live([viewer]) == [viewer] else { throw Problem.sessionEndedDuringRequest }
    }
}

extension WebContext {
    /// Checks the caller's session again, if it was authenticated at least a second ago. Call it after a wait for the client, which can
    /// last as long as the client likes, and between the writes of a request that makes many.
    /// - Throws: `.unauthenticated` when the session has ended, or its account was closed or suspended; what the database throws.
    package func requireLiveSession() async throws { try await session?.requireLive() }
}

extension Problem {
    static let sessionEndedDuringRequest = Problem(
        .unauthenticated, "The session ended during the request, or its account does not exist any more. Sign in again.")
}
