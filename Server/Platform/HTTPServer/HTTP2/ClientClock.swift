import NIOCore

/// The time that counts against the client of an HTTP/2 connection. The clock stands still while the server does not read from the
/// connection, because what the client sends during that time is not late.
///
/// Everything runs on the event loop.
final class ClientClock {
    /// Why the server does not read.
    enum Pause { case unreadBytes, turns }

    private var pauses: Set<Pause> = []
    private var pausedAt = NIODeadline.now()
    /// The time of all pauses that have ended.
    private var pausedTime = TimeAmount.zero

    /// The clock's time. Compare it only with other times of this clock.
    func now(at time: NIODeadline = .now()) -> NIODeadline { (pauses.isEmpty ? time : pausedAt) - pausedTime }

    /// Does nothing if the clock is already paused for this reason.
    func pause(_ pause: Pause, at time: NIODeadline = .now()) {
        if pauses.isEmpty { pausedAt = time }
        pauses.insert(pause)
    }

    /// Does nothing if the clock is not paused for this reason.
    func resume(_ pause: Pause, at time: NIODeadline = .now()) {
        guard pauses.remove(pause) != nil, pauses.isEmpty else { return }
        pausedTime = pausedTime + (time - pausedAt)
    }
}
