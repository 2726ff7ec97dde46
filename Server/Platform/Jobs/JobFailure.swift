/// The errors by which a handler controls retries. The runner retries after any other error.
package enum JobFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// A retry would not help: the job is parked at once. The reason is stored with the job and shown to operators, so it must not contain
    /// names, places or content.
    case permanent(String)
    /// The job is retried as after any other error, but not before `after` has passed, for example because a service sent Retry-After. The
    /// reason is stored in the same way.
    case temporary(String, after: Duration)

    package var description: String {
        switch self {
        case .permanent(let reason), .temporary(let reason, _): reason
        }
    }

    package var isPermanent: Bool {
        if case .permanent = self { true } else { false }
    }
}
