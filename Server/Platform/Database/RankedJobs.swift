internal import Core
internal import DequeModule
internal import HeapModule

struct WaitingJob<Job: Sendable>: Sendable {
    /// Jobs that came later have higher numbers.
    let number: Int
    let job: Job
    let requester: Requester
}

/// Waiting jobs, of which the one with the lowest rank leaves first: the higher of its account's and its network's rank. Of one requester,
/// jobs leave in order.
///
/// Thousands may wait, and event loops wait for the lock under which the next one is chosen. So a choice looks only at the tops of heaps: of
/// networks, and of the accounts of one network. The heaps hold starts, which only grow (`JobRanks`), and correct those that come to the top.
/// On average that is a few a choice: one for each use of a thread and network on which the account waits, and those of what runs. Once in a
/// round of all that wait, a choice makes the corrections of many.
///
/// Accounts and networks are in different orders, so that their starts cannot be compared, only the ranks of a moment. A network is in one of
/// two heaps: by its own start, or, when each of its accounts has a higher rank than itself, by the lowest start of these accounts.
struct RankedJobs<Job: Sendable>: Sendable {
    private var networks: [Requester.Share: NetworkJobs<Job>] = [:]
    private var byNetwork = Heap<Entry<Turn>>()
    private var byAccount = Heap<Entry<Turn>>()
    private var newestTurn = 0
    private(set) var count = 0
    /// How many entries choices have looked at. A test limits it.
    private(set) var lookCount = 0

    /// The heaps may have this many entries that are no longer valid, and as many as there are networks.
    private static var mostInvalid: Int { 64 }

    mutating func enter(_ job: WaitingJob<Job>, _ ranks: JobRanks) {
        let share = job.requester.networkShare
        count += 1
        let isFirst = networks[share, default: NetworkJobs()].enter(job, ranks)
        // The account's rank may be lower than those of all others. The network's is not higher than before, so that its heap will do.
        if isFirst, networks[share]?.isByAccount == true { enterByNetwork(share, ranks) }
    }

    /// Removes and returns the job with the lowest rank.
    /// - Parameter limit: jobs of this rank or a higher one stay, except for the server's.
    mutating func next(_ ranks: JobRanks, below limit: UInt64?) -> WaitingJob<Job>? {
        guard let (share, rank) = lowest(ranks) else { return nil }
        if let limit, rank >= limit { return take(from: .server, ranks) }
        return take(from: share, ranks)
    }

    private mutating func take(from share: Requester.Share, _ ranks: JobRanks) -> WaitingJob<Job>? {
        guard let job = networks[share]?.takeFirst(ranks, &lookCount) else { return nil }
        count -= 1
        if networks[share]?.isEmpty ?? true {
            networks[share] = nil
        } else {
            enterByNetwork(share, ranks)
        }
        if networks.isEmpty { (byNetwork, byAccount) = (Heap(), Heap()) }
        return job
    }

    private mutating func lowest(_ ranks: JobRanks) -> (network: Requester.Share, rank: UInt64)? {
        while true {
            while let turn = byNetwork.min, !isValid(turn) { _ = byNetwork.popMin() }
            while let turn = byAccount.min, !isValid(turn) { _ = byAccount.popMin() }
            let isByAccount = comesFirst(byAccount.min, byNetwork.min, ranks)
            guard let turn = isByAccount ? byAccount.min : byNetwork.min else { return nil }
            let share = turn.key.network
            guard let first = networks[share]?.least(ranks, &lookCount) else { return nil }
            let start = ranks.start(ofNetwork: share, notBefore: isByAccount ? nil : turn.start)
            let accountRank = ranks.accounts.rank(ofStart: first.start)
            let networkRank = ranks.networks.rank(ofStart: start)
            let isHeldByAccount = accountRank > networkRank
            let found = isHeldByAccount ? first.start : start
            if isHeldByAccount == isByAccount, found == turn.start, first.number == turn.number {
                return (share, max(accountRank, networkRank))
            }
            // Each network gets here once at most: now its entry is right.
            enter(share, byAccount: isHeldByAccount, start: found, number: first.number)
        }
    }

