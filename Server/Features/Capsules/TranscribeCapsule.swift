import Core
import Jobs

/// Transcribes a capsule's recording.
struct TranscribeCapsule: Job {
    static let kind = "capsules/transcribe"
    /// The retries last longer than a provider's outage of some minutes. The timeout is long enough for two hours of speech; each segment
    /// has its own time limit.
    static let policy = JobPolicy(attempts: 5, firstBackoff: .seconds(30), longestBackoff: .minutes(10), timeout: .hours(6))

    let capsule: String
}
