package import Core
package import Database

/// The leases of one worker: its statements that claim, renew and end attempts. Every statement that ends an attempt checks the attempt
/// number, so a worker whose job was taken over can change nothing.
///
/// Times come from the node's clock. A node whose clock is wrong by more than a lease takes jobs over too early or too late. That
/// can repeat work, but the effect is still committed only once.
package struct JobLeases: Sendable {
    private let database: any Database
    private let clock: WallClock
    /// The node's name, stored with the jobs it runs.
    package let worker: String
    /// How long a lease lasts without renewal.
    package let length: Duration
    private let isFenced: Bool

    /// - Parameter isFenced: `false` lets an attempt complete although it has lost its lease. Only for the test that must fail in that
    ///   case.
    package init(database: any Database, clock: WallClock, worker: String, length: Duration = .seconds(6), isFenced: Bool = true) {
        self.database = database
        self.clock = clock
        self.worker = worker
        self.length = length
        self.isFenced = isFenced
    }

    // MARK: Taking

    /// - Parameters:
    ///   - room: the number of jobs that could start now, 1 or more.
    ///   - cursors: see `JobTurns.cursors`.
    package func schedule(_ kinds: [String], room: Int, after cursors: [String: String] = [:]) async throws -> JobSchedule {
        let (now, count) = (clock.now, max(min(room, JobLimits.batchCount), JobLimits.headCount))
        return try await database.read { tx in
            let heads = try tx.rows(Self.heads(kinds, count: count)).map { row in
                JobSchedule.Head(
                    kind: try row.get("kind"), owner: try row.get("owner"), turn: try Self.turn(of: row), runAt: try row.get("run_at"),
                    id: try row.get("id"))
            }
            let expiry = try tx.row(Self.firstExpiry(kinds))?.get("lease_until", as: Timestamp?.self)
            var (others, looked): ([JobSchedule.Head], [String: String]) = ([], [:])
            for kind in kinds {
                let due = heads.filter { $0.kind == kind && $0.runAt <= now }
                // If fewer than `count` jobs of this kind are due, `due` contains all of them, and there are no others to look for.
                guard due.count >= count else { continue }
                let (found, last) = try Self.others(kind, beside: due, after: cursors[kind] ?? "", tx)
                others += found
                looked[kind] = last
            }
            return JobSchedule(heads: heads + others, firstExpiry: expiry ?? nil, cursors: looked)
        }
    }

    /// The first jobs of accounts that have none among `due`; if the jobs belong to no account, the first jobs of turn keys that have none
    /// among `due`.
    /// - Returns: the jobs, and the last account or turn key that was looked at. It is empty if the next look must begin with the first one
    ///   again.
    private static func others(
        _ kind: String, beside due: [JobSchedule.Head], after cursor: String, _ tx: ReadTransaction
    ) throws -> (heads: [JobSchedule.Head], last: String) {
        let areOwned = due.contains { $0.owner != nil }
        let known = Set(due.compactMap { areOwned ? $0.owner : $0.turn?.text })
        let count = areOwned ? JobLimits.accountCount : JobLimits.turnKeyCount
        let rows = try tx.rows(areOwned ? accounts(kind, after: cursor, count: count) : turnKeys(kind, after: cursor, count: count))
        var (heads, last): ([JobSchedule.Head], String) = ([], "")
        for row in rows {
            var owner: String?
            if areOwned { owner = try row.get("owner") }
            let turn = try Self.turn(of: row)
            last = owner ?? turn?.text ?? ""
            guard !known.contains(last) else { continue }
            heads.append(JobSchedule.Head(kind: kind, owner: owner, turn: turn, runAt: try row.get("run_at"), id: ""))
        }
        return (heads, rows.count < count ? "" : last)
    }

    private static func turn(of row: Row) throws -> JobTurnKey? {
        let text: String? = try row.get("turn_key")
        return text.map(JobTurnKey.init(text:))
    }

    /// Runs in the write that parks a job, with its kind, payload, owner and the reason.
    package typealias ParkedEffect = @Sendable (String, String, String?, String, WriteTransaction) throws -> Void

    package struct Claim: Sendable {
        /// The claimed jobs. The caller must start all of them.
        package var jobs: [ClaimedJob] = []
        /// Jobs that were parked because the worker of their last attempt died.
        package var parked: [(id: String, kind: String)] = []

        package var isEmpty: Bool { jobs.isEmpty && parked.isEmpty }
    }

    /// Claims jobs: first those with an expired lease, then the due ones in `schedule` that no other worker has claimed.
    ///
    /// - Parameters:
    ///   - policies: the policies of the kinds that this worker handles.
    ///   - room: the most jobs to claim.
    ///   - suspects: the most jobs among them that have lost several workers.
    ///   - turns: decide which of the due jobs are claimed.
    ///   - running: the jobs that this worker runs.
    ///   - whenParked: runs in the same write for each job that is parked. It receives the job's kind, payload and owner, and the reason.
    package func claim(
        _ policies: [String: JobPolicy], _ schedule: JobSchedule, room: Int, suspects: Int = 1,
        turns: JobTurns = JobTurns(), running: [ClaimedJob] = [],
        whenParked: @escaping ParkedEffect = { _, _, _, _, _ in }
    ) async throws -> Claim {
        let now = clock.now
        let count = min(room, JobLimits.batchCount)
        let shares = turns.shares(schedule, room: count, now: now, running: running.map(\.group))
        let hasExpired = schedule.firstExpiry.map { $0 <= now } ?? false
        // If nothing is chosen, each due job belongs to an account that has its share of the places already.
        guard hasExpired || !shares.isEmpty else { return Claim() }
        return try await database.write { tx in
            var claim = Claim()
            if hasExpired { try takeOver(policies, now: now, count: count, suspects: suspects, &claim, whenParked, tx) }
            for share in shares where claim.jobs.count < count {
                let taken = try tx.list(
                    take(share.group, now: now, count: min(share.count, count - claim.jobs.count), tx.skippingLocked),
                    ClaimedJob.init)
                // RETURNING does not guarantee an order.
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

    /// Extends leases. It does not wait for a transaction that is finishing one of the jobs, which may take long; the lease of that job is
    /// extended the next time. Until then, no other worker takes it over, because its row is locked.
    /// - Returns: the leases that this worker still holds. They include expired leases whose jobs no other worker has taken over. A lease
    ///   that another worker is taking over at this moment may be among them; `finish` and the other methods then refuse it.
    package func renew(_ leases: [JobLease]) async throws -> Set<JobLease> {
        guard !leases.isEmpty else { return [] }
        let until = clock.now + length
        return try await database.write { tx in
            try tx.run(Self.extend(leases, until: until, tx.skippingLocked))
            return Set(try tx.rows(Self.held(among: leases)).map { JobLease(id: try $0.get("id"), attempt: try $0.get("attempt")) })
        }
    }

    // MARK: Ending an attempt

    /// Applies the effect and removes the job in one transaction.
    /// - Throws: `LeaseLost` when this attempt has lost the lease; the effect is then rolled back.
    @discardableResult
    package func finish<T: Sendable>(
        _ lease: JobLease, _ effect: @escaping @Sendable (WriteTransaction) throws -> T = { (_: WriteTransaction) in }
    ) async throws -> T {
        try await database.write { [isFenced] tx in
            // Delete first: on PostgreSQL this locks the row until the effect is committed, and frees the key for a follow-up job.
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

    /// Schedules a retry at `time` after a failure.
    /// - Returns: `false` when this attempt has lost the lease; the same holds for the methods below.
    package func retry(_ lease: JobLease, at time: Timestamp, error: String) async throws -> Bool {
        try await database.write { tx in
            try tx.run(
                """
                UPDATE job SET state = 'ready', run_at = \(time), error = \(error), lease_until = NULL, worker = NULL
                WHERE id = \(lease.id) AND attempt = \(lease.attempt) AND state = 'running'
                """) == 1
        }
    }

    /// Parks the job after its last failure.
    /// - Parameter effect: runs in the same write, if this attempt still holds the lease.
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

    /// Gives the job back without recording a failure, because this worker stops: the attempt does not count, and another worker may claim
    /// the job at once.
    /// - Returns: `false` when the lease was lost.
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
