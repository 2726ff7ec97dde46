package import Core
package import Database

/// Who may do which job until when: the statements of one worker. Every one that ends an attempt names the attempt, so a worker that was
/// taken for dead changes nothing any more.
///
/// Times are those of the node's clock: one that is wrong by more than a lease takes over too early or too late, which costs work done
/// twice but never an effect made twice.
package struct JobLeases: Sendable {
    private let database: any Database
    private let clock: WallClock
    /// The node's name, kept with what it runs.
    package let worker: String
    /// How long a job is this worker's without a renewal.
    package let length: Duration
    private let isFenced: Bool

    /// - Parameter isFenced: false lets an attempt complete that no longer has the job. Only for the test that must then fail.
    package init(database: any Database, clock: WallClock, worker: String, length: Duration = .seconds(6), isFenced: Bool = true) {
        self.database = database
        self.clock = clock
        self.worker = worker
        self.length = length
        self.isFenced = isFenced
    }

    // MARK: Taking

    /// - Parameter room: how many could be started now, 1 or more.
    package func schedule(_ kinds: [String], room: Int) async throws -> JobSchedule {
        try await database.read { tx in
            let heads = try tx.rows(Self.heads(kinds, count: min(room, JobLimits.batchCount))).map { row in
                JobSchedule.Head(kind: try row.get("kind"), runAt: try row.get("run_at"), id: try row.get("id"))
            }
            let expiry = try tx.row(Self.firstExpiry(kinds))?.get("lease_until", as: Timestamp?.self)
            return JobSchedule(heads: heads, firstExpiry: expiry ?? nil)
        }
    }

    /// What belongs to the write that parks a job: its kind, payload, owner, and the reason.
    package typealias ParkedEffect = @Sendable (String, String, String?, String, WriteTransaction) throws -> Void

    package struct Claim: Sendable {
        /// To be started, all of them.
        package var jobs: [ClaimedJob] = []
        /// Their last attempt ended with its worker.
        package var parked: [(id: String, kind: String)] = []

        package var isEmpty: Bool { jobs.isEmpty && parked.isEmpty }
    }

    /// Takes jobs: first those whose lease has run out, then what `schedule` showed to be due, as far as others have not taken it.
    ///
    /// - Parameters:
    ///   - policies: of the kinds this worker can do.
    ///   - room: how many at most.
    ///   - suspects: how many of them may be jobs that have lost several workers.
    ///   - whenParked: runs in the same write for each job that is parked: its kind, payload, owner and the reason.
    package func claim(
        _ policies: [String: JobPolicy], _ schedule: JobSchedule, room: Int, suspects: Int = 1,
        whenParked: @escaping ParkedEffect = { _, _, _, _, _ in }
    ) async throws -> Claim {
        let now = clock.now
        let count = min(room, JobLimits.batchCount)
        let shares = schedule.shares(room: count, now: now)
        let hasExpired = schedule.firstExpiry.map { $0 <= now } ?? false
        return try await database.write { tx in
            var claim = Claim()
            if hasExpired { try takeOver(policies, now: now, count: count, suspects: suspects, &claim, whenParked, tx) }
            for share in shares where claim.jobs.count < count {
                let taken = try tx.list(
                    take(share.kind, now: now, count: min(share.count, count - claim.jobs.count), tx.skippingLocked), ClaimedJob.init)
                // RETURNING has no order.
                claim.jobs += taken.sorted { ($0.runAt, $0.lease.id) < ($1.runAt, $1.lease.id) }
            }
            return claim
        }
    }

    private func takeOver(
        _ policies: [String: JobPolicy], now: Timestamp, count: Int, suspects: Int, _ claim: inout Claim, _ whenParked: ParkedEffect,
        _ tx: WriteTransaction
    ) throws {
        var suspects = suspects
        for row in try tx.rows(Self.expired(policies.keys.sorted(), now: now, tx.skippingLocked)) {
            let lease = JobLease(id: try row.get("id"), attempt: try row.get("attempt"))
            let kind: String = try row.get("kind")
            let (tries, lost): (Int, Int) = (try row.get("tries"), try row.get("lost") + 1)
            let worker: String = try row.get("worker")
            if tries >= policies[kind]?.attempts ?? 1 {
                let error = "the worker \(worker) died or stopped in attempt \(tries), as \(lost) of \(tries) attempts did"
                guard try tx.run(parkLost(lease, lost: lost, error: error)) == 1 else { continue }
                claim.parked.append((lease.id, kind))
                try whenParked(kind, try row.get("payload"), try row.get("owner"), error, tx)
                continue
            }
            guard claim.jobs.count < count, lost < JobLimits.suspectLosses || suspects > 0 else { continue }
            let error = "the worker \(worker) died or stopped in attempt \(tries)"
            guard let job = try tx.first(takeOver(lease, lost: lost, now: now, error: error), ClaimedJob.init) else { continue }
            claim.jobs.append(job)
            if job.isSuspect { suspects -= 1 }
        }
    }

    /// - Returns: those that still were this worker's, also when they had run out: nobody had taken them.
    package func renew(_ leases: [JobLease]) async throws -> Set<JobLease> {
        guard !leases.isEmpty else { return [] }
        let until = clock.now + length
        return try await database.write { tx in
            Set(try tx.rows(Self.extend(leases, until: until)).map { JobLease(id: try $0.get("id"), attempt: try $0.get("attempt")) })
        }
    }

    // MARK: Ending an attempt

    /// The effect and the end of the job, in one transaction.
    /// - Throws: `LeaseLost`, and nothing of the effect is left, when the job is no longer this attempt's.
    @discardableResult
    package func finish<T: Sendable>(
        _ lease: JobLease, _ effect: @escaping @Sendable (WriteTransaction) throws -> T = { (_: WriteTransaction) in }
    ) async throws -> T {
        try await database.write { [isFenced] tx in
            // First, so that on PostgreSQL the row is held until the effect is committed, and its key is free for a job that follows.
            if isFenced {
                guard try tx.run("DELETE FROM job WHERE id = \(lease.id) AND attempt = \(lease.attempt) AND state = 'running'") == 1 else {
                    throw LeaseLost()
                }
            } else {
                try tx.run("DELETE FROM job WHERE id = \(lease.id)")
            }
            return try effect(tx)
        }
    }

    /// After a failure: again at `time`.
    /// - Returns: as with all that follow, false when the job is no longer this attempt's.
    package func retry(_ lease: JobLease, at time: Timestamp, error: String) async throws -> Bool {
        try await database.write { tx in
            try tx.run(
                """
                UPDATE job SET state = 'ready', run_at = \(time), error = \(error), lease_until = NULL, worker = NULL
                WHERE id = \(lease.id) AND attempt = \(lease.attempt) AND state = 'running'
                """) == 1
        }
    }

    /// After the last failure.
    /// - Parameter effect: part of the write, when the job still is this attempt's.
    package func park(
        _ lease: JobLease, error: String, _ effect: @escaping @Sendable (WriteTransaction) throws -> Void = { _ in }
    ) async throws -> Bool {
        try await database.write { tx in
            let parked = try tx.run(
                """
                UPDATE job SET state = 'parked', error = \(error), lease_until = NULL, worker = NULL
                WHERE id = \(lease.id) AND attempt = \(lease.attempt) AND state = 'running'
                """)
            guard parked == 1 else { return false }
            try effect(tx)
            return true
        }
    }

    /// Without a failure, because this worker goes: the attempt does not count, and another may have the job at once.
    package func giveBack(_ lease: JobLease) async throws -> Bool {
        try await database.write { tx in
            let row = try tx.row(
                """
                UPDATE job SET state = 'ready', tries = tries - 1, lease_until = NULL, worker = NULL
                WHERE id = \(lease.id) AND attempt = \(lease.attempt) AND state = 'running'
                RETURNING kind
                """)
            guard let row else { return false }
            tx.wake(Wake(JobStore.channel, try row.get("kind")))
            return true
        }
    }
}
