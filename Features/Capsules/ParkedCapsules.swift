import Core
import Database
import Jobs
import Wire

/// A job that was parked because its workers died, or its time was over, had nobody to tell its capsule.
struct ParkedCapsules: Sendable {
    let store: CapsuleStore
    let jobs: JobStore

    func settle() async throws {
        var cursor: JobCursor?
        repeat {
            let page = try await jobs.list(state: .parked, kind: TranscribeCapsule.kind, after: cursor, limit: 100)
            for job in page {
                guard let id = job.key, let owner = job.owner else { continue }
                try await store.fail(id, owner: owner, reason: job.error ?? "its job was parked")
            }
            cursor = page.count == 100 ? page.last?.cursor : nil
        } while cursor != nil
    }
}
