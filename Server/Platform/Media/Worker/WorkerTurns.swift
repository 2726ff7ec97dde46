internal import Core

/// Decides which job is next. A value that the queue guards with its lock.
///
/// Inspections of uploads go first. Networks take turns, and so do the accounts of one network, so many accounts of one network get no more
/// turns than one account. Three rules prevent starvation. After `inspectionsInARow` inspections, one of the other jobs has a turn. An
/// account or network that occupies all workers but one gets the last one only for a short job, and only when no other job may run. Long jobs
/// that no upload waits for leave one worker free in all, whoever requests them.
struct WorkerTurns<Job> {
    enum Class: Sendable {
        /// An upload waits for the result.
        case inspection
        /// A smaller copy, or speech, which can be requested again.
        case later
    }

    struct Limits: Sendable {
        /// Maximum number of waiting jobs of each class.
        var waiting: Int
        /// Maximum number of waiting jobs of one account (or of one network, before sign-in).
        var perRequester: Int
        /// Maximum number of waiting jobs of one network, across its accounts.
        var perNetwork: Int
        /// Number of threads that take jobs.
        var workers: Int
        var inspectionsInARow = 4
    }

    struct Entry {
        let id: UInt64
        let requester: Requester
        /// Whether the job may take many seconds, as audio, film and AVIF do.
        let isLong: Bool
        let job: Job

        var key: Requester.Share { requester.share }
        /// The network, which takes turns before its accounts do.
        var network: Requester.Share { requester.networkShare }
        /// The account and the network that the job's worker counts for.
        var keys: Set<Requester.Share> { [key, network] }
    }

    private let limits: Limits
    private var inspections: FairQueue<Requester.Share, Entry>
    private var later: FairQueue<Requester.Share, Entry>
    /// Networks with waiting jobs: how many, and the number of their last turn (for a new network, of the last turn of all).
    private var networks: [Requester.Share: (waiting: Int, turn: UInt64)] = [:]
    private var lastTurn: UInt64 = 0
    /// Number of running jobs by account and by network.
    private var running: [Requester.Share: Int] = [:]
    /// The running long jobs that no upload waits for.
    private var longLater: Set<UInt64> = []
    private var inspectionsInARow = 0

    init(_ limits: Limits) {
        self.limits = limits
        inspections = FairQueue(limit: limits.waiting, limitPerKey: limits.waiting)
        later = FairQueue(limit: limits.waiting, limitPerKey: limits.waiting)
    }

    var count: Int { inspections.count + later.count }

    mutating func enqueue(_ entry: Entry, _ jobClass: Class) throws(FairQueueRefusal) {
        let ofKey = jobClass == .inspection ? inspections.count(of: entry.key) : later.count(of: entry.key)
        // The limits do not apply to the server's own jobs.
        guard entry.requester == .server || ofKey < limits.perRequester else { throw .keyIsFull }
        guard entry.requester == .server || networks[entry.network]?.waiting ?? 0 < limits.perNetwork else { throw .keyIsFull }
        switch jobClass {
        case .inspection: try inspections.enqueue(entry, for: entry.key)
        case .later: try later.enqueue(entry, for: entry.key)
        }
        networks[entry.network, default: (0, lastTurn)].waiting += 1
    }

    /// Removes and returns the next job. Call `finished` when it is done.
    /// - Returns: `nil` when nothing may run now.
    mutating func next() -> Entry? {
        // First jobs of accounts and networks that leave a worker to others; then any short job.
        let leavesOne: (Requester.Share, Entry) -> Bool = { [share = share, running = running] _, entry in
            entry.keys.allSatisfy { running[$0, default: 0] < share }
        }
        guard let entry = take(leavesOne) ?? take({ _, entry in !entry.isLong }) else { return nil }
        lastTurn += 1
        networks[entry.network]?.turn = lastTurn
        left(entry)
        for key in entry.keys { running[key, default: 0] += 1 }
        return entry
    }

    mutating func finished(_ entry: Entry) {
        longLater.remove(entry.id)
        for key in entry.keys {
            let count = running[key, default: 1] - 1
            running[key] = count > 0 ? count : nil
        }
    }

    /// - Returns: the job, if it is still waiting.
    mutating func withdraw(_ id: UInt64) -> Entry? {
        guard let entry = inspections.remove(where: { $0.id == id }) ?? later.remove(where: { $0.id == id }) else { return nil }
        left(entry)
        return entry
    }

    mutating func removeAll() -> [Entry] {
        networks = [:]
        return inspections.removeAll() + later.removeAll()
    }

    /// Maximum number of workers that one account or network may occupy while others wait.
    private var share: Int { max(1, limits.workers - 1) }

    private mutating func take(_ mayRun: (Requester.Share, Entry) -> Bool) -> Entry? {
        let rank: (Entry) -> UInt64 = { [networks = networks] in networks[$0.network]?.turn ?? 0 }
        if inspectionsInARow >= limits.inspectionsInARow, let entry = takeLater(mayRun, rank) {
            inspectionsInARow = 0
            return entry
        }
        if let entry = inspections.dequeue(whereNext: mayRun, rank: rank) {
            inspectionsInARow += 1
            return entry.element
        }
        guard let entry = takeLater(mayRun, rank) else { return nil }
        inspectionsInARow = 0
        return entry
    }

    private mutating func takeLater(_ mayRun: (Requester.Share, Entry) -> Bool, _ rank: (Entry) -> UInt64) -> Entry? {
        let mayRunLong = longLater.count < share
        let next = later.dequeue(whereNext: { key, entry in mayRun(key, entry) && (mayRunLong || !entry.isLong) }, rank: rank)
        guard let entry = next?.element else { return nil }
        if entry.isLong { longLater.insert(entry.id) }
        return entry
    }

    private mutating func left(_ entry: Entry) {
        guard let count = networks[entry.network]?.waiting else { return }
        if count > 1 { networks[entry.network]?.waiting = count - 1 } else { networks[entry.network] = nil }
    }
}
