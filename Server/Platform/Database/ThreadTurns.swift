internal import Core
internal import DequeModule

/// The jobs that wait for one of a fixed number of threads, and what the threads do. Without load, jobs run in the order in which they came.
/// If some keep a thread busy for long, or many wait, accounts and networks that have used the threads for a shorter time go first, and those
/// that have used them for long get at most half of the threads: a short job does not wait for the end of several long ones. A pure value
/// that `DatabaseThreads` guards with its lock. All times are in nanoseconds of one clock.
struct ThreadTurns<Job: Sendable>: Sendable {
    private struct Place {
        let job: Job
        let requester: Requester
    }

    private struct Run {
        let requester: Requester
        let begin: UInt64
    }

    /// A run of less counts as nothing while few jobs wait. Most runs are shorter, and cost no accounting.
    static var shortTime: UInt64 { 1_000_000 }
    /// With this many jobs waiting, every run counts: a thousand short ones delay others as much as a long one.
    static var crowd: Int { 32 }
    /// A thread that runs one job for this long counts as taken.
    static var longTime: UInt64 { 20_000_000 }
    /// In microseconds: who has used the threads for this much more than others gets at most half of them.
    static var heavyUse: UInt64 { 50_000 }

    private var waiting: Deque<Place> = []
    /// What each thread runs.
    private var running: [Run?]
    /// In microseconds. The head start is a few times a short run.
    private var usage = UsageOrder<Requester.Share>(headStart: 5_000)
    /// The same for networks, each with all of its accounts.
    private var usageOfNetworks = UsageOrder<Requester.Share>(headStart: 5_000)
    /// Whether the two hold anything.
    private var hasUsage = false

    init(threads: Int) { running = Array(repeating: nil, count: threads) }

    /// The number of jobs that wait.
    var count: Int { waiting.count }

    mutating func enter(_ job: Job, for requester: Requester) { waiting.append(Place(job: job, requester: requester)) }

    /// Call it when a thread's job has run, or is suspended.
    mutating func end(on thread: Int, at now: UInt64) {
        guard let run = running[thread] else { return }
        running[thread] = nil
        let time = Self.time(from: run.begin, to: now)
        if time >= Self.shortTime || waiting.count >= Self.crowd {
            usage.used(time / 1_000, by: run.requester.share)
            usageOfNetworks.used(time / 1_000, by: run.requester.networkShare)
            hasUsage = true
        }
        // Nobody had to wait for what was used.
        if hasUsage, waiting.isEmpty, running.allSatisfy({ $0 == nil }) {
            usage.reset()
            usageOfNetworks.reset()
            hasUsage = false
        }
    }

    /// Removes and returns the job that the thread runs next; `nil` when none may begin now.
    mutating func next(on thread: Int, at now: UInt64) -> Job? {
        guard let index = nextIndex(at: now) else { return nil }
        let place = waiting.remove(at: index)
        running[thread] = Run(requester: place.requester, begin: now)
        return place.job
    }

    private func nextIndex(at now: UInt64) -> Int? {
        let longCount = running.reduce(0) { count, run in
            guard let run, run.requester != .server, Self.time(from: run.begin, to: now) >= Self.longTime else { return count }
            return count + 1
        }
        if !hasUsage, longCount == 0 { return waiting.isEmpty ? nil : 0 }
        let isHalfTaken = longCount * 2 >= running.count
        var best: (index: Int, rank: UInt64)?
        for (index, place) in waiting.enumerated() {
            let rank = rank(of: place.requester, at: now)
            // The server's own jobs have limits elsewhere.
            if isHalfTaken, rank >= Self.heavyUse, place.requester != .server { continue }
            if best.map({ rank < $0.rank }) ?? true { best = (index, rank) }
            // None can be lower.
            if rank == 0 { break }
        }
        return best?.index
    }

    /// The higher of the account's and the network's use, with what they run now.
    private func rank(of requester: Requester, at now: UInt64) -> UInt64 {
        var own = usage.rank(of: requester.share)
        var network = usageOfNetworks.rank(of: requester.networkShare)
        for case let run? in running {
            let time = Self.time(from: run.begin, to: now)
            guard time >= Self.shortTime else { continue }
            if run.requester.share == requester.share { own += time / 1_000 }
            if run.requester.networkShare == requester.networkShare { network += time / 1_000 }
        }
        return max(own, network)
    }

    /// Two threads may read the clock in one order and get here in the other.
    private static func time(from begin: UInt64, to now: UInt64) -> UInt64 { now > begin ? now - begin : 0 }
}
