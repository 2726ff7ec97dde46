internal import Core

/// Decides which job is next. A value that the queue guards with its lock.
///
/// Inspections of uploads go first. Accounts and networks for which the workers have worked for a shorter time go before others; those with
/// equal times take turns. So many accounts of one network get no more time than one account. These rules prevent starvation:
/// - After `inspectionsInARow` inspections, one of the other jobs has a turn.
/// - Another job goes before the next inspection if the workers have worked for its requester for a clearly shorter time (`clearlyLess`).
/// - After a long inspection, another long job goes before the next long inspection.
/// - An account or network that occupies all workers but one gets the last one only for a short job, and only when no other job may run.
/// - Long jobs of all requesters together leave one worker free. While a long job waits for this reason, short jobs of its account go
///   before it.
/// - A long job that has run for a while is stopped and begins again later, if a requester with a waiting long job has had little long
///   work done lately (`shouldStop`).
///
/// The jobs of one account run in their order. If a job's caller holds a scarce turn, the job goes before the others of its account and
/// class (`FairQueue`). Otherwise the turn would be returned only after all other jobs of the account, and everybody who needs the turn
/// would wait until then.
///
/// A job whose result may be large waits while too many large results exist (`LargeResults`). Meanwhile, the jobs behind it go first.
///
/// Jobs that do the same work on the same file each have a place in the queue, so nobody depends on the place of another account. One of
/// them runs at a time. When it ends, all the others that wait get its result. While it runs, jobs that are behind these in the queue go
/// before them.
///
/// One more worker, the reserve, takes a short job when all others have been busy for a while (`reserveNext`). A job that takes too long
/// there goes back into the queue, before the other jobs of its account. After four such jobs of a network within a minute, the reserve
/// takes none of this network until the minute is over.
///
/// A few networks cannot fill the queue: a part of it is reserved for networks with few waiting jobs, and long inspections, which run one
/// after another, may use a quarter of it.
struct WorkerTurns<Job> {
    private let limits: Limits
    private var inspections: FairQueue<Requester.Share, Entry>
    private var later: FairQueue<Requester.Share, Entry>
    /// Number of waiting jobs by network.
    private var networks: [Requester.Share: Int] = [:]
    private var use = WorkerUse()
    /// The products of the running jobs.
    private var products: Set<AnyHashable> = []
    private var inspectionsInARow = 0
    /// Whether the last long job was an inspection.
    private var wasLongInspection = false
    /// The job that is being stopped, see `shouldStop`.
    private var stopping: UInt64?
    /// For how long each waiting or running job ran before it was stopped.
    private var lostTimes: [UInt64: UInt64] = [:]
    /// The last stop of each of these jobs.
    private var stops: [UInt64: Stop] = [:]

    /// For each network, how long its long jobs ran lately, in milliseconds, and when the last one ended. The former decreases with time
    /// (`Limits.recentUseAging`).
    private var recent: [Requester.Share: RecentUse] = [:]

    private struct RecentUse {
        let time: UInt64
        let end: UInt64

        func left(at now: UInt64, _ limits: Limits) -> UInt64 { time.elapsed(since: now.elapsed(since: end) / limits.recentUseAging) }
    }

    private struct Stop {
        /// How far the job goes behind others, in milliseconds.
        let delay: UInt64
        /// The clock of the long jobs' order (`WorkerUse.longClock`) when the job was stopped.
        let clock: UInt64
        let time: UInt64

        func delayLeft(at now: UInt64, clock: UInt64, _ limits: Limits) -> UInt64 {
            delay.elapsed(since: clock.elapsed(since: self.clock) + now.elapsed(since: time) / limits.expectedTimeAging)
        }
    }
    /// For each account, the time that will count as its use when its next long job ends, because jobs of others were stopped for it. In
    /// milliseconds.
    private var debts: [Requester.Share: UInt64] = [:]
    private var largeResults: LargeResults
    /// For each network, when the reserve stopped its last jobs; at most `Limits.reserveStops` times.
    private var reserveStops: [Requester.Share: [UInt64]] = [:]

