internal import Core
internal import DequeModule

/// The jobs that wait for one of a fixed number of threads, and what the threads do. Without load, jobs run in the order in which they
/// came. If jobs take a long time, or many wait, accounts and networks that have used the threads for a shorter time go first, and those
/// that have used them for a long time get at most half of the threads. So a short job does not wait for the end of several long ones. The
/// server's own jobs leave one thread to the jobs of requests. `DatabaseThreads` guards this value with its lock. All times are in
/// nanoseconds of one clock.
///
/// A job is held back only while another job runs. When that job ends, its thread chooses the next job.
struct ThreadTurns<Job: Sendable>: Sendable {
    /// With this many jobs waiting, every run counts: a thousand short ones delay others as much as a long one.
    static var crowd: Int { 32 }
    /// An account or network that has used the threads for this much longer than others, in microseconds, gets at most half of them.
    static var heavyUse: UInt64 { 50_000 }

    /// The jobs that came first, in their order, while there was no load: at most `crowd`. They need no heaps.
    private var first: Deque<WaitingJob<Job>> = []
    /// The other jobs, which came after those in `first`.
    private var ranked = RankedJobs<Job>()
    /// The jobs of requesters that hold a scarce turn, such as a permit of `FairWork` (`HeldTurns`), in their order. They go before all
    /// other jobs (`nextHolder`), because other requests wait for these turns. Their number is limited, as is that of these turns.
    private var holders: Deque<WaitingJob<Job>> = []
    private var use: ThreadUse
    private var newest = 0

    init(threads: Int) { use = ThreadUse(threads: threads) }

    /// The number of jobs that wait.
    var count: Int { first.count + ranked.count + holders.count }

    /// How many entries were compared so far to choose jobs; for tests.
    var lookCount: Int { ranked.lookCount }

    /// - Parameter holdsTurn: whether the requester holds a turn for which others wait. Such a job does not wait behind the other jobs: if
    ///   its account has long jobs there, everybody who needs the turn would wait for these, too.
    mutating func enter(_ job: Job, for requester: Requester, holdsTurn: Bool = false) {
        newest += 1
        let job = WaitingJob(number: newest, job: job, requester: requester)
        if holdsTurn, requester != .server {
            holders.append(job)
        } else if use.isEmpty, ranked.count == 0, first.count < Self.crowd {
            first.append(job)
        } else {
            let ranks = use.ranks(at: nil)
            rankFirst(ranks)
            ranked.enter(job, ranks)
        }
    }

    /// Call it when a thread's job has run, or is suspended.
    mutating func end(on thread: Int, at now: UInt64) {
        guard let requester = use.end(on: thread, at: now, isCrowded: count >= Self.crowd) else { return }
        if ranked.count > 0 { ranked.ended(requester, use.ranks(at: nil)) }
        // No job waits or runs, so nobody is delayed by what was used: forget it.
        if !use.isEmpty, count == 0, use.isIdle { use.reset() }
    }

    /// Removes and returns the job that the thread runs next; `nil` when none may begin now.
    mutating func next(on thread: Int, at now: UInt64) -> Job? {
        guard count > 0 else { return nil }
        let holder = nextHolder(at: now)
        guard let job = holder ?? next(at: now) else { return nil }
        use.begin(job.requester, on: thread, at: now, holdsTurn: holder != nil)
        return job.job
    }

    /// If jobs that hold a turn run on half of the threads, or if only one thread is not busy, the next such job must belong to an account
    /// and a network that have not used the threads for long. Jobs that hold a turn count as use of the threads, as all others do.
    private mutating func nextHolder(at now: UInt64) -> WaitingJob<Job>? {
        guard !holders.isEmpty else { return nil }
        let leavesHalf = use.holderCount >= max(1, use.threadCount / 2)
        let leavesOne = use.busyCount(at: now) >= max(1, use.threadCount - 1)
        guard leavesHalf || leavesOne else { return holders.popFirst() }
        let ranks = use.ranks(at: now)
        guard let index = holders.firstIndex(where: { ranks.rank(of: $0.requester) < Self.heavyUse }) else { return nil }
        return holders.remove(at: index)
    }

    private mutating func next(at now: UInt64) -> WaitingJob<Job>? {
        let (takenCount, serverCount) = (use.takenCount(at: now), use.serverCount)
        let holdsServer = serverCount >= mostOfServer(beside: takenCount)
        let isCalm = use.isEmpty && takenCount == 0
        if isCalm, !holdsServer, let job = first.popFirst() { return job }
        // While nothing was used, the ranks of all are 0, and jobs leave in their order.
        let ranks = use.ranks(at: isCalm ? nil : now)
        rankFirst(ranks)
        let leavesHalf = takenCount * 2 >= use.threadCount
        let leavesOne = takenCount + serverCount >= max(1, use.threadCount - 1)
        return ranked.next(ranks, below: leavesHalf || leavesOne ? Self.heavyUse : nil, holdsServer: holdsServer)
    }

    /// How many threads may run the server's own jobs: all but one, or fewer beside long jobs of others, but at least half. Some requests
    /// wait for such jobs.
    private func mostOfServer(beside takenCount: Int) -> Int { max(1, use.threadCount / 2, use.threadCount - 1 - takenCount) }

    private mutating func rankFirst(_ ranks: JobRanks) {
        while let job = first.popFirst() { ranked.enter(job, ranks) }
    }
}
