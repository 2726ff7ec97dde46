internal import Core
internal import Database

/// One call of `write`, as the queue and the drain see it.
protocol WriteJob: AnyObject, Sendable {
    /// Whose turn the job takes: the account's, or without an account the network's or the server's.
    var share: Requester.Share { get }
    /// Its network, whose turn the job takes too.
    var networkShare: Requester.Share { get }
    /// Whether its caller holds a turn for which others wait (`HeldTurns`).
    var holdsTurn: Bool { get }
    /// Guarded by the queue's lock.
    var stage: WriteStage { get set }
    /// Runs the closure, keeps its outcome, and rethrows its error. Call it only on the writer's thread. A second run replaces the outcome
    /// of the first.
    func run(_ engine: SQLiteTransaction) throws
    /// The wakes of the last successful run, posted after the commit.
    var wakes: Set<Wake> { get }
    /// Resumes the caller with the kept outcome, or with `error` instead. Call it once.
    func finish(_ error: (any Error)?)
}

enum WriteStage: Sendable {
    case new, waiting, started, cancelled
}

/// The queue of jobs that wait for the writer. Networks and requesters that have used the writer for a shorter time go first: many accounts
/// of one network get no more of the writer's time than one account, and an account on many networks gets no more than an account on one.
/// The jobs of one requester start in order, with one exception: a job whose caller holds a scarce turn goes before the others, at most
/// every second time (`FairQueue`). Otherwise everybody who needs the turn would wait for all other writes of its account.
///
/// `GroupCommit` guards this value with its lock.
struct WriteQueue {
    enum Entry: Equatable {
        /// The job was enqueued; `startDrain` is true when no drain is running and the caller must start one.
        case waiting(startDrain: Bool)
        case cancelled
        case overflow
    }

    /// Maximum number of waiting jobs. The next is refused: a queue that long takes seconds, and its callers have given up by then.
    let capacity: Int
    private(set) var isDraining = false
    private var waiting: FairQueue<Requester.Share, QueuedJob>
    /// The head start is as long as a batch may last.
    private var usage = RequesterUsage(headStart: 5_000)
    /// The requester that used the writer last, and when its job ended.
    private var last: (share: Requester.Share, at: ContinuousClock.Instant)?
    /// When the newest job of another requester ended.
    private var lastOfOthers: ContinuousClock.Instant?
    /// The number of the newest job.
    private(set) var youngest = 0

    /// The most time that counts as use for one job. A requester's next job then starts within seconds, even when very many requesters
    /// write.
    private static let mostTime = Duration.milliseconds(50)
    /// The most time that counts as use for one of the server's own jobs, such as captures and background work. They serve all accounts, so
    /// they may take more than the share of one.
    private static let mostTimeOfServer = Duration.milliseconds(5)
    /// How long after its last job a requester still counts as one that writes: its next job often follows the response to the last one.
    private static let recent = Duration.milliseconds(100)

    private struct QueuedJob {
        let number: Int
        let job: any WriteJob
    }

    init(capacity: Int) {
        self.capacity = capacity
        // The limits on requests already bound how many writes one requester has.
        waiting = FairQueue(limit: capacity, limitPerKey: capacity)
    }

    var count: Int { waiting.count }

    mutating func enter(_ job: any WriteJob) -> Entry {
        guard job.stage == .new else { return .cancelled }
        do throws(FairQueueRefusal) {
            try waiting.enqueue(QueuedJob(number: youngest + 1, job: job), for: job.share, isAhead: job.holdsTurn)
        } catch {
            return .overflow
        }
        job.stage = .waiting
        youngest += 1
        defer { isDraining = true }
        return .waiting(startDrain: !isDraining)
    }

    /// Removes and returns the next job. It counts as started and can no longer be cancelled.
    mutating func next() -> (any WriteJob)? {
        let rank: (QueuedJob) -> UInt64 = { [usage] queued in usage.rank(of: queued.job.share, in: queued.job.networkShare) }
        guard let queued = waiting.dequeue(whereNext: { _, _ in true }, rank: rank)?.element else { return nil }
        queued.job.stage = .started
        return queued.job
    }

    /// Call it when a job has run, before the next one is taken.
    mutating func ran(_ job: any WriteJob, for time: Duration, until now: ContinuousClock.Instant) {
        let most = job.share == .server ? Self.mostTimeOfServer : Self.mostTime
        usage.used(min(time, most), by: job.share, in: job.networkShare)
        if let last, last.share != job.share { lastOfOthers = last.at }
        last = (job.share, now)
    }

    /// Whether other requesters wait for the writer, or have used it just now.
    func hasOthers(than share: Requester.Share, now: ContinuousClock.Instant) -> Bool {
        if waiting.count > waiting.count(of: share) { return true }
        let other = last?.share == share ? lastOfOthers : last?.at
        return other.map { now - $0 < Self.recent } ?? false
    }

    /// Removes and returns all jobs up to number `last`.
    mutating func takeAll(through last: Int) -> [any WriteJob] {
        var taken: [any WriteJob] = []
        while let queued = waiting.remove(where: { $0.number <= last }) {
            queued.job.stage = .started
            taken.append(queued.job)
        }
        return taken
    }

    /// - Returns: whether the job was waiting, so that the caller must now resume it. A job that has started runs to its end.
    mutating func cancel(_ job: any WriteJob) -> Bool {
        switch job.stage {
        case .new:
            job.stage = .cancelled
            return false
        case .waiting:
            job.stage = .cancelled
            _ = waiting.remove { $0.job === job }
            return true
        case .started, .cancelled:
            return false
        }
    }

    /// Called after a batch. Returns whether more jobs wait. If not, the next job to enter starts a new drain.
    mutating func continueDraining() -> Bool {
        isDraining = count > 0
        if !isDraining { usage.reset() }
        return isDraining
    }
}
