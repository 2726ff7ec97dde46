package import Core
package import Database
package import Logging
import ServiceLifecycle

/// Claims jobs of the kinds that it has handlers for, and runs them. Any number of nodes may run one on the same database.
package final class JobRunner: Service {
    package struct Options: Sendable {
        /// The most concurrent jobs, 1...64; default 4.
        package var concurrency = 4
        /// How long a lease lasts without renewal; default 6 s. After it, any node may take the job over.
        package var lease = Duration.seconds(6)
        /// The interval between two renewals of all running jobs; default 2 s, so that one renewal may fail.
        package var heartbeat = Duration.seconds(2)
        /// The longest interval between two checks for due jobs when nothing wakes the runner; default 1 s.
        package var poll = Duration.seconds(1)
        /// How long running jobs may take to finish when the server stops; default 7 s. Jobs that take longer are cancelled and returned to
        /// the queue.
        package var grace = Duration.seconds(7)
        /// Says for the log which disk is full, when the database has no room for a row.
        package var explainFull: @Sendable () -> String = { "the disk of the database is full" }
        /// `false` lets an attempt complete although it has lost its lease. Only for the test that must fail in that case.
        package var isFenced = true

        package init() {}
    }

    let options: Options
    let leases: JobLeases
    let handlers: [String: JobHandler]
    let policies: [String: JobPolicy]
    let kinds: [String]
    let clock: WallClock
    let entropy: Entropy
    let logger: Logger
    let sleep: @Sendable (Duration) async throws -> Void
    let runningJobs = RunningJobs()
    let signal: JobSignal
    let outage: JobOutage
    private let database: any Database

    /// - Parameters:
    ///   - handlers: one for each kind.
    ///   - node: this node's name, which is shown with the jobs it runs.
    ///   - sleep: waits for a duration; tests inject their own.
    package init(
        database: any Database, handlers: [JobHandler], node: String, clock: WallClock, entropy: Entropy, logger: Logger,
        options: Options = Options(), sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        precondition((1...64).contains(options.concurrency), "1 to 64 jobs at a time")
        self.database = database
        self.handlers = Dictionary(handlers.map { ($0.kind, $0) }) { one, _ in preconditionFailure("two handlers for \(one.kind)") }
        policies = self.handlers.mapValues(\.policy)
        kinds = self.handlers.keys.sorted()
        self.clock = clock
        self.entropy = entropy
        self.logger = logger
        self.options = options
        self.sleep = sleep
        leases = JobLeases(database: database, clock: clock, worker: node, length: options.lease, isFenced: options.isFenced)
        signal = JobSignal(sleep: sleep)
        outage = JobOutage(logger: logger, explainFull: options.explainFull)
    }

    /// Runs until the server stops. Call it once.
    package func run() async throws {
        guard !kinds.isEmpty else { return try await gracefulShutdown() }
        let listening = database.wakes.listen(JobStore.channel) { [signal, kinds] keys in
            if keys.map({ !$0.isDisjoint(with: kinds) }) ?? true { signal.ring() }
        }
        defer { listening.cancel() }
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.renewLeases() }
                await claimJobs(&group)
                await drain()
                group.cancelAll()
            }
        } onGracefulShutdown: { [runningJobs, signal] in
            runningJobs.stop()
            signal.ring()
        }
    }

    /// The number of jobs that run now.
    package var runningCount: Int { runningJobs.count }

    // MARK: Taking jobs

    private func claimJobs(_ group: inout DiscardingTaskGroup) async {
        var failures = 0
        var turns = JobTurns(
            places: options.concurrency, urgent: Set(policies.filter { $0.value.isUrgent }.keys),
            mostOfKind: handlers.compactMapValues(\.most))
        while !runningJobs.isStopping, !Task.isCancelled {
            var pause = options.poll
            var hasWritten = false
            let failureCount = outage.failureCount
            do {
                switch try await claim(&group, &turns) {
                case .some(let next): pause = min(pause, next - clock.now)
                // The runner checks again at once: more jobs may be due, and running jobs may have ended meanwhile.
                case .none:
                    pause = .zero
                    hasWritten = true
                }
                outage.ended(since: failureCount, hasWritten: hasWritten)
                failures = 0
            } catch {
                outage.began(error)
                // Check again after 1 s, 2 s, 4 s, and then every 4 s.
                pause = options.poll * (1 << failures)
                failures = min(failures + 1, 2)
            }
            await signal.wait(atMost: pause)
        }
    }

    /// - Returns: when to check again; `nil` for at once.
    private func claim(_ group: inout DiscardingTaskGroup, _ turns: inout JobTurns) async throws -> Timestamp? {
        let later = clock.now + options.poll
        for (job, time) in runningJobs.takeEnded() { turns.ended(job.group, after: time) }
        let room = options.concurrency - runningJobs.count
        guard room > 0 else { return later }
        let schedule = try await leases.schedule(kinds, room: room, after: turns.cursors)
        turns.note(schedule)
        guard let next = schedule.next, next <= clock.now else {
            turns.rested()
            return schedule.next ?? later
        }
        let claim = try await leases.claim(
            policies, schedule, room: room, suspects: max(0, 1 - runningJobs.suspectCount), turns: turns,
            running: runningJobs.all.map(\.job)
        ) { [handlers] kind, payload, owner, reason, tx in
            try handlers[kind]?.whenParked(payload, owner, reason, tx)
        }
        for (id, kind) in claim.parked {
            logger.error(
                "the worker of a job's last attempt died, and the job was parked; `keepsake jobs retry` runs it again",
                metadata: ["job": "\(id)", "kind": "\(kind)"])
        }
        for job in claim.jobs {
            let running = RunningJob(job)
            runningJobs.add(running)
            turns.started(job.group)
            group.addTask {
                await self.attempt(running)
                self.runningJobs.remove(running)
                self.signal.ring()
            }
        }
        // Other workers claimed the jobs first, or the due jobs must wait until a suspect job or one of the same account ends.
        return claim.isEmpty ? later : nil
    }

    // MARK: Keeping them

    private func renewLeases() async {
        while (try? await sleep(options.heartbeat)) != nil {
            let running = runningJobs.all.filter(\.isRenewed)
            let failureCount = outage.failureCount
            do {
                let held = try await leases.renew(running.map(\.job.lease))
                for job in running where !held.contains(job.job.lease) { job.loseLease() }
                if !running.isEmpty { outage.ended(since: failureCount, hasWritten: !held.isEmpty) }
            } catch {
                // No other worker can take the jobs over either. If one does once the database is reachable again, the next renewal reports
                // it.
                outage.began(error)
            }
        }
    }

    // MARK: Leaving

    /// Waits for the running jobs, and cancels those that are not done in time.
    private func drain() async {
        await waitForEnd(atMost: options.grace)
        runningJobs.close()
        // A handler that reacts to cancellation ends within this time.
        await waitForEnd(atMost: .seconds(1))
        // If the runner itself was cancelled, it does not wait: each attempt returns its job as it ends.
        if Task.isCancelled { return }
        for job in runningJobs.all {
            logger.error(
                "a job did not stop after it was cancelled; another worker may run it at the same time",
                metadata: ["job": "\(job.job.lease.id)", "kind": "\(job.job.kind)"])
            job.renewNoMore()
            await settle(job, giving: .back)
        }
    }

    private func waitForEnd(atMost limit: Duration) async {
        let end = ContinuousClock.now + limit
        while runningJobs.count > 0, !Task.isCancelled, ContinuousClock.now < end { await signal.wait(atMost: end - .now) }
    }
}
