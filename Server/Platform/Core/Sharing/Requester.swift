internal import Synchronization

/// On whose behalf the current task works. Every shared resource limits the share of each account and of each network.
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

    /// The key under which a resource counts what a requester holds.
    package enum Share: Hashable, Sendable {
        case account(String)
        case network(Network)
        case server
    }

    /// The share that takes turns with others: the account's if there is one, otherwise the network's, otherwise the server's.
    package var share: Share {
        if let account { return .account(account) }
        return networkShare
    }

    /// The share of all accounts of the requester's network together. Without a network it is the same as `share`.
    package var networkShare: Share {
        if let network { return .network(network) }
        return account.map { .account($0) } ?? .server
    }
}

// MARK: The current task

/// Supplies a task's requester. The requester is read at each use, because a request learns its account after its task has begun.
package protocol RequesterSource: AnyObject, Sendable {
    var requester: Requester { get }
    /// The turns that the tasks of this source hold.
    var turns: HeldTurns { get }
}

/// Counts the scarce turns, such as permits of `FairWork`, that the tasks of one source hold while other requests wait for the same turns.
/// A task that holds such a turn must not wait until other work of its account has ended, because everybody who needs the turn would
/// wait, too. So the threads that run handlers, and the connections to PostgreSQL, serve the task early. The media workers and
/// `FairSemaphore` serve it before other work of its account.
package final class HeldTurns: Sendable {
    private let count = Atomic(0)

    package init() {}

    package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    func begin() { count.add(1, ordering: .relaxed) }
    func end() { count.subtract(1, ordering: .relaxed) }
}

extension Requester {
    /// Set once for every request. Child tasks and `Task {}` inherit it.
    @TaskLocal package static var source: (any RequesterSource)?

    /// The requester of the current task; `server` outside of a request. In a request it first has only its network. It has its account
    /// once the credential is verified.
    package static var current: Requester { source?.requester ?? .server }

    /// Whether the current task, or another one of the same request, holds a scarce turn.
    package static var holdsTurn: Bool { source.map { !$0.turns.isEmpty } ?? false }

    private final class Fixed: RequesterSource {
        let requester: Requester
        let turns: HeldTurns

        /// The current task keeps the turns that it holds, except for the server's own work, which has its own share of every resource.
        init(_ requester: Requester, holdsTurn: Bool) {
            self.requester = requester
            if !holdsTurn, requester != .server, let source = Requester.source {
                turns = source.turns
            } else {
                turns = HeldTurns()
                if holdsTurn { turns.begin() }
            }
        }
    }

    /// Runs `work` on the requester's behalf.
    package func run<T>(_ work: () throws -> T) rethrows -> T {
        try Self.$source.withValue(Fixed(self, holdsTurn: false), operation: work)
    }

    /// Runs `work` on the requester's behalf.
    package func run<T>(_ work: () async throws -> T) async rethrows -> T {
        try await Self.$source.withValue(Fixed(self, holdsTurn: false), operation: work)
    }

    /// Runs `work` on the requester's behalf. The caller holds a scarce turn until `work` has ended. Use this method where no request
    /// counts the turn, for example in a job.
    package func runHoldingTurn<T>(_ work: () async throws -> T) async rethrows -> T {
        try await Self.$source.withValue(Fixed(self, holdsTurn: true), operation: work)
    }
}
