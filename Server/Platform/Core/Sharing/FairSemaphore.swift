internal import Synchronization

/// Lets a bounded number of tasks work at a time. Waiting tasks take turns by requester: the one whose last turn is the longest ago is
/// next. So many tasks of one requester delay another requester's task by one turn only. All requesters of one network together get no more
/// turns than a single requester. Where turns take very different times, the requester that held permits for the shortest time is next
/// instead (`Limits.headStart`).
///
/// A task that holds another scarce turn (`HeldTurns`) goes before the other waiting tasks of its requester (`FairQueue`), so that it can
/// give that turn back.
package final class FairSemaphore: Sendable {
    package struct Limits: Sendable {
        /// Maximum number of tasks that work at a time, of all requesters together. 1 or more.
        package var permits: Int
        /// Maximum number of tasks of one account (or of one network, for tasks without an account) that work at a time. 1 or more.
        package var permitsPerKey: Int
        /// Maximum number of tasks of one network, across its accounts, that work at a time. 1 or more; default unlimited.
        package var permitsPerNetwork: Int
        /// Maximum number of waiting tasks of all requesters together. 1 or more. At the limit, a new task replaces a waiting task in two
        /// cases:
        /// 1. The network with the most waiting tasks has at least two more than the new task's network. Then a task of that network is
        ///    replaced.
        /// 2. Otherwise, an account in the new task's network has at least two more waiting tasks than the new task's account. Then a task
        ///    of this network is replaced.
        /// In both cases, the replaced task is the newest task of the account that has the most waiting tasks in that network. In all other
        /// cases, the new task is refused.
        package var waiting: Int
        /// Maximum number of waiting tasks of one account (or of one network, for tasks without an account). 1 or more.
        package var waitingPerKey: Int
        /// Maximum number of waiting tasks of one network, across its accounts. 1 or more; default unlimited.
        package var waitingPerNetwork: Int
        /// The part of `permits` that is reserved for networks that hold fewer than `small` permits. It prevents a few networks that take
        /// all they can get from locking out everybody else. All networks of an IPv6 site count as one here. Default 0.
        package var reserve: Int
        package var small: Int
        /// With a value, the requester whose tasks held permits for the shortest time is next, and not the one whose last turn is the
        /// longest ago. Otherwise, a short task would wait for one long task of each of the others. The value is how far an idle requester
        /// is ahead of one that always has tasks (`UsageOrder`): a few times as long as a short task takes.
        package var headStart: Duration?

        package init(
            permits: Int, permitsPerKey: Int, permitsPerNetwork: Int = .max, waiting: Int, waitingPerKey: Int,
            waitingPerNetwork: Int = .max, reserve: Int = 0, small: Int = 0, headStart: Duration? = nil
        ) {
            self.permits = permits
            self.permitsPerKey = permitsPerKey
            self.permitsPerNetwork = permitsPerNetwork
            self.waiting = waiting
            self.waitingPerKey = waitingPerKey
            self.waitingPerNetwork = waitingPerNetwork
            self.reserve = reserve
            self.small = small
            self.headStart = headStart
        }
    }

    /// The right to work. `release` returns it to the semaphore, and so does dropping the last reference to it.
    package final class Permit: Sendable {
        private let semaphore: FairSemaphore
        private let requester: Requester
        private let holder: HeldTurns?
        private let isHeld = Mutex(true)
        private let begin = ContinuousClock.now

        fileprivate init(_ semaphore: FairSemaphore, _ requester: Requester, _ holder: HeldTurns?) {
            self.semaphore = semaphore
            self.requester = requester
            self.holder = holder
        }

        deinit { release() }

        /// Calling it again does nothing.
        package func release() {
            let wasHeld = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            guard wasHeld else { return }
            holder?.end()
            semaphore.leave(requester, after: begin.duration(to: .now))
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
        let holder: HeldTurns?
        /// Whether the task holds another scarce turn.
        let isAhead: Bool
        let continuation: CheckedContinuation<Outcome, Never>

        /// Counts the turn before it resumes the task: if a task holds a turn, the queue of its threads serves it early.
        func resume(_ outcome: Outcome) {
            if case .granted = outcome { holder?.begin() }
            continuation.resume(returning: outcome)
        }
    }

    private let limits: Limits
    private let state: Mutex<State>

    package init(_ limits: Limits) {
        self.limits = limits
        state = Mutex(State(limits))
    }

    package var heldCount: Int { state.withLock { $0.heldCount } }
    package var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Whether a waiting task of another account would get a permit if this requester released the permit that it holds. Tasks without an
    /// account count by their network.
    package func isAwaited(besides requester: Requester) -> Bool { state.withLock { $0.isAwaited(besides: requester) } }

    /// Waits for a permit.
    /// - Parameter holder: counts the permit as a scarce turn until it is released.
    /// - Throws: `FairQueueRefusal` at once when too many tasks wait already, or later when another network's task replaces this one;
    ///   `CancellationError` when the task was cancelled before its turn.
    package func acquire(for requester: Requester, holder: HeldTurns? = nil) async throws -> Permit {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        let isAhead = Requester.holdsTurn
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enter(Waiter(ticket: ticket, requester: requester, holder: holder, isAhead: isAhead, continuation: continuation))
            }
        } onCancel: {
            let waiter = state.withLock { $0.removeWaiter(ticket) }
            waiter?.resume(.cancelled)
        }
        switch outcome {
        case .granted: return Permit(self, requester, holder)
        case .cancelled: throw CancellationError()
        case .refused(let refusal): throw refusal
        }
    }

    /// - Returns: `nil` when the requester would have to wait for a permit.
    package func acquireNow(for requester: Requester) -> Permit? {
        state.withLock { $0.take(requester) } ? Permit(self, requester, nil) : nil
    }

    /// Runs `work` while it holds a permit.
    /// - Parameter holder: as for `acquire`.
    /// - Throws: as `acquire`, and what `work` throws.
    package func withPermit<T>(for requester: Requester, holder: HeldTurns? = nil, _ work: () async throws -> T) async throws -> T {
        let permit = try await acquire(for: requester, holder: holder)
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
        replaced?.resume(.refused(.keyIsFull))
        if let outcome { waiter.resume(outcome) }
    }

    private func leave(_ requester: Requester, after time: Duration) {
        let next = state.withLock { state in
            state.giveBack(requester, after: time)
            return state.nextWaiters()
        }
        for waiter in next { waiter.resume(.granted) }
    }
}

