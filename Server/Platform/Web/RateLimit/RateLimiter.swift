package import Core
import Crypto
package import Database
import KeepsakeWire

/// Refuses requests that exceed their rate limit, and says how long to wait.
package struct RateLimiter: Sendable {
    private let limits: RateLimits
    private let buckets: any BucketKeeper

    /// Counts in this process alone. Use it where one process serves all requests.
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
        throw Problem(.tooManyRequests, "Too many requests. Try again after the time in Retry-After.", retryAfter: wait)
    }

    /// Waits until the subject has a token, and spends it.
    func wait(_ kind: RateClass, _ subject: Subject) async throws {
        while let pause = try await buckets.take(Key(kind: kind, subject: subject), limits.rate(kind, subject)) {
            try await Task.sleep(for: pause)
        }
    }

    /// Spends one token of the account, and one of its network, for a call to an engine outside the installation.
    /// - Parameter network: `nil` for a job.
    /// - Returns: how long to wait for a token; `nil` when the call may be made.
    package func takeOutsideCall(account: String, network: Network?) async throws -> Duration? {
        if let wait = try await take(.outside(account)) { return wait }
        guard let network else { return nil }
        return try await take(.outsideFrom(network))
    }

    private func take(_ subject: Subject) async throws -> Duration? {
        try await buckets.take(Key(kind: .write, subject: subject), limits.rate(.write, subject))
    }

    /// What a bucket counts.
    enum Subject: Hashable, Sendable {
        case account(String)
        case address(Network)
        /// An account name in an attempt to sign in, whether such an account exists or not.
        case name(String)
        /// Attempts of one network to sign in as this name.
        case triedFrom(Network?, name: String)
        /// Password resets that one network requests for this name.
        case forgottenFrom(Network?, name: String)
        /// Registrations of this name by one network.
        case registeredFrom(Network?, name: String)
        /// A device that has signed in to an account before.
        case device(String)
        /// An account's calls to engines outside the installation.
        case outside(String)
        /// Such calls of all accounts of a network.
        case outsideFrom(Network)
    }

    struct Key: Hashable, Sendable {
        let kind: RateClass
        let subject: Subject

        /// The key in the database. Names and addresses are hashed, so that nobody who reads the table learns them.
        var text: String {
            switch subject {
            case .account(let id): "\(kind.rawValue) account \(id)"
            case .address(let network): "\(kind.rawValue) address \(Self.digest(network.description))"
            case .name(let name): "\(kind.rawValue) name \(Self.digest(name))"
            case .triedFrom(let network, let name): "\(kind.rawValue) tried \(Self.digest(network, name))"
            case .forgottenFrom(let network, let name): "\(kind.rawValue) forgotten \(Self.digest(network, name))"
            case .registeredFrom(let network, let name): "\(kind.rawValue) registered \(Self.digest(network, name))"
            case .device(let id): "\(kind.rawValue) device \(Self.digest(id))"
            case .outside(let account): "\(kind.rawValue) outside \(account)"
            case .outsideFrom(let network): "\(kind.rawValue) outside from \(Self.digest(network.description))"
            }
        }

        private static func digest(_ network: Network?, _ name: String) -> String { digest("\(network?.description ?? "") \(name)") }
        private static func digest(_ text: String) -> String { Base64URL.encode(SHA256.hash(data: Array(text.utf8))) }
    }
}

/// Stores buckets, in memory or in the database.
protocol BucketKeeper: Sendable {
    /// Takes one token.
    /// - Returns: how long to wait for a token; `nil` when one was taken.
    func take(_ key: RateLimiter.Key, _ rate: Rate) async throws -> Duration?
}
