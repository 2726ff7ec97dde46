internal import Core
internal import Jobs

/// The parts of a mail's turn key, so that a mail domain that answers slowly, and a network that asks for many mails, delay only their own
/// mails. The party is the network that asked for a mail to an address without an account, for IPv6 its site; the target is the domain of
/// the address.
///
/// Nobody learns from a job who asked, or whom it is for: see `JobTurnKey.part`.
enum MailTurns {
    /// - Returns: `nil` for a request through a Unix socket.
    static func party(_ network: Network?) -> String? { network.map { JobTurnKey.part(of: ($0.site ?? $0).description) } }

    static func target(_ email: String) -> String {
        JobTurnKey.part(of: String(email[(email.lastIndex(of: "@") ?? email.startIndex)...]).lowercased())
    }
}
