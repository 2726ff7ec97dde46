import Core
import Jobs
import KeepsakeWire
import Logging
import Web

/// `POST /admin/jobs/{id}/retry`: runs a parked job again.
struct RetryJob: Sendable {
    let store: JobStore
    let logger: Logger

    /// - Throws: `.forbidden` unless the caller is an administrator; `.notFound`; `.conflict` for a job that is not parked.
    func handle(_ input: AdminJobPath, _ context: WebContext) async throws -> AdminJob {
        let administrator = try context.requireAdministrator()
        guard let job = try await store.retried(input.id) else {
            guard try await store.show(input.id) != nil else {
                throw Problem(.notFound, "There is no such job. Completed jobs are deleted.")
            }
            throw Problem(.conflict, "This job is not parked.")
        }
        logger.notice(
            "an administrator retried a job",
            metadata: ["job": "\(job.id)", "kind": "\(job.kind)", "administrator": "\(administrator.accountID)"])
        return AdminJob(job)
    }
}
