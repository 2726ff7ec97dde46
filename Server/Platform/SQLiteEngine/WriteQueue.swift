internal import Core
internal import Database

/// One caller of `write`, as the queue and the drain see it.
protocol WriteJob: AnyObject, Sendable {
    /// Guarded by the queue's lock.
    var stage: WriteStage { get set }
    /// Runs the closure, keeps what came of it and throws what it threw. Only on the writer's thread; a second run replaces the first.
    func run(_ engine: SQLiteTransaction) throws
    /// Of the last run, once it has ended well: posted after the commit.
    var wakes: Set<Wake> { get }
    /// Tells the caller what was kept, or `error` instead. Once.
    func finish(_ error: (any Error)?)
}

enum WriteStage: Sendable {
    case new, waiting, started, cancelled
}

/// Who waits for the writer. Requesters take turns; the writes of one start in the order they came. Pure: `GroupCommit` holds it under its
/// lock.
struct WriteQueue {
    enum Entry: Equatable {
        /// Taken in; `startDrain` when nobody drains yet and the caller must.
        case waiting(startDrain: Bool)
        case cancelled
        case overflow
    }

    /// How many may wait. The next is refused: a queue that long is seconds of work, and its callers have given up.
    let capacity: Int
    private(set) var isDraining = false
    private var waiting: FairQueue<Requester.Share, Place>
    /// The number of the last to come in.
    private(set) var youngest = 0

    private struct Place {
        let number: Int
        let job: any WriteJob
    }

    init(capacity: Int) {
        self.capacity = capacity
        // How many writes one requester may have is bounded by their requests.
        waiting = FairQueue(limit: capacity, limitPerKey: capacity)
    }

    var count: Int { waiting.count }

    /// - Parameter share: whose turn it is when the job starts.
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

    /// The one whose turn it is; it has now started and can no longer be cancelled.
    mutating func next() -> (any WriteJob)? {
        guard let place = waiting.dequeue()?.element else { return nil }
        place.job.stage = .started
        return place.job
    }

    /// Everyone who came no later than number `last`.
    mutating func takeAll(through last: Int) -> [any WriteJob] {
        var taken: [any WriteJob] = []
        while let place = waiting.remove(where: { $0.number <= last }) {
            place.job.stage = .started
            taken.append(place.job)
        }
        return taken
    }

    /// - Returns: whether the job waited and its caller is now to be told. One that has started runs to its end.
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

    /// After a batch: whether there is more to do. When not, the next to enter starts the drain anew.
    mutating func continueDraining() -> Bool {
        isDraining = count > 0
        return isDraining
    }
}
