package import Core
package import Database
package import Logging
import ServiceLifecycle

/// Takes jobs of the kinds it has handlers for, and does them. Any number of nodes may run one over the same database.
package final class JobRunner: Service {
    package struct Options: Sendable {
        /// Jobs at a time, 1...64; default 4.
        package var concurrency = 4
        /// How long a job stays this node's without a renewal; default 6 s. After it, any node takes the job over.
        package var lease = Duration.seconds(6)
        /// Between two renewals of all that runs; default 2 s, so that one may fail.
        package var heartbeat = Duration.seconds(2)
        /// The longest time between two looks at the table, when nobody wakes the runner; default 1 s.
        package var poll = Duration.seconds(1)
        /// What running jobs get to finish in when the server stops; default 7 s. What is not done then is cancelled and given back.
        package var grace = Duration.seconds(7)
        /// Only for the test that must fail without it: an attempt that lost its job completes all the same.
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
    ///   - node: this node's name, which is shown with what it runs.
    ///   - sleep: lets time pass; tests take their own.
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
        outage = JobOutage(logger: logger)
    }

    /// Until the server stops. Once.
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

    // MARK: Taking jobs

    private func claimJobs(_ group: inout DiscardingTaskGroup) async {
        var failures = 0
        while !runningJobs.isStopping, !Task.isCancelled {
            var pause = options.poll
            do {
                switch try await claim(&group) {
                case .some(let next): pause = min(pause, next - clock.now)
                // There may be more, and something may have ended meanwhile.
                case .none: pause = .zero
                }
                outage.ended()
                failures = 0
            } catch {
                outage.began(error)
                // 1 s, 2 s, 4 s, and so on every 4 s.
                pause = options.poll * (1 << failures)
                failures = min(failures + 1, 2)
            }
            await signal.wait(atMost: pause)
        }
    }

    /// - Returns: when to look again; `nil` for at once.
    private func claim(_ group: inout DiscardingTaskGroup) async throws -> Timestamp? {
        let later = clock.now + options.poll
        let room = options.concurrency - runningJobs.count
        guard room > 0 else { return later }
        let schedule = try await leases.schedule(kinds, room: room)
        guard let next = schedule.next else { return later }
        guard next <= clock.now else { return next }
        let claim = try await leases.claim(
            policies, schedule, room: room, suspects: max(0, 1 - runningJobs.suspectCount)
        ) { [handlers] kind, payload, owner, reason, tx in
            try handlers[kind]?.whenParked(payload, owner, reason, tx)
        }
        for (id, kind) in claim.parked {
            logger.error("a job was parked: its workers died", metadata: ["job": "\(id)", "kind": "\(kind)"])
        }
        for job in claim.jobs {
            let running = RunningJob(job)
            runningJobs.add(running)
            group.addTask {
                await self.attempt(running)
                self.runningJobs.remove(running)
                self.signal.ring()
            }
        }
        // Others were faster, or what is there must wait for a suspect to end.
        return claim.isEmpty ? later : nil
    }

    // MARK: Keeping them

    private func renewLeases() async {
        while (try? await sleep(options.heartbeat)) != nil {
            let running = runningJobs.all.filter(\.isRenewed)
            do {
                let held = try await leases.renew(running.map(\.job.lease))
                for job in running where !held.contains(job.job.lease) { job.loseLease() }
                if !running.isEmpty { outage.ended() }
            } catch {
                // Nobody can take them over either. Whoever does once the database is back, is told so by the next renewal.
                outage.began(error)
            }
        }
    }

    // MARK: Leaving

    /// Waits for what runs; when the time is over, ends it.
    private func drain() async {
        await waitForEnd(atMost: options.grace)
        runningJobs.close()
        // A handler that heeds it is gone in no time.
        await waitForEnd(atMost: .seconds(1))
        // Cancelled itself, the runner does not wait: each attempt gives its job back as it ends.
        if Task.isCancelled { return }
        for job in runningJobs.all {
            logger.error("a job did not heed being cancelled", metadata: ["job": "\(job.job.lease.id)", "kind": "\(job.job.kind)"])
            job.renewNoMore()
            await settle(job, giving: .back)
        }
    }

    private func waitForEnd(atMost limit: Duration) async {
        let end = ContinuousClock.now + limit
        while runningJobs.count > 0, !Task.isCancelled, ContinuousClock.now < end { await signal.wait(atMost: end - .now) }
    }
}