/// Guarded by the semaphore's lock.
private struct State {
    /// How many of the last turns are remembered. An older turn counts as this many turns ago.
    private static let rememberedTurns: UInt64 = 64
    /// The most time that counts as use for one turn (`RequesterUsage`).
    private static let mostTime = Duration.seconds(1)

    var heldCount: Int { held.count }
    var lastTicket: UInt64 = 0
    private(set) var waiters: FairQueue<Requester.Share, FairSemaphore.Waiter>
    private let limits: FairSemaphore.Limits
    private var held: HeldPermits
    private var waitingByNetwork: [Requester.Share: Int] = [:]
    /// The number of permits that were given so far.
    private var turnCount: UInt64 = 0
    /// The number of the last turn of each account and each network that had a turn lately.
    private var lastTurns: [Requester.Share: UInt64] = [:]
    /// For how long each requester held permits; `nil` where only turns count.
    private var usage: RequesterUsage?

    init(_ limits: FairSemaphore.Limits) {
        self.limits = limits
        held = HeldPermits(limits: limits)
        usage = limits.headStart.map { RequesterUsage(headStart: UInt64($0 / .microseconds(1))) }
        waiters = FairQueue(limit: limits.waiting, limitPerKey: limits.waitingPerKey)
    }

    // MARK: Permits

