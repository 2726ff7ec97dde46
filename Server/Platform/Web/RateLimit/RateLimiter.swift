package import Core
import Crypto
package import Database
import KeepsakeWire

/// Refuses what comes too often, with the time to wait.
package struct RateLimiter: Sendable {
    private let limits: RateLimits
    private let buckets: any BucketKeeper

    /// Counts in this process alone: right where one process serves all.
    package static func local(_ limits: RateLimits, clock: WallClock) -> RateLimiter {
        RateLimiter(limits: limits, buckets: LocalBuckets(clock: clock))
    }

    /// Counts in the database, for all nodes together.
    package static func shared(_ limits: RateLimits, _ database: any Database, clock: WallClock) -> RateLimiter {
        RateLimiter(limits: limits, buckets: SharedBuckets(database: database, clock: clock))
    }

    private init(limits: RateLimits, buckets: any BucketKeeper) {
        self.limits = limits
        self.buckets = buckets
    }

    /// Spends one token of `subject`.
    /// - Throws: `Problem(.tooManyRequests)` with `Retry-After` when there is none.
    func spend(_ kind: RateClass, _ subject: Subject) async throws {
        guard let wait = try await buckets.take(Key(kind: kind, subject: subject), limits.rate(kind, subject)) else { return }
        throw Problem(.tooManyRequests, "Too many requests. Slow down.", retryAfter: wait)
    }

    /// Whose bucket.
    enum Subject: Hashable, Sendable {
        case account(String)
        case address(Network)
        /// What somebody tries to sign in as, whether there is such an account or not.
        case name(String)
        /// The same, tried by one network.
        case triedFrom(Network?, name: String)
        /// A new password is asked for, by one network.
        case forgottenFrom(Network?, name: String)
        /// An account is to be made, by one network.
        case registeredFrom(Network?, name: String)
        /// One that signed in to an account before and tries again.
        case device(String)
    }

    struct Key: Hashable, Sendable {
        let kind: RateClass
        let subject: Subject

        /// As the database has it. Hashed where it names a person: an address or a name is nobody's business who reads the table.
        var text: String {
            switch subject {
            case .account(let id): "\(kind.rawValue) account \(id)"
            case .address(let network): "\(kind.rawValue) address \(Self.digest(network.description))"
            case .name(let name): "\(kind.rawValue) name \(Self.digest(name))"
            case .triedFrom(let network, let name): "\(kind.rawValue) tried \(Self.digest(network, name))"
            case .forgottenFrom(let network, let name): "\(kind.rawValue) forgotten \(Self.digest(network, name))"
            case .registeredFrom(let network, let name): "\(kind.rawValue) registered \(Self.digest(network, name))"
            case .device(let id): "\(kind.rawValue) device \(Self.digest(id))"
            }
        }

        private static func digest(_ network: Network?, _ name: String) -> String { digest("\(network?.description ?? "") \(name)") }
        private static func digest(_ text: String) -> String { Base64URL.encode(SHA256.hash(data: Array(text.utf8))) }
    }
}

/// Keeps buckets: in memory, or in the database.
protocol BucketKeeper: Sendable {
    /// Takes one token.
    /// - Returns: how long to wait when there was none; `nil` when one was taken.
    func take(_ key: RateLimiter.Key, _ rate: Rate) async throws -> Duration?
}
