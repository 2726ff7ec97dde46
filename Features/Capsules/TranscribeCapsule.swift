import Core
import Jobs

/// Finds out what was said in a capsule.
struct TranscribeCapsule: Job {
    static let kind = "capsules/transcribe"
    let capsule: String
}
