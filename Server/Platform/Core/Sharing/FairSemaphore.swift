internal import Synchronization

/// Lets a bounded number of tasks work at a time. Waiting tasks take turns by requester, so many tasks of one requester delay another
/// requester's task by one turn only. All requesters of one network together get no more turns than a single requester.
package final class FairSemaphore: Sendable {
    package struct Limits: Sendable {
        /// Maximum number of tasks of all requesters that work at a time. 1 or more.
        package var permits: Int
        /// Maximum number of tasks of one account (or of one network, for tasks without an account) that work at a time. 1 or more.
        package var permitsPerKey: Int
        /// Maximum number of tasks of one network, across its accounts, that work at a time. 1 or more; default unlimited.
        package var permitsPerNetwork: Int
        /// Maximum number of tasks of all requesters that wait. 1 or more. At the limit, a new task replaces the newest waiting task of the
        /// network with the most waiting tasks, if that network has at least two more than the new task's network. Otherwise the new task
        /// is refused.
        package var waiting: Int
        /// Maximum number of waiting tasks of one account (or of one network, for tasks without an account). 1 or more.
        package var waitingPerKey: Int
        /// Maximum number of waiting tasks of one network, across its accounts. 1 or more; default unlimited.
        package var waitingPerNetwork: Int

        package init(
            permits: Int, permitsPerKey: Int, permitsPerNetwork: Int = .max, waiting: Int, waitingPerKey: Int, waitingPerNetwork: Int = .max
        ) {
            self.permits = permits
            self.permitsPerKey = permitsPerKey
            self.permitsPerNetwork = permitsPerNetwork
            self.waiting = waiting
            self.waitingPerKey = waitingPerKey
            self.waitingPerNetwork = waitingPerNetwork
        }
    }

    /// The right to work. `release` returns it to the semaphore, and so does dropping the last reference to it.
    package final class Permit: Sendable {
        private let semaphore: FairSemaphore
        private let requester: Requester
        private let isHeld = Mutex(true)

        fileprivate init(_ semaphore: FairSemaphore, _ requester: Requester) {
            self.semaphore = semaphore
            self.requester = requester
        }

        deinit { release() }

        /// Calling it again does nothing.
        package func release() {
            let wasHeld = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if wasHeld { semaphore.leave(requester) }
        }
    }

    /// How a request for a permit ended.
    fileprivate enum Outcome {
        case granted
        case cancelled
        case refused(FairQueueRefusal)
    }

    fileprivate struct Waiter {
        let ticket: UInt64
        let requester: Requester
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private let limits: Limits
    private let state: Mutex<State>

    package init(_ limits: Limits) {
        self.limits = limits
        state = Mutex(State(limits))
    }

    package var heldCount: Int { state.withLock { $0.heldCount } }
    package var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for a permit.
    /// - Throws: `FairQueueRefusal` at once when too many tasks wait already, or later when another network's task replaces this one;
    ///   `CancellationError` when the task was cancelled before its turn.
    package func acquire(for requester: Requester) async throws -> Permit {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enter(Waiter(ticket: ticket, requester: requester, continuation: continuation))
            }
        } onCancel: {
            let waiter = state.withLock { $0.removeWaiter(ticket) }
            waiter?.continuation.resume(returning: .cancelled)
        }
        switch outcome {
        case .granted: return Permit(self, requester)
        case .cancelled: throw CancellationError()
        case .refused(let refusal): throw refusal
        }
    }

    /// Runs `work` while it holds a permit.
    /// - Throws: as `acquire`, and what `work` throws.
    package func withPermit<T>(for requester: Requester, _ work: () async throws -> T) async throws -> T {
        let permit = try await acquire(for: requester)
        defer { permit.release() }
        return try await work()
    }

    private func enter(_ waiter: Waiter) {
        let (outcome, replaced): (Outcome?, Waiter?) = state.withLock { state in
            // If the task was cancelled before this point, `onCancel` found no waiter to resume.
            if Task.isCancelled { return (.cancelled, nil) }
            if state.take(waiter.requester) { return (.granted, nil) }
            do throws(FairQueueRefusal) {
                return (nil, try state.enqueue(waiter))
            } catch {
                return (.refused(error), nil)
            }
        }
        replaced?.continuation.resume(returning: .refused(.keyIsFull))
        if let outcome { waiter.continuation.resume(returning: outcome) }
    }

    private func leave(_ requester: Requester) {
        let next = state.withLock { state in
            state.giveBack(requester)
            return state.nextWaiters()
        }
        for waiter in next { waiter.continuation.resume(returning: .granted) }
    }
}

/// Guarded by the semaphore's lock.
private struct State {
    /// The number of waiting tasks of one account or network, and when it last had a turn.
    private struct Line {
        var waiting = 0
        /// The number of its last turn; for a new line, the number of the last turn of all.
        var turn: UInt64
    }

    private(set) var heldCount = 0
    var lastTicket: UInt64 = 0
    private(set) var waiters: FairQueue<Requester.Share, FairSemaphore.Waiter>
    private let limits: FairSemaphore.Limits
    private var held: [Requester.Share: Int] = [:]
    private var heldByNetwork: [Requester.Share: Int] = [:]
    /// Lines with at least one waiting task. An account on several networks has one line in `keys` and one for each network in `networks`.
    private var keys: [Requester.Share: Line] = [:]
    private var networks: [Requester.Share: Line] = [:]
    /// Waiting tasks that have a network.
    private var waitingWithNetwork = 0
    private var lastTurn: UInt64 = 0

