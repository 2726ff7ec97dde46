/// On whose behalf the present task works. Every shared resource counts its shares by account and by network.
package struct Requester: Hashable, Sendable {
    /// The id of the account that is signed in; `nil` before sign-in and for a signed link.
    package var account: String?
    /// The network the request came from: an IPv4 address, or the /64 of an IPv6 address; `nil` on a Unix socket and in a job.
    package var network: String?

    package init(account: String?, network: String?) {
        self.account = account
        self.network = network
    }

    /// The server itself: jobs and upkeep.
    package static let server = Requester(account: nil, network: nil)

    /// Set for every request, first with its network, then with its account once that is known. Child tasks and `Task {}` inherit it.
    @TaskLocal package static var current = Requester.server

    /// Names the share when turns alternate: the account if there is one, otherwise the network, otherwise the server.
    package var share: String {
        if let account { return "account \(account)" }
        if let network { return "network \(network)" }
        return "server"
    }
}
