/// Why a mail was not taken. Kept beside a job and shown to whoever runs the server: the server's own words are left out, because they
/// often repeat the address.
package enum SMTPFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// Worth another try: the server is away, busy, or makes strangers wait ("greylisting").
    case temporary(String)
    /// The same mail will be refused again.
    case permanent(String)

    package var description: String {
        switch self {
        case .temporary(let reason), .permanent(let reason): reason
        }
    }
}