    init(_ limits: FairSemaphore.Limits) {
        self.limits = limits
        waiters = FairQueue(limit: limits.waiting, limitPerKey: limits.waitingPerKey)
    }

    // MARK: Permits

    /// - Returns: `false` when the requester has to wait.
    mutating func take(_ requester: Requester) -> Bool {
        // If permits are free and this requester still has waiting tasks, it is at its own limit, so the new task waits behind them.
        guard heldCount < limits.permits, hasShare(requester), keys[requester.share] == nil else { return false }
        count(requester)
        return true
    }

    mutating func giveBack(_ requester: Requester) {
        heldCount -= 1
        Self.subtract(&held, requester.share)
        Self.subtract(&heldByNetwork, requester.networkShare)
    }

    private mutating func count(_ requester: Requester) {
        heldCount += 1
        held[requester.share, default: 0] += 1
        heldByNetwork[requester.networkShare, default: 0] += 1
    }

    private func hasShare(_ requester: Requester) -> Bool {
        held[requester.share, default: 0] < limits.permitsPerKey
            && heldByNetwork[requester.networkShare, default: 0] < limits.permitsPerNetwork
    }

    private static func subtract(_ counts: inout [Requester.Share: Int], _ key: Requester.Share) {
        let left = counts[key, default: 1] - 1
        counts[key] = left > 0 ? left : nil
    }

    // MARK: Waiting

    /// - Returns: the waiter that was removed to stay within the limit, if any.
    mutating func enqueue(_ waiter: FairSemaphore.Waiter) throws(FairQueueRefusal) -> FairSemaphore.Waiter? {
        let (key, network) = (waiter.requester.share, waiter.requester.networkShare)
        if waiters.count(of: key) >= limits.waitingPerKey { throw .keyIsFull }
        let ofNetwork = networks[network]?.waiting ?? 0
        if ofNetwork >= limits.waitingPerNetwork { throw .keyIsFull }
        var replaced: FairSemaphore.Waiter?
        if waiters.count >= limits.waiting {
            replaced = removeNewest(ofNetworkWith: ofNetwork + 2)
            if replaced == nil { throw .full }
        }
        try waiters.enqueue(waiter, for: key)
        keys[key, default: Line(turn: lastTurn)].waiting += 1
        networks[network, default: Line(turn: lastTurn)].waiting += 1
        if waiter.requester.network != nil { waitingWithNetwork += 1 }
        return replaced
    }

    /// Removes and returns the waiters that may work now, and counts their permits as held.
    mutating func nextWaiters() -> [FairSemaphore.Waiter] {
        var next: [FairSemaphore.Waiter] = []
        while heldCount < limits.permits, !waiters.isEmpty, let waiter = dequeue() {
            lastTurn += 1
            keys[waiter.requester.share]?.turn = lastTurn
            networks[waiter.requester.networkShare]?.turn = lastTurn
            left(waiter)
            count(waiter.requester)
            next.append(waiter)
        }
        return next
    }

    /// Removes and returns the waiter whose last turn is the longest ago, where its last turn is the later of its account's and its
    /// network's. By the account's turn alone, many accounts of one network would get a turn each. By the network's turn alone, one account
    /// on many networks would get a turn for each network.
    private mutating func dequeue() -> FairSemaphore.Waiter? {
        let mayRun: (Requester.Share, FairSemaphore.Waiter) -> Bool = { [limits, held, heldByNetwork] key, waiter in
            held[key, default: 0] < limits.permitsPerKey
                && heldByNetwork[waiter.requester.networkShare, default: 0] < limits.permitsPerNetwork
        }
        let turn: (FairSemaphore.Waiter) -> UInt64 = { [keys, networks, waitingWithNetwork] waiter in
            // Without networks, the queue's own order is that of the last turns. Then no search through thousands of accounts is necessary.
            if waitingWithNetwork == 0 { return 0 }
            return max(keys[waiter.requester.share]?.turn ?? 0, networks[waiter.requester.networkShare]?.turn ?? 0)
        }
        return waiters.dequeue(whereNext: mayRun, rank: turn)?.element
    }

    mutating func removeWaiter(_ ticket: UInt64) -> FairSemaphore.Waiter? {
        guard let waiter = waiters.remove(where: { $0.ticket == ticket }) else { return nil }
        left(waiter)
        return waiter
    }

    /// Removes the newest waiter of the network with the most waiters.
    /// - Parameter least: if that network has fewer waiters than this, nothing is removed.
    private mutating func removeNewest(ofNetworkWith least: Int) -> FairSemaphore.Waiter? {
        guard let fullest = networks.max(by: { $0.value.waiting < $1.value.waiting }), fullest.value.waiting >= least else { return nil }
        var newest: UInt64 = 0
        waiters.forEach { if $0.requester.networkShare == fullest.key { newest = max(newest, $0.ticket) } }
        return removeWaiter(newest)
    }

    private mutating func left(_ waiter: FairSemaphore.Waiter) {
        if waiter.requester.network != nil { waitingWithNetwork -= 1 }
        Self.leave(&keys, waiter.requester.share)
        Self.leave(&networks, waiter.requester.networkShare)
    }

    private static func leave(_ lines: inout [Requester.Share: Line], _ key: Requester.Share) {
        guard let waiting = lines[key]?.waiting else { return }
        // Removed at zero, because otherwise the table would keep an entry for every requester that ever waited.
        if waiting > 1 { lines[key]?.waiting = waiting - 1 } else { lines[key] = nil }
    }
}
