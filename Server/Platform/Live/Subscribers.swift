internal import NIOConcurrencyHelpers

/// This node's subscriptions by account, and which of them wait. Each lock is held only for a look-up or two, and continuations resume
/// after it is released.
final class Subscribers: Sendable {
    /// The identifier of a subscription.
    struct SubscriptionID: Sendable {
        let account: String
        let number: Int
    }

    private struct Waiter {
        /// The number of the last event it has seen.
        let last: Int64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Row {
        /// Increases with every wake. A subscription remembers the value before it reads, and does not wait if the value has increased
        /// since. So one number serves as the "new events" flag of all the account's subscriptions.
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
            // Change the row in place: removing and reinserting it would copy it.
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
    /// This is not a `Mutex`, because each of an engine's threads takes the lock after a write (decision 059).
    private let state = NIOLockedValueBox(State())

    var counts: HubCounts {
        state.withLockedValue { state in
            var counts = state.counts
            counts.accounts = state.rows.count
            return counts
        }
    }

    func count(_ change: (inout HubCounts) -> Void) { state.withLockedValue { change(&$0.counts) } }

    /// - Returns: `nil` when the account has `limit` subscriptions already.
    /// - Throws: `LiveError.shuttingDown`.
    func enter(_ account: String, limit: Int) throws -> SubscriptionID? {
        try state.withLockedValue { state in
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
        let waiter = state.withLockedValue { state -> Waiter? in
            guard state.rows[id.account]?.ids.remove(id.number) != nil else { return nil }
            state.counts.subscriptions -= 1
            let waiter = state.stopWaiting(id)
            if state.rows[id.account]?.ids.isEmpty == true { state.rows[id.account] = nil }
            return waiter
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    /// The account's wake count. Take it before a read, so that an event committed after that read's snapshot ends the wait.
    /// - Throws: `LiveError.shuttingDown`.
    func flag(_ id: SubscriptionID) throws -> Int {
        try state.withLockedValue { state in
            if state.isOver { throw LiveError.shuttingDown }
            return state.rows[id.account]?.wakes ?? 0
        }
    }

    /// Waits until the wake count differs from `flag`, or a check of the heads finds a number other than `last`.
    /// - Throws: `CancellationError` as soon as the task is cancelled; `LiveError.shuttingDown`.
    func wait(_ id: SubscriptionID, flag: Int, last: Int64) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let answer = state.withLockedValue { state -> Result<Void, any Error>? in
                    if state.isOver { return .failure(LiveError.shuttingDown) }
                    // A cancellation before this lock finds no continuation to resume, so check for it here.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard state.rows[id.account]?.wakes == flag else { return .success(()) }
                    state.rows[id.account]?.waiting[id.number] = Waiter(last: last, continuation: continuation)
                    state.counts.waiting += 1
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            let waiter = state.withLockedValue { $0.stopWaiting(id) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Wakes the waiting subscriptions of `accounts`: there may be new events.
    func wake(_ accounts: some Sequence<String>) {
        let woken = state.withLockedValue { state in accounts.flatMap { state.wake($0) } }
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Accounts with waiting subscriptions.
    var awaited: [String] {
        state.withLockedValue { state in state.rows.compactMap { $0.value.waiting.isEmpty ? nil : $0.key } }
    }

    /// Wakes subscriptions whose last number differs from the log's head: higher for new events, lower after a restored backup or an erased
    /// account.
    /// - Parameter heads: the last number of each account; an account without an entry has no log.
    func compare(_ accounts: some Sequence<String>, heads: [String: Int64]) {
        let woken = state.withLockedValue { state in
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

    /// Ends all waits with `LiveError.shuttingDown`, and makes later calls throw it.
    func close() {
        let waiting = state.withLockedValue { state in
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
