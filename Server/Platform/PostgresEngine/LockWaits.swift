internal import Synchronization

/// How many transactions may wait for advisory locks at a time. One that waits keeps its connection, so without a limit those that wait for
/// one lock could keep all connections from transactions that need no lock. Beyond the limit, a transaction whose lock is taken rolls back,
/// and runs again a moment later.
final class LockWaits: Sendable {
    /// A lock is taken, and too many transactions wait for locks already.
    struct LockTaken: Error {}

    private let limit: Int
    private let count = Atomic(0)

    init(connections: Int) { limit = max(1, connections * 3 / 4) }

    var isFull: Bool { count.load(ordering: .relaxed) >= limit }

    /// Counts the transaction while `body` sends statements that may wait for a lock.
    func counting<T>(_ body: () throws -> T) rethrows -> T {
        count.add(1, ordering: .relaxed)
        defer { count.subtract(1, ordering: .relaxed) }
        return try body()
    }
}
