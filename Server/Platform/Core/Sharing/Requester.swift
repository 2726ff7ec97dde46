/// On whose behalf the present task works. Every shared resource counts its shares by account and by network.
package struct Requester: Hashable, Sendable {
    /// The id of the account that is signed in; `nil` before sign-in and for a signed link.
    package var account: String?
    /// The network the request came from; `nil` on a Unix socket and in a job.
    package var network: Network?

    package init(account: String?, network: Network?) {
        self.account = account
        self.network = network
    }

    /// The server itself: jobs and upkeep.
    package static let server = Requester(account: nil, network: nil)

    /// Names a share of a resource.
    package enum Share: Hashable, Sendable {
        case account(String)
        case network(Network)
        case server
    }

    /// Whose share counts when turns alternate: the account's if there is one, otherwise the network's, otherwise the server's.
    package var share: Share {
        if let account { return .account(account) }
        return networkShare
    }

    /// The share that all accounts of the requester's network have together. Without a network it is the same as `share`.
    package var networkShare: Share {
        if let network { return .network(network) }
        return account.map { .account($0) } ?? .server
    }
}

// MARK: The present task

/// Knows on whose behalf a task works. It is asked each time: a request learns its account after its task has begun.
package protocol RequesterSource: AnyObject, Sendable {
    var requester: Requester { get }
}

extension Requester {
    /// Set once for every request. Child tasks and `Task {}` inherit it.
    @TaskLocal package static var source: (any RequesterSource)?

    /// The requester of the present task: first with its network, then also with its account once the credential was checked. `server`
    /// outside of a request.
    package static var current: Requester { source?.requester ?? .server }

    private final class Fixed: RequesterSource {
        let requester: Requester
        init(_ requester: Requester) { self.requester = requester }
    }

    /// Runs `work` on the requester's behalf.
    package func run<T>(_ work: () throws -> T) rethrows -> T {
        try Self.$source.withValue(Fixed(self), operation: work)
    }

    /// Runs `work` on the requester's behalf.
    package func run<T>(_ work: () async throws -> T) async rethrows -> T {
        try await Self.$source.withValue(Fixed(self), operation: work)
    }
}
