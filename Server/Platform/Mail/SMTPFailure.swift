/// The reason why a mail was not sent. It is stored with a job and shown to operators. It omits the server's own text, which often repeats
/// the address.
package enum SMTPFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// A retry may help: the server is unreachable, busy, or delays unknown senders ("greylisting").
    case temporary(String)
    /// A retry would be refused again.
    case permanent(String)

    package var description: String {
        switch self {
        case .temporary(let reason), .permanent(let reason): reason
        }
    }
}
