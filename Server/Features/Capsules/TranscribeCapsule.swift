import Core
import Jobs

/// Transcribes a capsule's recording.
struct TranscribeCapsule: Job {
    static let kind = "capsules/transcribe"
    /// The retries outlast a provider's outage of some minutes. The timeout allows for two hours of speech; each segment has a time limit
    /// of its own.
    static let policy = JobPolicy(attempts: 5, firstBackoff: .seconds(30), longestBackoff: .minutes(10), timeout: .hours(6))

    let capsule: String
}
