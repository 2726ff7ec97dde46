package import Database

/// What does the jobs of one kind.
package struct JobHandler: Sendable {
    package let kind: String
    let policy: JobPolicy
    let run: @Sendable (RunningJob, JobLeases) async throws -> Void
    /// Part of the write that parks a job: its payload as JSON, its owner, and the reason.
    let whenParked: @Sendable (String, String?, String, WriteTransaction) throws -> Void

    /// - Parameters:
    ///   - whenParked: tells whoever waits for a job that it was parked, with the job's owner and the reason that is kept beside it. It
    ///     is part of the write that parks the job, however that came about: after the last attempt, by a `JobFailure.permanent`, or
    ///     because the last attempt's worker died. As a write's closure it may run twice and touches only its transaction; it throws
    ///     only what its statements throw.
    ///   - handle: heeds being cancelled, which means that the job is no longer its own or that the time is up, and bears being
    ///     started again. When it returns, the job is done; when it throws, the job is tried again, or parked after its last attempt or
    ///     by a `JobFailure.permanent`.
    package init<J: Job>(
        _ type: J.Type,
        whenParked: (@Sendable (_ payload: J, _ owner: String?, _ reason: String, _ tx: WriteTransaction) throws -> Void)? = nil,
        _ handle: @escaping @Sendable (JobRun<J>) async throws -> Void
    ) {
        self.whenParked = { payload, owner, reason, tx in
            // A payload that cannot be read names nobody who waits.
            guard let whenParked, let payload = try? JobQueue.decode(J.self, payload) else { return }
            try whenParked(payload, owner, reason, tx)
        }
        kind = J.kind
        policy = J.policy
        run = { running, leases in
            let run: JobRun<J>
            do {
                run = try JobRun<J>(running, leases)
            } catch {
                // It will not read better the next time.
                throw JobFailure.permanent("the payload cannot be read: " + JobErrorText.of(error))
            }
            try await handle(run)
        }
    }
}