    init(_ limits: Limits) {
        self.limits = limits
        largeResults = LargeResults(limit: limits.largeResults, limitPerKey: limits.largeResultsPerKey)
        // More than `waiting`, for jobs that were stopped: one of each worker, and of the reserve.
        let limit = limits.waiting + limits.workers + 1
        inspections = FairQueue(limit: limit, limitPerKey: limit)
        later = FairQueue(limit: limit, limitPerKey: limit)
    }

    var count: Int { inspections.count + later.count }

    /// Number of large results, including those of running jobs.
    var largeResultCount: Int { largeResults.count }

    mutating func enqueue(_ entry: Entry, _ jobClass: Class) throws(FairQueueRefusal) {
        let ofKey = jobClass == .inspection ? inspections.count(of: entry.key) : later.count(of: entry.key)
        // The limits do not apply to the server's own jobs.
        guard entry.requester == .server || ofKey < limits.perRequester else { throw .keyIsFull }
        let ofNetwork = networks[entry.network, default: 0]
        guard entry.requester == .server || ofNetwork < limits.perNetwork else { throw .keyIsFull }
        func isFull(_ count: Int, of limit: Int) -> Bool { count >= limit - (ofNetwork < limits.few ? 0 : limit / 4) }
        let ofClass = jobClass == .inspection ? inspections.count : later.count
        if isFull(ofClass, of: limits.waiting) { throw .full }
        if jobClass == .inspection, entry.isLong, isFull(longInspectionCount, of: limits.longInspections) { throw .full }
        switch jobClass {
        case .inspection: try inspections.enqueue(entry, for: entry.key, isAhead: entry.holdsTurn)
        case .later: try later.enqueue(entry, for: entry.key, isAhead: entry.holdsTurn)
        }
        networks[entry.network, default: 0] += 1
    }

    /// Removes and returns the next job. Call `finished` when it is done.
    /// - Parameter now: in milliseconds of any clock.
    /// - Returns: `nil` when nothing may run now.
    mutating func next(at now: UInt64) -> Entry? {
        let mayRunLong = use.longCount < share
        // If a running job makes the same product, the entry keeps its place. It runs if that job fails or its caller leaves.
        let isNew: (Entry) -> Bool = { [products] entry in entry.product.map { !products.contains($0) } ?? true }
        let hasRoom: (Entry) -> Bool = { [largeResults] entry in !entry.mayBeLarge || largeResults.hasRoom(for: entry.keys) }
        // Jobs of accounts and networks that leave a worker to others come first; any short job comes second.
        let leavesOne: (Requester.Share, Entry) -> Bool = { [share = share, counts = use.counts] _, entry in
            (mayRunLong || !entry.isLong) && isNew(entry) && hasRoom(entry) && entry.keys.allSatisfy { counts[$0, default: 0] < share }
        }
        // When long jobs may run, an account's long job waits only for jobs of its own account or network. Short jobs must then not go
        // before it, because the long job of an account that always has short jobs would never run. A job whose product is being made may
        // be passed: the running job may belong to another account and may take seconds, and the waiting job often gets its result.
        let mayBePassed: (Entry) -> Bool = { entry in !mayRunLong || !hasRoom(entry) || !isNew(entry) }
        let isShort: (Requester.Share, Entry) -> Bool = { _, entry in !entry.isLong && isNew(entry) && hasRoom(entry) }
        guard let entry = take(leavesOne, mayBePassed, at: now) ?? take(isShort, mayBePassed, at: now) else { return nil }
        begin(entry, at: now)
        return entry
    }

    /// When the reserve may take a job: `limits.reserveDelay` after the last of the other workers began its job. `nil` while one of them
    /// is idle.
    var reserveBegin: UInt64? { use.busySince(count: limits.workers).map { $0 + limits.reserveDelay } }

