/// What a handler throws on purpose. Anything else it throws is tried again.
package enum JobFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// Trying again would not help: the job is parked at once. The reason is kept beside it and shown to whoever runs the server,
    /// so it names no person, no place and no content.
    case permanent(String)

    package var description: String {
        switch self {
        case .permanent(let reason): reason
        }
    }
}
