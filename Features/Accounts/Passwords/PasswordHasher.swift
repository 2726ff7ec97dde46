internal import Core
internal import NIOPosix
internal import Synchronization

/// Runs scrypt where it may take its time: on threads of its own, few of them because each guess takes 32 MiB.
final class PasswordHasher: Sendable {
    static let threads = 2
    /// Passwords waiting for a thread. More would wait for longer than people do.
    static let waitingLimit = 16

    private let cost: PasswordCost
    private let entropy: Entropy
    private let pool: NIOThreadPool
    /// Checked for accounts that are not there or have no password, so that they answer no sooner.
    private let nobody: PasswordHash
    private let taken = Mutex(0)

    init(cost: PasswordCost, entropy: Entropy) {
        self.cost = cost
        self.entropy = entropy
        nobody = PasswordHash(nobodyWith: cost, entropy: entropy)
        pool = NIOThreadPool(numberOfThreads: Self.threads)
        pool.start()
    }

    // What is running keeps its caller waiting, and so this object alive: nothing is cut off.
    deinit { pool.shutdownGracefully { _ in } }

    /// - Throws: `.unavailable` when too many passwords are waiting already.
    func hash(_ password: Secret<[UInt8]>) async throws -> PasswordHash {
        try await run { [cost, entropy] in
            try PasswordHash(of: password, cost: cost, salt: entropy.bytes(PasswordHash.saltByteCount))
        }
    }

    /// - Parameter stored: `nil` when there is no such account or it has no password; the answer is then `false`, after the same work.
    /// - Throws: `.unavailable` when too many passwords are waiting already.
    func matches(_ password: Secret<[UInt8]>, _ stored: PasswordHash?) async throws -> Bool {
        let hash = stored ?? nobody
        let matches = try await run { try hash.matches(password) }
        return matches && stored != nil
    }

    /// True when the hash was made at another cost than today's.
    func isOutdated(_ hash: PasswordHash) -> Bool { hash.cost != cost }

    private func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        let hasRoom = taken.withLock { taken in
            guard taken < Self.threads + Self.waitingLimit else { return false }
            taken += 1
            return true
        }
        guard hasRoom else {
            throw Problem(.unavailable, "Too many people are signing in at this moment. Try again soon.", retryAfter: .seconds(2))
        }
        defer { taken.withLock { $0 -= 1 } }
        return try await pool.runIfActive(work)
    }
}
