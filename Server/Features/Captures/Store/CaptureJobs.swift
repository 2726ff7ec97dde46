import Core
import Jobs

// Each job of the pipeline has one committed effect, and enqueues the next job in the transaction of that effect. `version` names the
// content that a job works on: when the capture has changed since, the job does nothing, because the change has enqueued new jobs.

/// Transcribes a capture's recording.
struct TranscribeCapture: Job {
    static let kind = "captures/transcribe"
    static let policy = JobPolicy(attempts: 5, firstBackoff: .seconds(30), longestBackoff: .minutes(10), timeout: .hours(2))

    let capture: String
    let version: Int64
}

/// Analyses a capture.
struct AnalyseCapture: Job {
    static let kind = "captures/analyse"
    /// The retries outlast a provider's outage of some minutes; then the local analysis replaces the provider's.
    static let policy = JobPolicy(attempts: 5, firstBackoff: .seconds(5), longestBackoff: .minutes(5), timeout: .minutes(5))

    let capture: String
    let version: Int64
}

/// Analyses a capture that has a picture. Reading the text in a picture may take a minute, so these jobs have a limit of their own:
/// captures without a picture must not wait for them.
struct AnalysePicture: Job {
    static let kind = "captures/analyse-picture"
    static let policy = AnalyseCapture.policy
    /// The most such jobs at a time, if the analysis is made by rules: as many as pictures can be read at a time.
    static let most = 2
    /// The most such jobs at a time, if an engine outside the installation makes the analysis, which may take seconds.
    static let mostOutside = 3

    let capture: String
    let version: Int64
}

/// Makes the local analysis after a provider has failed.
struct StandInForAnalysis: Job {
    static let kind = "captures/stand-in"
    static let policy = JobPolicy(attempts: 5, firstBackoff: .seconds(1), longestBackoff: .minutes(5), timeout: .minutes(5))
    /// The most such jobs at a time. They read pictures, too.
    static let most = 2

    let capture: String
    let version: Int64
    /// The provider's last error.
    let error: String
}

/// Files an analysed capture: updates the contacts, the search index and the summary of its hour, and emits the event that the capture is
/// processed.
struct FileCapture: Job {
    static let kind = "captures/file"
    // The job is short and the last step before the client is notified, so it does not wait behind analyses.
    static let policy = JobPolicy(
        attempts: 10, firstBackoff: .seconds(1), longestBackoff: .minutes(10), timeout: .minutes(1), isUrgent: true)

    let capture: String
    let version: Int64
}