    /// Whether the first network of `byAccount` comes before the first one of `byNetwork`.
    private func comesFirst(_ account: Entry<Turn>?, _ network: Entry<Turn>?, _ ranks: JobRanks) -> Bool {
        guard let account else { return false }
        guard let network else { return true }
        let accountRank = ranks.accounts.rank(ofStart: account.start)
        let networkRank = ranks.networks.rank(ofStart: network.start)
        return (accountRank, account.number) < (networkRank, network.number)
    }

    private mutating func enterByNetwork(_ share: Requester.Share, _ ranks: JobRanks) {
        let number = networks[share]?.order.min?.number ?? 0
        enter(share, byAccount: false, start: ranks.start(ofNetwork: share, notBefore: nil), number: number)
    }

    /// Gives the network a place, which replaces its last one.
    private mutating func enter(_ share: Requester.Share, byAccount isByAccount: Bool, start: UInt64, number: Int) {
        newestTurn += 1
        networks[share]?.turn = newestTurn
        networks[share]?.isByAccount = isByAccount
        let entry = Entry(start: start, number: number, key: Turn(network: share, number: newestTurn))
        if isByAccount { byAccount.insert(entry) } else { byNetwork.insert(entry) }
        guard byNetwork.count + byAccount.count > 2 * networks.count + Self.mostInvalid else { return }
        byNetwork = Heap(byNetwork.unordered.filter { isValid($0) })
        byAccount = Heap(byAccount.unordered.filter { isValid($0) })
    }

    private func isValid(_ entry: Entry<Turn>) -> Bool { networks[entry.key.network]?.turn == entry.key.number }
}

/// The place of a network in a heap.
private struct Turn: Sendable {
    let network: Requester.Share
    let number: Int
}

/// The waiting jobs of one network.
private struct NetworkJobs<Job: Sendable>: Sendable {
    private var jobs: [Requester: Deque<WaitingJob<Job>>] = [:]
    /// One entry for each requester. Its start may have grown.
    private(set) var order = Heap<Entry<Requester>>()
    /// The number of its `Turn`.
    var turn = 0
    /// Whether that turn is in the heap of accounts. True at first, so that the first job gives the network its place.
    var isByAccount = true

    var isEmpty: Bool { jobs.isEmpty }

    /// - Returns: whether no other job of the requester waits.
    mutating func enter(_ job: WaitingJob<Job>, _ ranks: JobRanks) -> Bool {
        jobs[job.requester, default: []].append(job)
        guard jobs[job.requester]?.count == 1 else { return false }
        order.insert(Entry(start: ranks.start(of: job.requester, notBefore: nil), number: job.number, key: job.requester))
        return true
    }

    /// The requester that has used the threads least.
    mutating func least(_ ranks: JobRanks, _ lookCount: inout Int) -> Entry<Requester>? {
        while let first = order.min {
            lookCount += 1
            let start = ranks.start(of: first.key, notBefore: first.start)
            guard start > first.start else { return first }
            order.replaceMin(with: Entry(start: start, number: first.number, key: first.key))
        }
        return nil
    }

    mutating func takeFirst(_ ranks: JobRanks, _ lookCount: inout Int) -> WaitingJob<Job>? {
        guard let first = least(ranks, &lookCount), let job = jobs[first.key]?.popFirst() else { return nil }
        if let next = jobs[first.key]?.first {
            let start = ranks.start(of: first.key, notBefore: nil)
            order.replaceMin(with: Entry(start: start, number: next.number, key: first.key))
        } else {
            jobs[first.key] = nil
            _ = order.popMin()
        }
        return job
    }
}

/// By start; of equal ones, those whose first job came earlier are first.
private struct Entry<Key: Sendable>: Comparable, Sendable {
    let start: UInt64
    let number: Int
    let key: Key

    static func == (left: Self, right: Self) -> Bool { (left.start, left.number) == (right.start, right.number) }
    static func < (left: Self, right: Self) -> Bool { (left.start, left.number) < (right.start, right.number) }
}
