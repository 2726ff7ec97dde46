import Core
import Jobs

/// What the job does.
struct TranscriptionWork: Sendable {
    let store: CapsuleStore

    func run(_ run: JobRun<TranscribeCapsule>) async throws {
        let id = run.payload.capsule
        guard let owner = run.owner else { throw JobFailure.permanent("the job names no owner") }
        try await run.complete { [store] tx in try store.finish(id, owner: owner, CapsuleStore.Finding(engine: "off"), tx) }
    }
}
