internal import Core
internal import NIOPosix

#if canImport(Glibc)
    internal import Glibc
#endif

/// Runs scrypt on its own threads. There are only a few, because each hash takes 32 MiB of memory. Networks take turns, and all IPv6
/// networks of one /48 count as one network: however many requests one network sends, they delay a request of another network by the time
/// of one hash. While the process is large, one thread waits for the other (`HashMemory`), so several networks together may delay a request
/// by two hashes.
final class PasswordHasher: Sendable {
    static let threads = 2
    /// The most passwords of one network that are hashed at a time. The other thread stays free for other networks.
    static let threadsPerNetwork = 1
    /// The most passwords that wait for a thread; the last one waits about 3 s, or 6 s while the process is large. When the queue is full,
    /// a request of a network with few waiting requests replaces the newest request of the network with the most
    /// (`FairSemaphore.Limits.waiting`), so that a few networks cannot keep others out.
    static let waitingLimit = 64
    static let waitingPerNetwork = 16

    private let cost: PasswordCost
    private let entropy: Entropy
    private let pool: NIOThreadPool
    /// The hash against which a password is checked when the account does not exist or has no password, so that the response takes the same
    /// time.
    private let nobody: PasswordHash
    private let turns: FairSemaphore
    private let memory = HashMemory()

    /// - Parameter isFair: `false` makes all networks wait in one queue, as the control of a test.
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

    // A running hash suspends its caller, which keeps this object alive, so the shutdown interrupts nothing.
    deinit { pool.shutdownGracefully { _ in } }

    /// - Throws: `.tooManyRequests` when too many passwords of the caller's network are waiting; `.unavailable` when the queue is full and
    ///   no network has at least two more waiting than the caller's.
    func hash(_ password: Secret<[UInt8]>) async throws -> PasswordHash {
        try await run { [cost, entropy] in
            try PasswordHash(of: password, cost: cost, salt: entropy.bytes(PasswordHash.saltByteCount))
        }
    }

    /// - Parameter stored: `nil` when the account does not exist or has no password; the result is then `false`, after the same work.
    /// - Throws: as `hash`.
    func matches(_ password: Secret<[UInt8]>, _ stored: PasswordHash?) async throws -> Bool {
        let hash = stored ?? nobody
        let matches = try await run { try hash.matches(password) }
        return matches && stored != nil
    }

    /// Whether the hash was made at another cost than the current one.
    func isOutdated(_ hash: PasswordHash) -> Bool { hash.cost != cost }

    private func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        let permit: FairSemaphore.Permit
        do {
            permit = try await turns.acquire(
                for: isFair ? Requester(account: nil, network: Self.caller) : .server, holder: Requester.source?.turns)
        } catch FairQueueRefusal.keyIsFull {
            throw Problem(
                .tooManyRequests, "Too many people are signing in from your network at this moment. Try again soon.",
                retryAfter: .seconds(2))
        } catch is FairQueueRefusal {
            throw Problem(.unavailable, "Too many people are signing in at this moment. Try again soon.", retryAfter: .seconds(2))
        }
        defer { permit.release() }
        return try await pool.runIfActive { [memory] in
            Self.yieldToRequests()
            return try memory.use(work)
        }
    }

    /// The IPv4 network of the request, or the /48 of its IPv6 network: before somebody has signed in, all networks of a site take turns as
    /// one.
    private static var caller: Network? { Requester.current.network.map { $0.site ?? $0 } }

    /// Lowers the priority of the current thread, which belongs to the pool. A hash takes about 100 ms of processor time, and on two
    /// processors two hashes would delay every other request. While nothing else runs, a hash is as fast as before. The priority is only
    /// slightly lower: beside one busy thread, a hash gets 44 % of a processor. With a value of 5 it would get 25 %, and sign-in would take
    /// four times as long. Darwin has no such priorities for threads.
    private static func yieldToRequests() {
        #if canImport(Glibc)
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 1)
        #endif
    }
}
