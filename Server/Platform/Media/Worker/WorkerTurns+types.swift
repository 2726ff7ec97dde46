internal import Core

/// What the queue of the media workers holds, and its limits.
extension WorkerTurns {
    enum Class: Sendable {
        /// An upload waits for the result.
        case inspection
        /// A job whose result can be requested again, such as a smaller copy, a converted film, or sound for a transcription.
        case later
    }

    struct Limits: Sendable {
        /// Maximum number of waiting jobs of each class.
        var waiting: Int
        /// Maximum number of waiting jobs of one account (or of one network, before sign-in).
        var perRequester: Int
        /// Maximum number of waiting jobs of one network, across its accounts.
        var perNetwork: Int
        /// Number of threads that take jobs, without the reserve.
        var workers: Int
        /// Maximum number of waiting inspections that are long.
        var longInspections: Int { max(1, waiting / 4) }
        /// A quarter of `waiting` and of `longInspections` is reserved for networks with fewer waiting jobs than this.
        var few = 8
        var inspectionsInARow = 4
        /// A job goes before inspections of requesters that have used this many milliseconds more of the workers' time. A copy of a phone's
        /// photo takes about as long.
        var clearlyLess: UInt64 = 50
        /// A long job that has run for this many milliseconds may be stopped, see `shouldStop`. The value doubles with each stop.
        /// The server sets it from `MediaWorkerOptions.longSlice` (500).
        var longSlice: UInt64 = 1_000
        /// A long job may be stopped for a requester for whom the workers have done less long work lately than this, in milliseconds.
        var littleLongWork: UInt64 = 500
        /// A long job goes behind shorter ones by its expected time, but by at most this many milliseconds.
        var mostExpectedTime: UInt64 = 2_000
        /// This delay decreases by 1 ms for each 32 ms that the job waits, so that the job does not wait for ever.
        var expectedTimeAging: UInt64 = 32
        /// A network's long jobs go behind those of others by the time that its long jobs took lately, but by at most this many
        /// milliseconds.
        var mostRecentUse: UInt64 = 10_000
        /// This delay decreases by 1 ms for each 16 ms that pass.
        var recentUseAging: UInt64 = 16
        /// The part of the lost time that counts for the requester for whom a job was stopped: with 4, a quarter. If all of it counted,
        /// somebody with a short recording would afterwards wait for the long ones of all others.
        var debtDivisor: UInt64 = 4
        /// The reserve takes a job when all other workers have been busy for this many milliseconds.
        var reserveDelay: UInt64 = 100
        /// If the reserve stopped `reserveStops` jobs of a network within this many milliseconds, it takes no further jobs of this network
        /// until this time is over. So somebody who opens one large picture can still use the reserve.
        var reservePause: UInt64 = 60_000
        var reserveStops = 4
        /// If the oldest job of an account has to wait because too many long jobs run, too many large results exist, or its product is
        /// being made, one of this many jobs behind it may go first.
        var lookAhead = 128
        /// Maximum number of large results. Each has up to 32 MB.
        var largeResults = 4
        /// Maximum number of large results of one account or network.
        var largeResultsPerKey = 3
    }

    struct Entry {
        let id: UInt64
        let requester: Requester
        /// Whether the job may take many seconds, as long audio, film and AVIF do.
        let isLong: Bool
        let job: Job
        /// Whether the caller holds a turn for which others wait (`HeldTurns`).
        var holdsTurn = false
        /// Jobs with the same product do the same work on the same file; `nil` when no other job can use the result.
        var product: AnyHashable?
        /// Whether the result may be larger than `MediaResult.copiedByteCount`.
        var mayBeLarge = false
        /// Whether the job is short enough for the reserve, as far as is known.
        var mayUseReserve = false
        /// How often the job was stopped, see `shouldStop`.
        var stopCount = 0
        /// About how long the job takes, in milliseconds; 0 if that is unknown.
        var expectedTime: UInt64 = 0
        /// By the same clock as for `next`.
        var createdAt: UInt64 = 0

        var key: Requester.Share { requester.share }
        /// The network. The time of all its accounts counts for it.
        var network: Requester.Share { requester.networkShare }
        /// The account and the network for which the job counts.
        var keys: Set<Requester.Share> { [key, network] }
    }
}
