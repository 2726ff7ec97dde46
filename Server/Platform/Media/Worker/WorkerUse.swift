internal import Core

/// What the workers run, and how long they have worked for each account and network. Those for whom they have worked for a shorter time go
/// first. So a photo does not wait until a long job of each other network has run. All times are in milliseconds of one clock.
struct WorkerUse {
    private struct Run {
        let requester: Requester
        let isLong: Bool
        let begin: UInt64
    }

    /// The running jobs by their ids; at most one for each worker.
    private var running: [UInt64: Run] = [:]
    /// Long jobs have an order of their own. Short jobs often run when others have the lowest rank among the long ones. With one order for
    /// both, the clock would then pass the marks of all who have used much, and everybody would have the same rank again (`UsageOrder`).
    private var short = Usage()
    private var long = Usage()

    var isIdle: Bool { running.isEmpty }

    var longCount: Int { running.values.count { $0.isLong } }

    /// Moves as the workers do long work: by about what each of those who want it got. It never decreases until `reset`.
    var longClock: UInt64 { long.accounts.earliest }

    /// When the newest of the running jobs began, if there are at least `count` of them.
    func busySince(count: Int) -> UInt64? { running.count < count ? nil : running.values.map(\.begin).max() }

    /// Number of running jobs by account and by network.
    var counts: [Requester.Share: Int] {
        running.values.reduce(into: [:]) { counts, run in
            for share in Set([run.requester.share, run.requester.networkShare]) { counts[share, default: 0] += 1 }
        }
    }

    mutating func begin(_ id: UInt64, for requester: Requester, isLong: Bool, at now: UInt64) {
        running[id] = Run(requester: requester, isLong: isLong, begin: now)
    }

    /// - Parameter charge: what counts as use, for the time for which the job ran.
    mutating func end(_ id: UInt64, at now: UInt64, charge: (_ time: UInt64) -> UInt64) {
        guard let run = running.removeValue(forKey: id) else { return }
        let time = charge(now.elapsed(since: run.begin))
        if run.isLong { long.used(time, by: run.requester) } else { short.used(time, by: run.requester) }
    }

    /// Forgets what was used. Call it when nothing waits or runs.
    mutating func reset() {
        (short, long) = (Usage(), Usage())
    }

    /// The requester with the lowest rank is next. The rank is the time used by the account or by its network, whichever is higher,
    /// including the jobs that run now. For long jobs, only the time of long jobs counts. For short jobs, long ones count only while they
    /// run.
    func rank(of requester: Requester, isLong: Bool, at now: UInt64) -> UInt64 {
        let usage = isLong ? long : short
        var own = usage.accounts.rank(of: requester.share)
        var network = usage.networks.rank(of: requester.networkShare)
        for run in running.values where run.isLong || !isLong {
            let time = now.elapsed(since: run.begin)
            if run.requester.share == requester.share { own += time }
            if run.requester.networkShare == requester.networkShare { network += time }
        }
        return max(own, network)
    }

    /// When the job, which runs, began.
    func begin(of id: UInt64) -> UInt64? { running[id]?.begin }

    private struct Usage {
        /// The head start is a few times as long as the inspection of a photo takes.
        var accounts = UsageOrder<Requester.Share>(headStart: WorkerUse.headStart)
        /// The same for networks, each with all of its accounts.
        var networks = UsageOrder<Requester.Share>(headStart: WorkerUse.headStart)

        mutating func used(_ time: UInt64, by requester: Requester) {
            accounts.used(time, by: requester.share)
            networks.used(time, by: requester.networkShare)
        }
    }

    private static let headStart: UInt64 = 200
}