    /// - Returns: `false` when the requester has to wait.
    mutating func take(_ requester: Requester) -> Bool {
        // If permits are free and this requester still has waiting tasks, it is at its own limit, so the new task waits behind them.
        guard held.hasPermit(for: requester), waiters.count(of: requester.share) == 0 else { return false }
        beginTurn(of: requester)
        return true
    }

    mutating func giveBack(_ requester: Requester, after time: Duration) {
        held.remove(requester)
        usage?.used(min(time, Self.mostTime), by: requester.share, in: requester.networkShare)
        // Nobody waits or works, so the order of turns no longer matters. Forget for how long each requester held permits.
        if held.count == 0, waiters.isEmpty { usage?.reset() }
    }

    private mutating func beginTurn(of requester: Requester) {
        held.add(requester)
        turnCount += 1
        lastTurns[requester.share] = turnCount
        lastTurns[requester.networkShare] = turnCount
        if lastTurns.count > 4 * Self.rememberedTurns {
            lastTurns = lastTurns.filter { $0.value + Self.rememberedTurns > turnCount }
        }
    }

    // MARK: Waiting

    func isAwaited(besides requester: Requester) -> Bool {
        guard waiters.count > waiters.count(of: requester.share) else { return false }
        var left = held
        left.remove(requester)
        var isAwaited = false
        waiters.forEach { waiter in
            if waiter.requester.share != requester.share, left.hasPermit(for: waiter.requester) { isAwaited = true }
        }
        return isAwaited
    }

    /// - Returns: the waiter that was removed to stay within the limit, if any.
    mutating func enqueue(_ waiter: FairSemaphore.Waiter) throws(FairQueueRefusal) -> FairSemaphore.Waiter? {
        let (key, network) = (waiter.requester.share, waiter.requester.networkShare)
        if waiters.count(of: key) >= limits.waitingPerKey { throw .keyIsFull }
        let ofNetwork = waitingByNetwork[network, default: 0]
        if ofNetwork >= limits.waitingPerNetwork { throw .keyIsFull }
        var replaced: FairSemaphore.Waiter?
        if waiters.count >= limits.waiting {
            replaced = removeOne(for: waiter.requester)
            if replaced == nil { throw .full }
        }
        try waiters.enqueue(waiter, for: key, isAhead: waiter.isAhead)
        waitingByNetwork[network, default: 0] += 1
        return replaced
    }

    /// Removes and returns the waiters that may work now, and counts their permits as held.
    mutating func nextWaiters() -> [FairSemaphore.Waiter] {
        var next: [FairSemaphore.Waiter] = []
        while heldCount < limits.permits, !waiters.isEmpty, let waiter = dequeue() {
            waitingByNetwork.subtractOne(waiter.requester.networkShare)
            beginTurn(of: waiter.requester)
            next.append(waiter)
        }
        return next
    }

    /// Removes and returns the waiter that has used permits for the shortest time, or whose last turn is the longest ago. Its last turn is
    /// the later one of its account's and its network's. If only the account's turn counted, many accounts of one network would get a turn
    /// each. If only the network's turn counted, one account on many networks would get a turn for each network. Turns from before the task
    /// began to wait count too, so an occasional requester does not wait for all those that always have tasks waiting.
    private mutating func dequeue() -> FairSemaphore.Waiter? {
        let mayRun: (Requester.Share, FairSemaphore.Waiter) -> Bool = { [held] _, waiter in held.hasPermit(for: waiter.requester) }
        if let usage {
            let rank: (FairSemaphore.Waiter) -> UInt64 = { waiter in
                usage.rank(of: waiter.requester.share, in: waiter.requester.networkShare)
            }
            return waiters.dequeue(whereNext: mayRun, rank: rank)?.element
        }
        let oldest = max(turnCount, Self.rememberedTurns) - Self.rememberedTurns
        let rank: (FairSemaphore.Waiter) -> UInt64 = { [lastTurns] waiter in
            let last = max(lastTurns[waiter.requester.share] ?? 0, lastTurns[waiter.requester.networkShare] ?? 0)
            return max(last, oldest) - oldest
        }
        return waiters.dequeue(whereNext: mayRun, rank: rank)?.element
    }

