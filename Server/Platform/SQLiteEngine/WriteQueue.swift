internal import Core
internal import Database

/// One call of `write`, as the queue and the drain see it.
protocol WriteJob: AnyObject, Sendable {
    /// Guarded by the queue's lock.
    var stage: WriteStage { get set }
    /// Runs the closure, keeps its outcome, and rethrows its error. Only on the writer's thread; a second run replaces the first.
    func run(_ engine: SQLiteTransaction) throws
    /// The wakes of the last successful run, posted after the commit.
    var wakes: Set<Wake> { get }
    /// Resumes the caller with the kept outcome, or with `error` instead. Call it once.
    func finish(_ error: (any Error)?)
}

enum WriteStage: Sendable {
    case new, waiting, started, cancelled
}

/// The queue of jobs that wait for the writer. Requesters take turns; the jobs of one requester start in order. A pure value that
/// `GroupCommit` guards with its lock.
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
    private var waiting: FairQueue<Requester.Share, Place>
    /// The number of the newest job.
    private(set) var youngest = 0

    private struct Place {
        let number: Int
        let job: any WriteJob
    }

    init(capacity: Int) {
        self.capacity = capacity
        // The limits on requests already bound how many writes one requester has.
        waiting = FairQueue(limit: capacity, limitPerKey: capacity)
    }

    var count: Int { waiting.count }

    /// - Parameter share: the requester whose turn the job takes.
    mutating func enter(_ job: any WriteJob, share: Requester.Share) -> Entry {
        guard job.stage == .new else { return .cancelled }
        do throws(FairQueueRefusal) {
            try waiting.enqueue(Place(number: youngest + 1, job: job), for: share)
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
        guard let place = waiting.dequeue()?.element else { return nil }
        place.job.stage = .started
        return place.job
    }

    /// Removes and returns all jobs up to number `last`.
    mutating func takeAll(through last: Int) -> [any WriteJob] {
        var taken: [any WriteJob] = []
        while let place = waiting.remove(where: { $0.number <= last }) {
            place.job.stage = .started
            taken.append(place.job)
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
        return isDraining
    }
}
