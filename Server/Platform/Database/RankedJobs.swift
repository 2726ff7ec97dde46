internal import Core
internal import DequeModule
internal import HeapModule

struct WaitingJob<Job: Sendable>: Sendable {
    /// Jobs that came later have higher numbers.
    let number: Int
    let job: Job
    let requester: Requester
}

/// Waiting jobs. The job with the lowest rank leaves first; a job's rank is the higher one of its account's and its network's. Jobs of one
/// requester leave in the order in which they came.
///
/// Thousands may wait, and event loops wait for the lock under which the next one is chosen. So a choice looks only at the tops of heaps: of
/// networks, and of the accounts of one network. The heaps hold starts (`JobRanks`). Starts only grow, so a start in a heap may be too low;
/// it is corrected when it comes to the top. While a job of an account or a network runs, the account or network is in no heap: each choice
/// looks at these few directly, and they return to a heap when the job has ended and its use is known. So only an account that waits on
/// several networks needs corrections, one for each network.
///
/// Accounts and networks have separate `UsageOrder`s. So a start of an account cannot be compared with one of a network, but their ranks at
/// the same moment can. A network is in one of two heaps. `byNetwork` has the networks by their own start. `byAccount` has those networks
/// whose accounts all have a higher rank than the network, by the lowest start of these accounts.
struct RankedJobs<Job: Sendable>: Sendable {
    private var networks: [Requester.Share: NetworkJobs<Job>] = [:]
    private var byNetwork = Heap<Entry<Turn>>()
    private var byAccount = Heap<Entry<Turn>>()
    /// Networks that have both a running job and a waiting one.
    private var aside: [Requester.Share] = []
    private var newestTurn = 0
    private(set) var count = 0
    /// The number of entries that were looked at to choose jobs. A test limits it.
    private(set) var lookCount = 0

    /// The heaps may have two entries for each network and this many more. Above that, entries that are no longer valid are removed.
    private static var mostInvalid: Int { 64 }

    mutating func enter(_ job: WaitingJob<Job>, _ ranks: JobRanks) {
        let share = job.requester.networkShare
        count += 1
        guard networks[share, default: NetworkJobs()].enter(job, ranks), let place = networks[share]?.place else { return }
        switch place {
        case .nowhere, .byAccount:
            // The account's rank may be lower than that of the network's other accounts, so the network's place in `byAccount` may be
            // wrong.
            if ranks.isRunning(network: share) { setAside(share) } else { enterByNetwork(share, ranks) }
        case .byNetwork, .aside: break
        }
    }

    /// Removes and returns the job with the lowest rank. It must run next: call `ended` when it has run.
    /// - Parameters:
    ///   - limit: jobs of this rank or a higher one stay, except for the server's.
    ///   - holdsServer: whether the server's jobs stay. If so, one of them must be running, so that the others are in no heap.
    mutating func next(_ ranks: JobRanks, below limit: UInt64?, holdsServer: Bool = false) -> WaitingJob<Job>? {
        var lowest = lowestInHeaps(ranks)
        for share in aside where !holdsServer || share != .server {
            guard let first = networks[share]?.least(ranks, &lookCount) else { continue }
            let networkRank = ranks.networks.rank(ofStart: ranks.start(ofNetwork: share, notBefore: nil))
            let choice = Choice(network: share, rank: max(ranks.accounts.rank(ofStart: first.start), networkRank), number: first.number)
            if lowest.map({ choice < $0 }) ?? true { lowest = choice }
        }
        guard let found = lowest else { return nil }
        if let limit, found.rank >= limit { return holdsServer ? nil : take(from: .server, ranks) }
        return take(from: found.network, ranks)
    }

    /// Call it when a job of the requester has run, and its use was counted.
    mutating func ended(_ requester: Requester, _ ranks: JobRanks) {
        let share = requester.networkShare
        guard networks[share] != nil else { return }
        if !ranks.isRunning(requester) { networks[share]?.returnFromAside(requester, ranks) }
        guard networks[share]?.place == .aside, !ranks.isRunning(network: share) else { return }
        aside.removeAll { $0 == share }
        enterByNetwork(share, ranks)
    }

    private mutating func take(from share: Requester.Share, _ ranks: JobRanks) -> WaitingJob<Job>? {
        guard let job = networks[share]?.takeLeast(ranks, &lookCount) else { return nil }
        count -= 1
        if networks[share]?.isEmpty ?? true {
            networks[share] = nil
            aside.removeAll { $0 == share }
        } else {
            setAside(share)
        }
        if networks.isEmpty { (byNetwork, byAccount) = (Heap(), Heap()) }
        return job
    }

    private mutating func lowestInHeaps(_ ranks: JobRanks) -> Choice? {
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
                return Choice(network: share, rank: max(accountRank, networkRank), number: first.number)
            }
            // During one choice, each network gets here once at most, because its entry is right afterwards.
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

    private mutating func setAside(_ share: Requester.Share) {
        guard networks[share]?.place != .aside else { return }
        networks[share]?.place = .aside
        networks[share]?.turn = 0
        aside.append(share)
    }

