internal import Core
internal import Jobs

/// Makes the two parts of a mail job's turn key. They keep a mail domain that answers slowly, and a network that requests many mails, from
/// delaying other mails. The party is the network that requested a mail to an address without an account (for IPv6, the network's site).
/// The target is the domain of the address.
///
/// A job does not reveal who requested the mail or who receives it, see `JobTurnKey.part`.
enum MailTurns {
    /// - Returns: `nil` for a request through a Unix socket.
    static func party(_ network: Network?) -> String? { network.map { JobTurnKey.part(of: ($0.site ?? $0).description) } }

    static func target(_ email: String) -> String {
        JobTurnKey.part(of: String(email[(email.lastIndex(of: "@") ?? email.startIndex)...]).lowercased())
    }
}
