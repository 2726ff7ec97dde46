internal import Database
internal import Synchronization

/// Keeps writes that wait for a lock from taking all connections. One that waits keeps its connection, so those that wait for one row, which
/// a node that hangs has locked, could stop the reads and writes of everybody.
///
/// While `limit` connections have a write, another write waits only briefly for each lock, whether of a row or with a name.
/// Then it rolls back, returns its connection, and runs again a moment later.
final class LockWaits: Sendable {
    /// A write that waits only briefly found a lock taken. Nothing was written.
    struct LockTaken: Error {}

    /// Begins such a write: it waits 10 ms for a lock.
    static let opening: [SQL] = ["BEGIN", "SET LOCAL lock_timeout = 10"]

    private let limit: Int
    private let count = Atomic(0)

    init(limit: Int) { self.limit = limit }

    /// Counts a write while `body` runs.
    /// - Parameter body: receives whether the write may wait for locks only briefly.
    func counting<T>(_ body: (Bool) throws -> T) rethrows -> T {
        let before = count.add(1, ordering: .relaxed).oldValue
        defer { count.subtract(1, ordering: .relaxed) }
        return try body(before >= limit)
    }

    /// How long a write that found a lock taken pauses before it runs again: longer each time, so that many of them have few connections.
    static func pause(after attempts: Int) -> Duration {
        .milliseconds(Int.random(in: 10...40) << min(attempts, 4))
    }
}