    private mutating func enterByNetwork(_ share: Requester.Share, _ ranks: JobRanks) {
        let number = networks[share]?.order.min?.number ?? 0
        enter(share, byAccount: false, start: ranks.start(ofNetwork: share, notBefore: nil), number: number)
    }

    /// Gives the network a place in a heap, which replaces its last one.
    private mutating func enter(_ share: Requester.Share, byAccount isByAccount: Bool, start: UInt64, number: Int) {
        newestTurn += 1
        networks[share]?.turn = newestTurn
        networks[share]?.place = isByAccount ? .byAccount : .byNetwork
        let entry = Entry(start: start, number: number, key: Turn(network: share, number: newestTurn))
        if isByAccount { byAccount.insert(entry) } else { byNetwork.insert(entry) }
        guard byNetwork.count + byAccount.count > 2 * networks.count + Self.mostInvalid else { return }
        byNetwork = Heap(byNetwork.unordered.filter { isValid($0) })
        byAccount = Heap(byAccount.unordered.filter { isValid($0) })
    }

    private func isValid(_ entry: Entry<Turn>) -> Bool { networks[entry.key.network]?.turn == entry.key.number }
}

/// A network and its next job.
private struct Choice {
    let network: Requester.Share
    let rank: UInt64
    let number: Int

    static func < (left: Self, right: Self) -> Bool { (left.rank, left.number) < (right.rank, right.number) }
}

/// Where the network waits for its turn.
private enum Place: Sendable {
    case nowhere, byNetwork, byAccount, aside
}

/// The place of a network in a heap.
private struct Turn: Sendable {
    let network: Requester.Share
    let number: Int
}

/// The waiting jobs of one network.
private struct NetworkJobs<Job: Sendable>: Sendable {
    private var jobs: [Requester: Deque<WaitingJob<Job>>] = [:]
    /// One entry for each requester that is not in `aside`. The start in it may be too low.
    private(set) var order = Heap<Entry<Requester>>()
    /// Requesters that have both a running job and a waiting one.
    private var aside: [Requester] = []
    /// The number of the network's valid `Turn`; 0 for none.
    var turn = 0
    var place = Place.nowhere

    var isEmpty: Bool { jobs.isEmpty }

    /// - Returns: whether no other job of the requester waits.
    mutating func enter(_ job: WaitingJob<Job>, _ ranks: JobRanks) -> Bool {
        jobs[job.requester, default: []].append(job)
        guard jobs[job.requester]?.count == 1 else { return false }
        if ranks.isRunning(job.requester) { aside.append(job.requester) } else { enterOrder(job.requester, ranks) }
        return true
    }

    private mutating func enterOrder(_ requester: Requester, _ ranks: JobRanks) {
        guard let number = jobs[requester]?.first?.number else { return }
        order.insert(Entry(start: ranks.start(of: requester, notBefore: nil), number: number, key: requester))
    }

    mutating func returnFromAside(_ requester: Requester, _ ranks: JobRanks) {
        guard let index = aside.firstIndex(of: requester) else { return }
        aside.remove(at: index)
        enterOrder(requester, ranks)
    }

    /// The requester that has used the threads for the shortest time.
    mutating func least(_ ranks: JobRanks, _ lookCount: inout Int) -> Entry<Requester>? {
        while let top = order.min {
            lookCount += 1
            let start = ranks.start(of: top.key, notBefore: top.start)
            guard start > top.start else { break }
            order.replaceMin(with: Entry(start: start, number: top.number, key: top.key))
        }
        var least = order.min
        for requester in aside {
            lookCount += 1
            guard let number = jobs[requester]?.first?.number else { continue }
            let entry = Entry(start: ranks.start(of: requester, notBefore: nil), number: number, key: requester)
            if least.map({ entry < $0 }) ?? true { least = entry }
        }
        return least
    }

    /// Removes and returns the next job of the requester that `least` returns. If more of its jobs wait, the requester is in `aside` then.
    mutating func takeLeast(_ ranks: JobRanks, _ lookCount: inout Int) -> WaitingJob<Job>? {
        guard let requester = least(ranks, &lookCount)?.key, let job = jobs[requester]?.popFirst() else { return nil }
        let isLast = jobs[requester]?.isEmpty ?? true
        if isLast { jobs[requester] = nil }
        if let index = aside.firstIndex(of: requester) {
            if isLast { aside.remove(at: index) }
        } else {
            _ = order.popMin()
            if !isLast { aside.append(requester) }
        }
        return job
    }
}

/// Sorted by start. Of entries with equal starts, the one whose first job came earlier is first.
private struct Entry<Key: Sendable>: Comparable, Sendable {
    let start: UInt64
    let number: Int
    let key: Key

    static func == (left: Self, right: Self) -> Bool { (left.start, left.number) == (right.start, right.number) }
    static func < (left: Self, right: Self) -> Bool { (left.start, left.number) < (right.start, right.number) }
}
