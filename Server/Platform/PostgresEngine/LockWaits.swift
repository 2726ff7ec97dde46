internal import Database
internal import Synchronization

/// Keeps writes that wait for a lock from taking all connections. A write keeps its connection while it waits. So if a node hangs and has
/// locked a row, the writes that wait for this row could otherwise stop all other reads and writes.
///
/// While writes run on `limit` connections, a further write waits only briefly for each lock, whether it is a row's or an advisory one.
/// Then it rolls back, returns its connection, and runs again a moment later.
///
/// When it runs again, it is at the end of the lock's queue, behind all writes that did not give up. So it waits longer each time, up to
/// half a second. Only half of the connections beyond `limit` may do so; writes on the other half never wait for more than 10 ms.
final class LockWaits: Sendable {
    /// A write that waits only briefly found a lock taken. Nothing was written.
    struct LockTaken: Error {}

    /// How a write begins that waits only briefly for locks.
    struct Brief: Sendable {
        /// How long it waits for a lock.
        let milliseconds: Int
        let opening: [SQL]
    }

    /// One for the first attempt, one for the second, and so on.
    private static let briefs = [
        Brief(milliseconds: 10, opening: ["BEGIN", "SET LOCAL lock_timeout = 10"]),
        Brief(milliseconds: 40, opening: ["BEGIN", "SET LOCAL lock_timeout = 40"]),
        Brief(milliseconds: 160, opening: ["BEGIN", "SET LOCAL lock_timeout = 160"]),
        Brief(milliseconds: 500, opening: ["BEGIN", "SET LOCAL lock_timeout = 500"]),
    ]

    private let limit: Int
    private let longerLimit: Int
    private let count = Atomic(0)
    /// The number of writes that may wait for more than 10 ms, without those on the first `limit` connections.
    private let longerCount = Atomic(0)

    /// - Parameter connections: the number of all connections.
    init(limit: Int, connections: Int) {
        self.limit = limit
        longerLimit = max(0, connections - limit) / 2
    }

    /// Counts a write while `body` runs.
    /// - Parameters:
    ///   - attempts: how often the write has found a lock taken.
    ///   - body: receives how the transaction must begin if it may wait for locks only briefly; otherwise `nil`.
    func counting<T>(attempts: Int, _ body: (Brief?) throws -> T) rethrows -> T {
        let before = count.add(1, ordering: .relaxed).oldValue
        defer { count.subtract(1, ordering: .relaxed) }
        guard before >= limit else { return try body(nil) }
        guard attempts > 0, beginsLonger() else { return try body(Self.briefs[0]) }
        defer { longerCount.subtract(1, ordering: .relaxed) }
        return try body(Self.briefs[min(attempts, Self.briefs.count - 1)])
    }

    /// Counts a write that waits for more than 10 ms, if there may be one more.
    private func beginsLonger() -> Bool {
        let before = longerCount.add(1, ordering: .relaxed).oldValue
        if before >= longerLimit { longerCount.subtract(1, ordering: .relaxed) }
        return before < longerLimit
    }

    /// How long a write that found a lock taken pauses before it runs again: longer each time, so that many such writes hold few
    /// connections at a time.
    static func pause(after attempts: Int) -> Duration {
        .milliseconds(Int.random(in: 10...40) << min(attempts, 4))
    }
}
