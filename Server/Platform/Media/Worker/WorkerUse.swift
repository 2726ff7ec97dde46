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
    /// The head start is a few times as long as the inspection of a photo takes.
    private var usage = UsageOrder<Requester.Share>(headStart: 200)
    /// The same as `usage`, but for networks, each with all of its accounts.
    private var usageOfNetworks = UsageOrder<Requester.Share>(headStart: 200)

    var isIdle: Bool { running.isEmpty }

    var longCount: Int { running.values.count { $0.isLong } }

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

    mutating func end(_ id: UInt64, at now: UInt64) {
        guard let run = running.removeValue(forKey: id) else { return }
        let time = now.elapsed(since: run.begin)
        usage.used(time, by: run.requester.share)
        usageOfNetworks.used(time, by: run.requester.networkShare)
    }

    /// Forgets what was used. Call it when nothing waits or runs.
    mutating func reset() {
        usage.reset()
        usageOfNetworks.reset()
    }

    /// The requester with the lowest rank is next. The rank is the time used by the account or by its network, whichever is higher,
    /// including the jobs that run now.
    func rank(of requester: Requester, at now: UInt64) -> UInt64 {
        var own = usage.rank(of: requester.share)
        var network = usageOfNetworks.rank(of: requester.networkShare)
        for run in running.values {
            let time = now.elapsed(since: run.begin)
            if run.requester.share == requester.share { own += time }
            if run.requester.networkShare == requester.networkShare { network += time }
        }
        return max(own, network)
    }
}
