internal import Core
internal import NIOPosix

/// Runs scrypt where it may take its time: on threads of its own, few of them because each guess takes 32 MiB. Networks take turns, so
/// a crowd of one network delays somebody of another by one password.
final class PasswordHasher: Sendable {
    static let threads = 2
    /// Passwords of one network that are worked on at a time: the other thread is for the others.
    static let threadsPerNetwork = 1
    /// Passwords waiting for a thread: about 3 s for the last of them. Once so many wait, one of a network that has few replaces the newest
    /// of the network that has most (`FairSemaphore.Limits.waiting`), so a few networks do not keep others out.
    static let waitingLimit = 64
    static let waitingPerNetwork = 16

    private let cost: PasswordCost
    private let entropy: Entropy
    private let pool: NIOThreadPool
    /// Checked for accounts that are not there or have no password, so that they answer no sooner.
    private let nobody: PasswordHash
    private let turns: FairSemaphore

    /// - Parameter isFair: `false` lets all networks wait in one line, as a test's control.
    init(cost: PasswordCost, entropy: Entropy, isFair: Bool = true) {
        self.cost = cost
        self.entropy = entropy
        self.isFair = isFair
        nobody = PasswordHash(nobodyWith: cost, entropy: entropy)
        turns = FairSemaphore(
            .init(
                permits: Self.threads, permitsPerKey: isFair ? Self.threadsPerNetwork : Self.threads, waiting: Self.waitingLimit,
                waitingPerKey: isFair ? Self.waitingPerNetwork : Self.waitingLimit))
        pool = NIOThreadPool(numberOfThreads: Self.threads)
        pool.start()
    }

    private let isFair: Bool

    // What is running keeps its caller waiting, and so this object alive: nothing is cut off.
    deinit { pool.shutdownGracefully { _ in } }

    /// - Throws: `.tooManyRequests` when too many passwords of the caller's network are waiting, `.unavailable` when too many of all networks
    ///   are and none has two more than the caller's.
    func hash(_ password: Secret<[UInt8]>) async throws -> PasswordHash {
        try await run { [cost, entropy] in
            try PasswordHash(of: password, cost: cost, salt: entropy.bytes(PasswordHash.saltByteCount))
        }
    }

    /// - Parameter stored: `nil` when there is no such account or it has no password; the answer is then `false`, after the same work.
    /// - Throws: as `hash`.
    func matches(_ password: Secret<[UInt8]>, _ stored: PasswordHash?) async throws -> Bool {
        let hash = stored ?? nobody
        let matches = try await run { try hash.matches(password) }
        return matches && stored != nil
    }

    /// True when the hash was made at another cost than today's.
    func isOutdated(_ hash: PasswordHash) -> Bool { hash.cost != cost }

    private func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        let permit: FairSemaphore.Permit
        do {
            permit = try await turns.acquire(for: isFair ? Requester(account: nil, network: Requester.current.network) : .server)
        } catch FairQueueRefusal.keyIsFull {
            throw Problem(
                .tooManyRequests, "Too many people are signing in from your network at this moment. Try again soon.",
                retryAfter: .seconds(2))
        } catch is FairQueueRefusal {
            throw Problem(.unavailable, "Too many people are signing in at this moment. Try again soon.", retryAfter: .seconds(2))
        }
        defer { permit.release() }
        return try await pool.runIfActive(work)
    }
}
