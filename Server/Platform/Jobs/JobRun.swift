package import Database

/// One attempt at a job, as its handler sees it.
package struct JobRun<J: Job>: Sendable {
    package let id: String
    package let payload: J
    /// The account whose data the payload contains.
    package let owner: String?
    /// The key by which the job takes turns, in addition to its account.
    package let turn: JobTurnKey?
    /// Increases with each attempt and is never reused, so it can name what this attempt creates.
    package let attempt: Int
    /// Attempts that count, including this one: 1...`policy.attempts`.
    package let tries: Int
    private let leases: JobLeases
    private let running: RunningJob

    init(_ running: RunningJob, _ leases: JobLeases) throws {
        payload = try JobQueue.decode(J.self, running.job.payload)
        id = running.job.lease.id
        owner = running.job.owner
        turn = running.job.turn
        attempt = running.job.lease.attempt
        tries = running.job.tries
        self.leases = leases
        self.running = running
    }

    /// - Returns: `owner`, for a job that always has one.
    /// - Throws: a permanent failure when the job has none.
    package func requireOwner() throws -> String {
        guard let owner else { throw JobFailure.permanent("the job names no owner") }
        return owner
    }

    /// Applies the job's effect and ends the job in one transaction. Enqueue follow-up jobs in `effect` too. Call it at most once; a
    /// handler without an effect on the database need not call it.
    ///
    /// - Parameter effect: a write's closure, so it **may run twice** and touches only its transaction.
    /// - Throws: `LeaseLost` when another attempt has the job, or the job is already completed; the error of `effect`; `DatabaseError`.
    @discardableResult
    package func complete<T: Sendable>(_ effect: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        try await running.completing { try await leases.finish(running.job.lease, effect) }
    }
}
