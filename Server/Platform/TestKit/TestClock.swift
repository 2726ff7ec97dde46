package import Core
import Synchronization

/// A manual clock: its time changes only when a test advances it.
package final class TestClock: Sendable {
    private let time: Mutex<Timestamp>

    /// - Parameter start: default 2026-06-01T12:00:00Z.
    package init(_ start: Timestamp = Timestamp(seconds: 1_780_315_200)) { time = Mutex(start) }

    package var wall: WallClock { WallClock { self.time.withLock { $0 } } }
    package var now: Timestamp { time.withLock { $0 } }

    package func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}
