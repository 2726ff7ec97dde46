internal import Core

/// For how long accounts and networks have used the threads, and what the threads run now. Times are in nanoseconds of one clock, uses in
/// microseconds.
struct ThreadUse: Sendable {
    struct Run: Sendable {
        let requester: Requester
        let begin: UInt64
        /// Whether the requester holds a turn for which others wait.
        let holdsTurn: Bool
    }

    /// A shorter run counts as no use while few jobs wait. Most runs are shorter, and so need no accounting.
    static let shortTime: UInt64 = 1_000_000
    /// A thread that runs one job for this long counts as taken.
    static let longTime: UInt64 = 20_000_000

    /// What each thread runs.
    private var running: [Run?]
    /// How long each account has used the threads. The head start is as long as a few short runs.
    private var accounts = UsageOrder<Requester.Share>(headStart: 5_000)
    /// How long each network, with all of its accounts, has used the threads.
    private var networks = UsageOrder<Requester.Share>(headStart: 5_000)
    /// Whether no run has counted as use so far.
    private(set) var isEmpty = true

    init(threads: Int) { running = Array(repeating: nil, count: threads) }

    var threadCount: Int { running.count }

    var isIdle: Bool { running.allSatisfy { $0 == nil } }

    mutating func begin(_ requester: Requester, on thread: Int, at now: UInt64, holdsTurn: Bool = false) {
        running[thread] = Run(requester: requester, begin: now, holdsTurn: holdsTurn)
    }

    /// - Parameter isCrowded: whether a short run counts, too.
    /// - Returns: whose run has ended; `nil` when the thread ran nothing.
    mutating func end(on thread: Int, at now: UInt64, isCrowded: Bool) -> Requester? {
        guard let run = running[thread] else { return nil }
        running[thread] = nil
        let time = now.elapsed(since: run.begin)
        guard time >= Self.shortTime || isCrowded else { return run.requester }
        accounts.used(time / 1_000, by: run.requester.share)
        networks.used(time / 1_000, by: run.requester.networkShare)
        isEmpty = false
        return run.requester
    }

    mutating func reset() {
        accounts.reset()
        networks.reset()
        isEmpty = true
    }

    /// The number of threads that run the server's own jobs, however short these are.
    var serverCount: Int { running.count(where: { $0?.requester == Requester.server }) }

    /// The number of threads that run jobs of requesters that hold a turn.
    var holderCount: Int { running.count(where: { $0?.holdsTurn == true }) }

    /// The number of threads that count as taken, run the server's own jobs, or run jobs of requesters that hold a turn.
    func busyCount(at now: UInt64) -> Int {
        running.count { run in
            guard let run else { return false }
            return run.holdsTurn || run.requester == .server || now.elapsed(since: run.begin) >= Self.longTime
        }
    }

    /// The number of threads that count as taken, without those that run the server's own jobs.
    func takenCount(at now: UInt64) -> Int {
        running.reduce(0) { count, run in
            guard let run, run.requester != .server, now.elapsed(since: run.begin) >= Self.longTime else { return count }
            return count + 1
        }
    }

    /// - Parameter now: `nil` leaves out the time of the runs that have not ended.
    func ranks(at now: UInt64?) -> JobRanks { JobRanks(accounts: accounts, networks: networks, running: running, now: now) }
}

/// The order of waiting jobs at one moment, in microseconds.
///
/// A start is that of `UsageOrder`, plus the time of the runs that have not ended. Starts only grow: when a run ends, at least its time so
/// far is added to the use. So a start that was computed earlier is never too high, and a heap of starts has to correct only those that
/// come to its top.
struct JobRanks: Sendable {
    let accounts: UsageOrder<Requester.Share>
    let networks: UsageOrder<Requester.Share>
    let running: [ThreadUse.Run?]
    let now: UInt64?

    func isRunning(_ requester: Requester) -> Bool { running.contains { $0?.requester == requester } }

    /// Whether any account of the network runs.
    func isRunning(network share: Requester.Share) -> Bool { running.contains { $0?.requester.networkShare == share } }

    /// The mark in `accounts` at which the account's next use begins.
    /// - Parameter earlier: an earlier result of this function; `nil` for a job that begins to wait now.
    func start(of requester: Requester, notBefore earlier: UInt64?) -> UInt64 {
        let time = self.time { $0.share == requester.share }
        return Self.start(of: requester.share, in: accounts, after: time, notBefore: earlier)
    }

    /// The mark in `networks` at which the next use by the network, with all of its accounts, begins.
    func start(ofNetwork share: Requester.Share, notBefore earlier: UInt64?) -> UInt64 {
        let time = self.time { $0.networkShare == share }
        return Self.start(of: share, in: networks, after: time, notBefore: earlier)
    }

    /// The higher of the account's and the network's use, with what they run now.
    func rank(of requester: Requester) -> UInt64 {
        max(
            accounts.rank(ofStart: start(of: requester, notBefore: nil)),
            networks.rank(ofStart: start(ofNetwork: requester.networkShare, notBefore: nil)))
    }

    /// For how long threads have been running jobs of these requesters, without short runs.
    private func time(of matches: (Requester) -> Bool) -> UInt64 {
        guard let now else { return 0 }
        var sum: UInt64 = 0
        for case let run? in running {
            let time = now.elapsed(since: run.begin)
            if time >= ThreadUse.shortTime, matches(run.requester) { sum += time / 1_000 }
        }
        return sum
    }

    private static func start(
        of share: Requester.Share, in order: UsageOrder<Requester.Share>, after time: UInt64, notBefore earlier: UInt64?
    ) -> UInt64 {
        guard time > 0 else { return order.start(of: share, notBefore: earlier ?? order.earliest) }
        return max(earlier ?? 0, order.start(of: share, notBefore: order.earliest) + time)
    }
}
