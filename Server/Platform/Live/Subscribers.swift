internal import Synchronization

/// The subscriptions of this node, by account, and which of them wait. Each lock is held for a look-up or two, and nobody is woken under it.
final class Subscribers: Sendable {
    /// Names a subscription.
    struct SubscriptionID: Sendable {
        let account: String
        let number: Int
    }

    private struct Waiter {
        /// What it has seen.
        let last: Int64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Row {
        /// Grows with every wake. A subscription remembers it before it reads, and does not wait once it has grown: that is its flag,
        /// raised for all of the account's subscriptions at once.
        var wakes = 0
        var ids: Set<Int> = []
        var waiting: [Int: Waiter] = [:]
    }

    private struct State {
        var rows: [String: Row] = [:]
        var lastNumber = 0
        var isOver = false
        var counts = HubCounts()

        mutating func wake(_ account: String) -> [Waiter] {
            // In place: a row that is taken out and put back is copied.
            guard let index = rows.index(forKey: account) else { return [] }
            rows.values[index].wakes += 1
            let waiting = rows.values[index].waiting
            guard !waiting.isEmpty else { return [] }
            rows.values[index].waiting = [:]
            counts.waiting -= waiting.count
            return Array(waiting.values)
        }

        mutating func stopWaiting(_ id: SubscriptionID) -> Waiter? {
            guard let waiter = rows[id.account]?.waiting.removeValue(forKey: id.number) else { return nil }
            counts.waiting -= 1
            return waiter
        }
    }
    private let state = Mutex(State())

    var counts: HubCounts {
        state.withLock { state in
            var counts = state.counts
            counts.accounts = state.rows.count
            return counts
        }
    }

    func count(_ change: (inout HubCounts) -> Void) { state.withLock { change(&$0.counts) } }

    /// - Returns: `nil` when the account has `limit` already.
    /// - Throws: `LiveError.shuttingDown`.
    func enter(_ account: String, limit: Int) throws -> SubscriptionID? {
        try state.withLock { state in
            if state.isOver { throw LiveError.shuttingDown }
            guard state.rows[account]?.ids.count ?? 0 < limit else {
                state.counts.refused += 1
                return nil
            }
            state.lastNumber += 1
            state.counts.subscriptions += 1
            state.rows[account, default: Row()].ids.insert(state.lastNumber)
            return SubscriptionID(account: account, number: state.lastNumber)
        }
    }

    func leave(_ id: SubscriptionID) {
        let waiter = state.withLock { state -> Waiter? in
            guard state.rows[id.account]?.ids.remove(id.number) != nil else { return nil }
            state.counts.subscriptions -= 1
            let waiter = state.stopWaiting(id)
            if state.rows[id.account]?.ids.isEmpty == true { state.rows[id.account] = nil }
            return waiter
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    /// The flag as it stands. Taken before a read, so that what is committed after that read's snapshot is not slept through.
    /// - Throws: `LiveError.shuttingDown`.
    func flag(_ id: SubscriptionID) throws -> Int {
        try state.withLock { state in
            if state.isOver { throw LiveError.shuttingDown }
            return state.rows[id.account]?.wakes ?? 0
        }
    }

    /// Until the flag is no longer `flag`, or a look at the heads finds another number than `last`.
    /// - Throws: `CancellationError` at once when the task is cancelled; `LiveError.shuttingDown`.
    func wait(_ id: SubscriptionID, flag: Int, last: Int64) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let answer = state.withLock { state -> Result<Void, any Error>? in
                    if state.isOver { return .failure(LiveError.shuttingDown) }
                    // A cancellation that came before this lock finds nobody to resume, but is seen here.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard state.rows[id.account]?.wakes == flag else { return .success(()) }
                    state.rows[id.account]?.waiting[id.number] = Waiter(last: last, continuation: continuation)
                    state.counts.waiting += 1
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.stopWaiting(id) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// There may be something new for these.
    func wake(_ accounts: some Sequence<String>) {
        let woken = state.withLock { state in accounts.flatMap { state.wake($0) } }
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Accounts somebody waits for.
    var awaited: [String] {
        state.withLock { state in state.rows.compactMap { $0.value.waiting.isEmpty ? nil : $0.key } }
    }

    /// Wakes those whose log does not end where they do: further on, or before, after a backup was restored or the account erased.
    /// - Parameter heads: an account that is missing has no log.
    func compare(_ accounts: some Sequence<String>, heads: [String: Int64]) {
        let woken = state.withLock { state in
            let woken = accounts.flatMap { account -> [Waiter] in
                let head = heads[account] ?? 0
                let isBehind = state.rows[account]?.waiting.values.contains { $0.last != head } ?? false
                return isBehind ? state.wake(account) : []
            }
            state.counts.looks += 1
            state.counts.found += woken.count
            return woken
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Everybody who waits, and whoever wants to from now on, is told that it is over.
    func close() {
        let waiting = state.withLock { state in
            state.isOver = true
            state.counts.waiting = 0
            return state.rows.keys.flatMap { account in
                let waiting = state.rows[account]?.waiting ?? [:]
                state.rows[account]?.waiting = [:]
                return Array(waiting.values)
            }
        }
        for waiter in waiting { waiter.continuation.resume(throwing: LiveError.shuttingDown) }
    }
}