    mutating func removeWaiter(_ ticket: UInt64) -> FairSemaphore.Waiter? {
        guard let waiter = waiters.remove(where: { $0.ticket == ticket }) else { return nil }
        waitingByNetwork.subtractOne(waiter.requester.networkShare)
        return waiter
    }

    /// Makes room for a task of this requester.
    /// - Returns: the waiter that was removed; `nil` when no network has at least two waiters more than the requester's network, and no
    ///   account of this network has at least two waiters more than the requester's account.
    private mutating func removeOne(for requester: Requester) -> FairSemaphore.Waiter? {
        let network = requester.networkShare
        if let fullest = waitingByNetwork.max(by: { $0.value < $1.value }), fullest.value >= waitingByNetwork[network, default: 0] + 2 {
            return removeWaiter(newest(of: fullest.key).ticket)
        }
        let own = newest(of: network)
        return own.count >= waiters.count(of: requester.share) + 2 ? removeWaiter(own.ticket) : nil
    }

    /// The newest waiter of the account with the most waiters, among the waiters of a network.
    /// - Returns: the account's number of waiters, and the waiter's ticket; zeros if no waiter is of this network.
    private func newest(of network: Requester.Share) -> (count: Int, ticket: UInt64) {
        var most: (count: Int, ticket: UInt64) = (0, 0)
        waiters.forEach { waiter in
            guard waiter.requester.networkShare == network else { return }
            let count = waiters.count(of: waiter.requester.share)
            if (count, waiter.ticket) > (most.count, most.ticket) { most = (count, waiter.ticket) }
        }
        return most
    }
}

/// The permits that are held, and by whom.
private struct HeldPermits {
    let limits: FairSemaphore.Limits
    private(set) var count = 0
    private var byKey: [Requester.Share: Int] = [:]
    private var byNetwork: [Requester.Share: Int] = [:]
    /// The number of permits by site; empty when there is no reserve.
    private var bySite: [Network: Int] = [:]

    init(limits: FairSemaphore.Limits) { self.limits = limits }

    func hasPermit(for requester: Requester) -> Bool {
        count < limits.permits - (isSmall(requester) ? 0 : limits.reserve)
            && byKey[requester.share, default: 0] < limits.permitsPerKey
            && byNetwork[requester.networkShare, default: 0] < limits.permitsPerNetwork
    }

    mutating func add(_ requester: Requester) {
        count += 1
        byKey[requester.share, default: 0] += 1
        byNetwork[requester.networkShare, default: 0] += 1
        if limits.reserve > 0, let site = requester.site { bySite[site, default: 0] += 1 }
    }

    mutating func remove(_ requester: Requester) {
        count -= 1
        byKey.subtractOne(requester.share)
        byNetwork.subtractOne(requester.networkShare)
        if limits.reserve > 0, let site = requester.site { bySite.subtractOne(site) }
    }

    /// Requesters without a network cannot be told apart, so the reserve is not for them.
    private func isSmall(_ requester: Requester) -> Bool {
        guard limits.reserve > 0, let site = requester.site else { return false }
        return bySite[site, default: 0] < limits.small
    }
}

extension Requester {
    /// The site of an IPv6 network; otherwise the network itself.
    fileprivate var site: Network? { network.map { $0.site ?? $0 } }
}

extension Dictionary where Value == Int {
    /// Removes an entry at zero, because otherwise the table would keep one for every requester that ever came.
    fileprivate mutating func subtractOne(_ key: Key) {
        let left = self[key, default: 1] - 1
        self[key] = left > 0 ? left : nil
    }
}
