/// Work to be done later, with exactly one committed effect. It is a value that the database stores until it is done.
///
///     struct Transcode: Job {
///         static let kind = "media/transcode"
///         let media: String
///     }
///
/// A job may start more than once, even concurrently, because a slow worker looks like a dead one. So anything that a handler does outside
/// `JobRun.complete` must be idempotent.
package protocol Job: Codable, Sendable {
    /// The name under which it is stored, `module/verb`, at most 100 bytes. Never change it: jobs with that name may be waiting.
    static var kind: String { get }

    /// The number of attempts, the backoff and the timeout; default `JobPolicy()`.
    static var policy: JobPolicy { get }
}

extension Job {
    package static var policy: JobPolicy { JobPolicy() }
}