    /// Removes and returns the next job for the reserve worker. Call this when that worker is idle. Call `finished` when the job is done,
    /// or `putBack` when it was stopped.
    /// - Parameter now: by the same clock as for `next`.
    mutating func reserveNext(at now: UInt64) -> Entry? {
        guard let begin = reserveBegin, begin <= now else { return nil }
        let paused = Set(reserveStops.filter { $0.value.count { $0 + limits.reservePause > now } >= limits.reserveStops }.keys)
        let mayRun: (Requester.Share, Entry) -> Bool = { [products, largeResults] _, entry in
            entry.mayUseReserve && !entry.isLong && !paused.contains(entry.network)
                && entry.product.map { !products.contains($0) } ?? true && (!entry.mayBeLarge || largeResults.hasRoom(for: entry.keys))
        }
        guard let entry = take(mayRun, { _ in true }, at: now) else { return nil }
        self.begin(entry, at: now)
        return entry
    }

    /// Puts a job back into the queue, ahead of the other jobs of its account (`FairQueue.enqueue`). It is a long job that was stopped, or
    /// a job that the reserve stopped or could not begin.
    /// - Parameter now: by the same clock as for `next`.
    mutating func putBack(_ entry: Entry, _ jobClass: Class, at now: UInt64) throws(FairQueueRefusal) {
        end(entry, at: now)
        // Only the reserve stops short jobs, and it takes no long ones.
        if !entry.isLong { noteReserveStop(of: entry.network, at: now) }
        switch jobClass {
        case .inspection: try inspections.enqueue(entry, for: entry.key, isAhead: true)
        case .later: try later.enqueue(entry, for: entry.key, isAhead: true)
        }
        networks[entry.network, default: 0] += 1
    }

    private mutating func noteReserveStop(of network: Requester.Share, at now: UInt64) {
        reserveStops[network, default: []].append(now)
        reserveStops = reserveStops.compactMapValues { stops in
            let recent = stops.filter { $0 + limits.reservePause > now }.suffix(limits.reserveStops)
            return recent.isEmpty ? nil : Array(recent)
        }
    }

    /// Whether a running long job should be stopped and put back, so that a waiting long job can run. This is the case if the workers have
    /// done little long work lately for the requester of the waiting job. Otherwise the waiting job would wait until the running one ends,
    /// and then for one job of each requester that came before it. A stopped job begins anew, and may run twice as long before its next
    /// stop, so at most twice its time is lost. The lost time does not count for the owner of the job. A part of it counts for the
    /// requester for whom the job was stopped, so that cheap long jobs do not stop others again and again.
    ///
    /// If the result is `true`, stop the job and call `putBack` or `finished`.
    /// - Parameter now: by the same clock as for `next`.
    mutating func shouldStop(_ entry: Entry, at now: UInt64) -> Bool {
        let slice = limits.longSlice << min(UInt64(entry.stopCount), 16)
        // For one waiting job, stop only one running job, and none if the waiting job may begin as soon as a worker is free.
        guard entry.isLong, count > 0, stopping == nil, use.longCount >= share, let begin = use.begin(of: entry.id),
            now.elapsed(since: begin) >= slice
        else { return false }
        let mayRun: (Requester.Share, Entry) -> Bool = { [products, largeResults, share = share, counts = use.counts] _, other in
            // If jobs that were stopped stopped others, the first jobs of many requesters would stop one another again and again.
            other.isLong && other.stopCount == 0 && other.product.map { !products.contains($0) } ?? true
                && other.keys.allSatisfy { counts[$0, default: 0] < share } && (!other.mayBeLarge || largeResults.hasRoom(for: other.keys))
        }
        let (used, delay) = (rank(at: now), delay(at: now))
        let rank: (Entry) -> UInt64 = { used($0) + delay($0) }
        let best = [inspections, later].compactMap { $0.next(where: mayRun, rank: rank) }.min { $0.rank < $1.rank }
        // If requesters that always have long jobs stopped one another, much work would be lost.
        guard let best, best.rank < limits.littleLongWork, best.rank + slice <= rank(entry) else { return false }
        stopping = entry.id
        let lost = now.elapsed(since: begin)
        lostTimes[entry.id, default: 0] += lost
        let left = stops[entry.id]?.delayLeft(at: now, clock: use.longClock, limits) ?? 0
        stops[entry.id] = Stop(delay: left + lost, clock: use.longClock, time: now)
        debts[best.element.key, default: 0] += lost / limits.debtDivisor
        return true
    }

