import Core
import Synchronization

/// Checks, while a long response is sent, that the sessions behind it have not ended. The sender of a request was authenticated when the
/// request began, but a client that reads slowly can keep the response open for weeks.
///
/// Only one task may use it.
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
