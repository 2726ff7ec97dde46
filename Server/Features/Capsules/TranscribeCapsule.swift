import Core
import Jobs

/// Finds out what was said in a capsule.
struct TranscribeCapsule: Job {
    static let kind = "capsules/transcribe"
    /// A provider that is away for some minutes costs a capsule its patience, not its transcript. Two hours of speech take a while; each
    /// piece of them has a time limit of its own.
    static let policy = JobPolicy(attempts: 5, firstBackoff: .seconds(30), longestBackoff: .minutes(10), timeout: .hours(6))

    let capsule: String
}
