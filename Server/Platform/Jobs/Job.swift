/// Work to be done later, once in effect, as a value that is kept in the database until it is done.
///
///     struct Transcode: Job {
///         static let kind = "media/transcode"
///         let media: String
///     }
///
/// It may be started more than once, also at the same time: a worker that is slow looks like one that is dead. What a handler does
/// outside of `JobRun.complete` must therefore bear being done again.
package protocol Job: Codable, Sendable {
    /// The name under which it is stored, `room/verb`, at most 100 bytes. Never changed: jobs of that name may be waiting.
    static var kind: String { get }

    /// How often and how long it is tried; `JobPolicy()` unless said otherwise.
    static var policy: JobPolicy { get }
}

extension Job {
    package static var policy: JobPolicy { JobPolicy() }
}