    /// What a long job counts as use. This is the time for which it ran, less the time that it lost when it was stopped before, plus the
    /// time that counts because other jobs were stopped for its requester.
    private mutating func charge(_ entry: Entry) -> (UInt64) -> UInt64 {
        guard entry.isLong, stopping != entry.id else { return { $0 } }
        stops[entry.id] = nil
        let (lost, debt) = (lostTimes.removeValue(forKey: entry.id) ?? 0, debts.removeValue(forKey: entry.key) ?? 0)
        return { time in time - min(time, lost) + debt }
    }

    private mutating func forget(_ id: UInt64) { (lostTimes[id], stops[id]) = (nil, nil) }

    private func rank(at now: UInt64) -> (Entry) -> UInt64 {
        { [use] entry in use.rank(of: entry.requester, isLong: entry.isLong, at: now) }
    }

    /// How far a long job goes behind other long jobs, in milliseconds. Shorter ones go first: otherwise a second short recording would wait
    /// for the long ones of all others. For the same reason, a job that was stopped goes behind those that have not run for as long, until
    /// the others have had as much time since. And a network that has had much long work lately goes behind others: otherwise somebody who
    /// always has short recordings would go before every long one. All this becomes less as time passes.
    private func delay(at now: UInt64) -> (Entry) -> UInt64 {
        { [use, stops, limits, recent] entry in
            guard entry.isLong else { return 0 }
            let expected = min(entry.expectedTime, limits.mostExpectedTime)
                .elapsed(since: now.elapsed(since: entry.createdAt) / limits.expectedTimeAging)
            let used = recent[entry.network]?.left(at: now, limits) ?? 0
            return expected + used + (stops[entry.id]?.delayLeft(at: now, clock: use.longClock, limits) ?? 0)
        }
    }

    /// The order of the jobs in one queue. The first long job has the rank that it would have without `delay`, so that only long jobs go
    /// before others because of it.
    private func order(
        _ queue: FairQueue<Requester.Share, Entry>, _ mayRun: (Requester.Share, Entry) -> Bool, _ mayBePassed: (Entry) -> Bool,
        at now: UInt64
    ) -> (Entry) -> UInt64 {
        let (rank, delay) = (rank(at: now), delay(at: now))
        func lowest(_ rank: (Entry) -> UInt64) -> UInt64? {
            queue.lowestRank(
                whereNext: { key, entry in entry.isLong && mayRun(key, entry) }, lookAhead: limits.lookAhead, past: mayBePassed, rank: rank)
        }
        guard let lowestRank = lowest(rank), let lowestDelayed = lowest({ rank($0) + delay($0) }) else { return rank }
        return { entry in
            entry.isLong ? max(lowestRank, (rank(entry) + delay(entry)).elapsed(since: lowestDelayed - lowestRank)) : rank(entry)
        }
    }

    private mutating func begin(_ entry: Entry, at now: UInt64) {
        left(entry)
        if entry.mayBeLarge { largeResults.begin(entry.id, for: entry.keys) }
        if let product = entry.product { products.insert(product) }
        use.begin(entry.id, for: entry.requester, isLong: entry.isLong, at: now)
    }

    /// - Parameter now: by the same clock as for `next`.
    mutating func finished(_ entry: Entry, at now: UInt64) {
        end(entry, at: now)
        // A job that was to be stopped may end instead, for example because its caller has gone.
        forget(entry.id)
        // No job waits or runs, so the order of turns no longer matters. Forget how much time each requester used.
        if count == 0, use.isIdle {
            use.reset()
            debts = [:]
        }
    }

