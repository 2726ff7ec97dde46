import Synchronization

/// Counts calls that run at the same time.
final class SimultaneousCalls: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    /// The largest number of calls that ran at the same time so far.
    var most: Int { counts.withLock { $0.most } }

    func enter() {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func leave() { counts.withLock { $0.now -= 1 } }
}
