import Core
import Synchronization

/// Checks, during a long request or response, that the sessions behind it have not ended. The sender of a request was authenticated when
/// the request began, but a client that sends its body or reads the response slowly can keep it open for weeks.
final class SessionCheck: Sendable {
    private let viewers: Set<Viewer>
    private let watch: any SessionWatch
    private let pause: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    /// When the next check is due.
    private let next: Mutex<ContinuousClock.Instant>

    /// - Parameters:
    ///   - viewers: the callers whose sessions are checked. The response ends when any of these sessions ends. Empty for a response that
    ///     depends on no session.
    ///   - pause: the shortest time between two checks, each of which reads the database.
    ///   - now: tests inject their own.
    init(
        _ viewers: Set<Viewer>, _ watch: any SessionWatch, every pause: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.viewers = viewers
        self.watch = watch
        self.pause = pause
        self.now = now
        next = Mutex(now() + pause)
    }

    /// Call it before each piece of the response. It reads the database only if a check is due.
    /// - Throws: `.unauthenticated` when a session has ended, or its account was closed or suspended; what the database throws.
    func requireLive() async throws {
        let time = now()
        guard !viewers.isEmpty, time >= next.withLock({ $0 }) else { return }
        guard try await watch.live(viewers) == viewers else {
            throw Problem.sessionEndedDuringRequest
        }
        next.withLock { $0 = time + pause }
    }
}

extension WebContext {
    /// The shortest time between two checks of a request's session. The first one is due this long after the authentication, because most
    /// bodies arrive with the head, and some requests wait many times for a short time.
    static let sessionCheckPause = Duration.seconds(1)

    /// Checks the caller's session again, if it was last read at least a second ago. Call it after a wait for the client, which can
    /// last as long as the client likes, and between the writes of a request that makes many.
    /// - Throws: `.unauthenticated` when the session has ended, or its account was closed or suspended; what the database throws.
    package func requireLiveSession() async throws { try await session?.requireLive() }
}

extension Problem {
    static let sessionEndedDuringRequest = Problem(
        .unauthenticated, "The session ended during the request, or its account does not exist any more. Sign in again.")
}
