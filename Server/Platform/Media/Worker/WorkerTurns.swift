internal import Core

/// Which job is next. A value, guarded by the queue.
///
/// Inspections of uploads go first. Networks take turns, and so do the accounts of one network: many accounts of one network have no more turns
/// than one. Two rules keep everybody moving: after `inspectionsInARow` inspections one of the
/// other jobs has a turn, and an account or network that occupies all workers but one gets the last one only for a picture, and only when nobody else waits.
struct WorkerTurns<Job> {
    enum Class: Sendable {
        /// Somebody's upload waits for it.
        case inspection
        /// A smaller copy, or speech: it can be asked for again.
        case later
    }

    struct Limits: Sendable {
        /// Jobs of each class that wait.
        var waiting: Int
        /// Of these, of one account or, before sign-in, of one network.
        var perRequester: Int
        /// Of these, of one network, whatever its accounts.
        var perNetwork: Int
        /// Threads that take jobs.
        var workers: Int
        var inspectionsInARow = 4
    }

    struct Entry {
        let id: UInt64
        let requester: Requester
        /// May take many seconds: sound and film, which another program decodes.
        let isLong: Bool
        let job: Job

        var key: Requester.Share { requester.share }
        /// Whose turn it is, before its accounts'.
        var network: Requester.Share { requester.networkShare }
        /// Whose workers it occupies.
        var keys: Set<Requester.Share> { [key, network] }
    }

    private let limits: Limits
    private var inspections: FairQueue<Requester.Share, Entry>
    private var later: FairQueue<Requester.Share, Entry>
    /// Networks with jobs that wait: how many, and the number of their last turn, or of the moment they came.
    private var networks: [Requester.Share: (waiting: Int, turn: UInt64)] = [:]
    private var lastTurn: UInt64 = 0
    /// By account and by network.
    private var running: [Requester.Share: Int] = [:]
    private var inspectionsInARow = 0

    init(_ limits: Limits) {
        self.limits = limits
        inspections = FairQueue(limit: limits.waiting, limitPerKey: limits.waiting)
        later = FairQueue(limit: limits.waiting, limitPerKey: limits.waiting)
    }

    var count: Int { inspections.count + later.count }

    mutating func enqueue(_ entry: Entry, _ jobClass: Class) throws(FairQueueRefusal) {
        let ofKey = jobClass == .inspection ? inspections.count(of: entry.key) : later.count(of: entry.key)
        // The server's own jobs are nobody's crowd.
        guard entry.requester == .server || ofKey < limits.perRequester else { throw .keyIsFull }
        guard entry.requester == .server || networks[entry.network]?.waiting ?? 0 < limits.perNetwork else { throw .keyIsFull }
        switch jobClass {
        case .inspection: try inspections.enqueue(entry, for: entry.key)
        case .later: try later.enqueue(entry, for: entry.key)
        }
        networks[entry.network, default: (0, lastTurn)].waiting += 1
    }

    /// Takes the job whose turn it is; `finished` is called when it is done.
    /// - Returns: `nil` when nothing may run now.
    mutating func next() -> Entry? {
        // First whoever leaves a worker to others; then anybody.
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
        for key in entry.keys {
            let count = running[key, default: 1] - 1
            running[key] = count > 0 ? count : nil
        }
    }

    /// - Returns: the job, when it still waits.
    mutating func withdraw(_ id: UInt64) -> Entry? {
        guard let entry = inspections.remove(where: { $0.id == id }) ?? later.remove(where: { $0.id == id }) else { return nil }
        left(entry)
        return entry
    }

    mutating func removeAll() -> [Entry] {
        networks = [:]
        return inspections.removeAll() + later.removeAll()
    }

    /// Workers that one key may occupy while others wait.
    private var share: Int { max(1, limits.workers - 1) }

    private mutating func take(_ mayRun: (Requester.Share, Entry) -> Bool) -> Entry? {
        let rank: (Entry) -> UInt64 = { [networks = networks] in networks[$0.network]?.turn ?? 0 }
        if inspectionsInARow >= limits.inspectionsInARow, let entry = later.dequeue(whereNext: mayRun, rank: rank) {
            inspectionsInARow = 0
            return entry.element
        }
        if let entry = inspections.dequeue(whereNext: mayRun, rank: rank) {
            inspectionsInARow += 1
            return entry.element
        }
        guard let entry = later.dequeue(whereNext: mayRun, rank: rank) else { return nil }
        inspectionsInARow = 0
        return entry.element
    }

    private mutating func left(_ entry: Entry) {
        guard let count = networks[entry.network]?.waiting else { return }
        if count > 1 { networks[entry.network]?.waiting = count - 1 } else { networks[entry.network] = nil }
    }
}
