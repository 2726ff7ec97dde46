internal import Core
internal import Crypto

/// The parts of a mail's turn key, so that a mail domain that answers slowly, and a network that asks for many mails, delay only their own
/// mails. The party is the network that asked for a mail to an address without an account; the target is the domain of the address.
///
/// Each part is 16 bits of a hash, which thousands of networks and domains share: nobody learns from a job who asked, or whom it is for.
/// All nodes compute the same parts.
enum MailTurns {
    /// - Returns: `nil` for a request through a Unix socket.
    static func party(_ network: Network?) -> String? { network.map { short($0.description) } }

    static func target(_ email: String) -> String {
        short(String(email[(email.lastIndex(of: "@") ?? email.startIndex)...]).lowercased())
    }

    private static func short(_ text: String) -> String { Hex.encode(SHA256.hash(data: Array(text.utf8)).prefix(2)) }
}
