package import Database

/// The handler of one kind of job.
package struct JobHandler: Sendable {
    package let kind: String
    let policy: JobPolicy
    /// The most attempts of this kind that a runner runs at a time; `nil` when only its number of places bounds them.
    let most: Int?
    let run: @Sendable (RunningJob, JobLeases) async throws -> Void
    /// Runs in the write that parks a job, with its payload as JSON, its owner, and the reason.
    let whenParked: @Sendable (String, String?, String, WriteTransaction) throws -> Void

    /// - Parameters:
    ///   - most: the most attempts of this kind that a runner runs at a time; default unlimited. Set it for jobs that would otherwise
    ///     occupy all places of the runner while they wait for each other, and for long jobs without an account or a party, to which no
    ///     other limit applies.
    ///   - whenParked: called when the job is parked, so that a feature that waits for the job learns it. It receives the payload, the
    ///     owner, and the stored reason. It runs in the write that parks the job: after the last attempt, after a `JobFailure.permanent`,
    ///     or when the worker of the last attempt died. Like every write's closure it may run twice, touches only its transaction, and
    ///     throws only what its statements throw.
    ///   - handle: runs one attempt. It must stop when it is cancelled, which means that the lease is lost, the time is up, or the server
    ///     stops. It must be safe to run again. When it returns, the job is done. When it throws, the job is retried; it is parked after
    ///     its last attempt or a `JobFailure.permanent`.
    package init<J: Job>(
        _ type: J.Type, most: Int? = nil,
        whenParked: (@Sendable (_ payload: J, _ owner: String?, _ reason: String, _ tx: WriteTransaction) throws -> Void)? = nil,
        _ handle: @escaping @Sendable (JobRun<J>) async throws -> Void
    ) {
        self.whenParked = { payload, owner, reason, tx in
            // If the payload is unreadable, `whenParked` cannot run.
            guard let whenParked, let payload = try? JobQueue.decode(J.self, payload) else { return }
            try whenParked(payload, owner, reason, tx)
        }
        kind = J.kind
        policy = J.policy
        self.most = most
        run = { running, leases in
            let run: JobRun<J>
            do {
                run = try JobRun<J>(running, leases)
            } catch {
                // A retry would not make it readable.
                throw JobFailure.permanent("the payload cannot be read: " + JobErrorText.of(error))
            }
            try await handle(run)
        }
    }
}
