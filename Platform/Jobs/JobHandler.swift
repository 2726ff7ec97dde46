/// What does the jobs of one kind.
package struct JobHandler: Sendable {
    package let kind: String
    let policy: JobPolicy
    let run: @Sendable (RunningJob, JobLeases) async throws -> Void

    /// - Parameter handle: heeds being cancelled, which means that the job is no longer its own or that the time is up, and bears being
    ///   started again. When it returns, the job is done; when it throws, the job is tried again, or parked after its last attempt or
    ///   by a `JobFailure.permanent`.
    package init<J: Job>(_ type: J.Type, _ handle: @escaping @Sendable (JobRun<J>) async throws -> Void) {
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