    private mutating func end(_ entry: Entry, at now: UInt64) {
        if entry.isLong, let begin = use.begin(of: entry.id) {
            recent = recent.filter { $0.value.left(at: now, limits) > 0 }
            let time = (recent[entry.network]?.left(at: now, limits) ?? 0) + now.elapsed(since: begin)
            recent[entry.network] = RecentUse(time: min(time, limits.mostRecentUse), end: now)
        }
        let charge = charge(entry)
        use.end(entry.id, at: now, charge: charge)
        if stopping == entry.id { stopping = nil }
        if let product = entry.product { products.remove(product) }
        largeResults.finished(entry.id)
    }

    /// Counts the large result of a running job until `resultIsGone`.
    mutating func keepResult(of id: UInt64) { largeResults.keep(id) }

    mutating func resultIsGone(of id: UInt64) { largeResults.end(id) }

    /// - Returns: the job, if it is still waiting.
    mutating func withdraw(_ id: UInt64) -> Entry? {
        guard let entry = inspections.remove(where: { $0.id == id }) ?? later.remove(where: { $0.id == id }) else { return nil }
        left(entry)
        forget(id)
        return entry
    }

    /// Removes and returns the waiting jobs with the same product, which has been made now.
    mutating func withdrawTwins(of entry: Entry) -> [Entry] {
        guard let product = entry.product else { return [] }
        var twins: [Entry] = []
        while let twin = inspections.remove(where: { $0.product == product }) ?? later.remove(where: { $0.product == product }) {
            left(twin)
            forget(twin.id)
            twins.append(twin)
        }
        return twins
    }

    mutating func removeAll() -> [Entry] {
        (networks, lostTimes, stops) = ([:], [:], [:])
        return inspections.removeAll() + later.removeAll()
    }

    private var longInspectionCount: Int {
        var count = 0
        inspections.forEach { if $0.isLong { count += 1 } }
        return count
    }

    /// Maximum number of workers that one account or network may occupy while others wait, and that long jobs may occupy.
    private var share: Int { max(1, limits.workers - 1) }

    private mutating func take(
        _ mayRun: (Requester.Share, Entry) -> Bool, _ mayBePassed: (Entry) -> Bool, at now: UInt64
    ) -> Entry? {
        let lookAhead = limits.lookAhead
        let orderOfInspections = order(inspections, mayRun, mayBePassed, at: now)
        let orderOfLater = order(later, mayRun, mayBePassed, at: now)
        func lowestOfInspections(isLong: Bool) -> UInt64? {
            let mayRun: (Requester.Share, Entry) -> Bool = { key, entry in entry.isLong == isLong && mayRun(key, entry) }
            return inspections.lowestRank(whereNext: mayRun, lookAhead: lookAhead, past: mayBePassed, rank: orderOfInspections)
        }
        let (short, long) = (lowestOfInspections(isLong: false), lowestOfInspections(isLong: true))
        let isTurnOfLater = inspectionsInARow >= limits.inspectionsInARow
        // The next inspection would be the second long one in a row.
        let isTurnOfLong = wasLongInspection && short == nil
        let goesFirst: (Requester.Share, Entry) -> Bool = { [clearlyLess = limits.clearlyLess] key, entry in
            guard mayRun(key, entry) else { return false }
            guard let lowest = [short, long].compactMap({ $0 }).min() else { return true }
            let rank = orderOfLater(entry)
            if rank + clearlyLess <= lowest { return true }
            return entry.isLong ? (isTurnOfLater || isTurnOfLong) && rank <= long ?? .max : isTurnOfLater
        }
        if let entry = later.dequeue(whereNext: goesFirst, lookAhead: lookAhead, past: mayBePassed, rank: orderOfLater)?.element {
            inspectionsInARow = 0
            if entry.isLong { wasLongInspection = false }
            return entry
        }
        guard
            let entry = inspections.dequeue(whereNext: mayRun, lookAhead: lookAhead, past: mayBePassed, rank: orderOfInspections)?.element
        else { return nil }
        inspectionsInARow += 1
        if entry.isLong { wasLongInspection = true }
        return entry
    }

    private mutating func left(_ entry: Entry) {
        guard let count = networks[entry.network] else { return }
        networks[entry.network] = count > 1 ? count - 1 : nil
    }
}
