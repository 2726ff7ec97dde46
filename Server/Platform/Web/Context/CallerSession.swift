import Core
import Synchronization

/// The session that a request was authenticated with. A client can send the body of a request for hours, and the session may end meanwhile.
final class CallerSession: Sendable {
    /// The session is read again this long after it was last read. Earlier checks do not read it, because most bodies arrive with the head,
    /// and some requests wait many times for a short time.
    static let shortestAge = Duration.seconds(1)

    private let viewer: Viewer
    private let watch: any SessionWatch
    private let readAt: Mutex<ContinuousClock.Instant>

    init(_ viewer: Viewer, _ watch: any SessionWatch, authenticatedAt: ContinuousClock.Instant = .now) {
        self.viewer = viewer
        self.watch = watch
        readAt = Mutex(authenticatedAt)
    }

    /// - Throws: `.unauthenticated` when the session has ended, or its account was closed or suspended; what the database throws.
    func requireLive(now: ContinuousClock.Instant = .now) async throws {
        guard now - readAt.withLock(\.self) >= Self.shortestAge else { return }
        guard try await watch.live([viewer]) == [viewer] else { throw Problem.sessionEndedDuringRequest }
        readAt.withLock { $0 = now }
    }
}

extension WebContext {
    /// Checks the caller's session again, if it was last read at least a second ago. Call it after a wait for the client, which can
    /// last as long as the client likes, and between the writes of a request that makes many.
    /// - Throws: `.unauthenticated` when the session has ended, or its account was closed or suspended; what the database throws.
    package func requireLiveSession() async throws { try await session?.requireLive() }
}

extension Problem {
    static let sessionEndedDuringRequest = Problem(
        .unauthenticated, "The session ended during the request, or its account does not exist any more. Sign in again.")
}
