/// What a handler throws on purpose. Anything else it throws is tried again.
package enum JobFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// Trying again would not help: the job is parked at once. The reason is kept beside it and shown to whoever runs the server,
    /// so it names no person, no place and no content.
    case permanent(String)
    /// It is tried again as anything else is, but not before that time has passed: whoever was asked said so. The reason is kept likewise.
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
