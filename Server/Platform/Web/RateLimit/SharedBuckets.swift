package import Core
package import Database
import KeepsakeWire
import Synchronization

/// Keeps the buckets of all nodes in the database. A node takes several tokens of a large bucket at once and spends them from memory, so
/// that few requests wait for a write. Small buckets, and those that guard sign-in, are exact.
///
/// A refusal contains the time of the next token. Until then the node refuses from memory: other nodes can only take tokens, never add one.
/// A client that ignores refusals therefore costs the database one statement for each token, not several durable writes of one row for each
/// request.
package final class SharedBuckets: BucketKeeper {
    /// A node takes 1/`share` of a bucket's burst at once. If the burst is smaller than `share`, it takes single tokens.
    static let share = 20
    /// Unspent tokens expire after this time, because the bucket has refilled meanwhile.
    private static let reserveLifetime = Duration.seconds(5)
    private static let knownLimit = 100_000

    /// What the node knows about a bucket without asking the database.
    private struct Known {
        /// Tokens that were taken and not spent yet, until `tokensUntil`.
        var tokens = 0
        var tokensUntil = Timestamp(microseconds: 0)
        /// Until when the bucket is empty.
        var emptyUntil = Timestamp(microseconds: 0)
        /// Until when the bucket has fewer tokens than the node takes at once.
        var lowUntil = Timestamp(microseconds: 0)

        func isUseful(at now: Timestamp) -> Bool { tokensUntil > now || emptyUntil > now || lowUntil > now }
    }

    private struct State {
        var known: [RateLimiter.Key: Known] = [:]
        /// The buckets of which a request takes several tokens at the moment, and the requests that wait for it.
        var fetches: [RateLimiter.Key: [CheckedContinuation<Void, any Error>]] = [:]
    }

    private let database: any Database
    private let clock: WallClock
    private let state = Mutex(State())

    package init(database: any Database, clock: WallClock) {
        self.database = database
        self.clock = clock
    }

    package static let migrations = [
        Migration(
            "web/002-rate-bucket",
            [
                // full_at: when the bucket is full again. A full one needs no row.
                "CREATE TABLE rate_bucket (key TEXT COLLATE \"C\" PRIMARY KEY NOT NULL, full_at BIGINT NOT NULL)",
                "CREATE INDEX rate_bucket_full_at ON rate_bucket (full_at)",
            ])
    ]

    func take(_ key: RateLimiter.Key, _ rate: Rate) async throws -> Duration? {
        // Attempts to sign in take one token each, so that their limit is exact even for many at once.
        let handful = key.kind == .signIn ? 1 : max(1, rate.burst / Self.share)
        while true {
            let now = clock.now
            switch recall(key, now, fetchesMany: handful > 1) {
            case .spent: return nil
            case .empty(let wait): return wait
            case .low: return try await takeOne(key, rate, handful, now)
            case .fetching: try await nextFetch(key)
            case .nothing:
                // This node first takes several tokens at once; near the end of the bucket, it takes one.
                guard handful > 1 else { return try await takeOne(key, rate, handful, now) }
                switch try await takeHandful(key, rate, handful, now) {
                case .granted: return nil
                case .refused(let wait): return wait
                case .fewLeft: return try await takeOne(key, rate, handful, now)
                }
            }
        }
    }

    private enum Taken {
        case granted
        case refused(wait: Duration)
        case fewLeft
    }

    /// Takes several tokens for this request and those that come soon. Other requests wait meanwhile (`nextFetch`). If each of them took as
    /// many, a few simultaneous requests would empty the bucket.
    private func takeHandful(_ key: RateLimiter.Key, _ rate: Rate, _ handful: Int, _ now: Timestamp) async throws -> Taken {
        do {
            let taken = try await tryHandful(key, rate, handful, now)
            endFetch(key, nil)
            return taken
        } catch {
            endFetch(key, error)
            throw error
        }
    }

    private func tryHandful(_ key: RateLimiter.Key, _ rate: Rate, _ handful: Int, _ now: Timestamp) async throws -> Taken {
        if try await fetch(handful, key, rate, now) {
            let end = clock.now + Self.reserveLifetime
            update(key, now) { ($0.tokens, $0.tokensUntil) = (handful - 1, end) }
            return .granted
        }
        // Read the bucket first: that costs less than another attempt to write the row, for which other requests wait.
        return try await look(key, rate, handful, now).map { .refused(wait: $0) } ?? .fewLeft
    }

    private func takeOne(_ key: RateLimiter.Key, _ rate: Rate, _ handful: Int, _ now: Timestamp) async throws -> Duration? {
        if try await fetch(1, key, rate, now) { return nil }
        // Another request may have taken the token that was there a moment ago.
        return try await look(key, rate, handful, now) ?? rate.interval
    }

    /// Waits until the request that takes several tokens of this bucket has ended.
    /// - Throws: the error of the request that took the tokens. If each waiting request tried again after the one before, the last would
    ///   wait very long.
    private func nextFetch(_ key: RateLimiter.Key) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.fetches[key] != nil else { return true }
                state.fetches[key]?.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func endFetch(_ key: RateLimiter.Key, _ error: (any Error)?) {
        for waiting in state.withLock({ $0.fetches.removeValue(forKey: key) }) ?? [] {
            // If only that request was cancelled, another one continues.
            if let error, !(error is CancellationError) { waiting.resume(throwing: error) } else { waiting.resume() }
        }
    }

    private func fetch(_ count: Int, _ key: RateLimiter.Key, _ rate: Rate, _ now: Timestamp) async throws -> Bool {
        try await database.run(Self.fetch(count, key.text, rate, now)) == 1
    }

    /// Reads the bucket, and remembers until when it has no token, and until when it has fewer tokens than `handful`.
    /// - Returns: how long to wait for a token; `nil` when there is one.
    private func look(_ key: RateLimiter.Key, _ rate: Rate, _ handful: Int, _ now: Timestamp) async throws -> Duration? {
        let fullAt = try await database.first(Self.bucket(key.text)) { try $0.next("full_at") as Timestamp }
        let bucket = Bucket(fullAt: fullAt ?? now)
        func wait(_ count: Int) -> Duration? {
            guard case .refused(let wait) = bucket.taking(count, rate, at: now) else { return nil }
            return wait
        }
        let (forOne, forHandful) = (wait(1), wait(handful))
        update(key, now) { known in
            known.emptyUntil = forOne.map { now + $0 } ?? now
            known.lowUntil = forHandful.map { now + $0 } ?? now
        }
        return forOne
    }

    private enum Recalled {
        /// A token was taken from memory.
        case spent
        case empty(wait: Duration)
        case low
        /// Another request takes several tokens.
        case fetching
        case nothing
    }

    /// - Parameter fetchesMany: whether the caller takes several tokens if the result is `nothing`. It must then call `endFetch`.
    private func recall(_ key: RateLimiter.Key, _ now: Timestamp, fetchesMany: Bool) -> Recalled {
        state.withLock { state in
            if let known = state.known[key] {
                if known.tokens > 0, known.tokensUntil > now {
                    state.known[key]?.tokens -= 1
                    return .spent
                }
                if known.emptyUntil > now { return .empty(wait: known.emptyUntil - now) }
                if known.lowUntil > now { return .low }
                state.known[key] = nil
            }
            guard fetchesMany else { return .nothing }
            guard state.fetches[key] == nil else { return .fetching }
            state.fetches[key] = []
            return .nothing
        }
    }

    private func update(_ key: RateLimiter.Key, _ now: Timestamp, _ change: (inout Known) -> Void) {
        state.withLock { state in
            if state.known[key] == nil, state.known.count >= Self.knownLimit {
                state.known = state.known.filter { $1.isUseful(at: now) }
                if state.known.count >= Self.knownLimit { state.known = [:] }
            }
            change(&state.known[key, default: Known()])
        }
    }

    /// Deletes the buckets that are full again.
    package func sweep() async throws { try await database.sweep { Self.forget(before: clock.now, limit: $0) } }

    // MARK: Statements

    /// Takes tokens. Changes no row when there are too few.
    static func fetch(_ count: Int, _ key: String, _ rate: Rate, _ now: Timestamp) -> SQL {
        let cost = (rate.interval * count).wholeMicroseconds
        let latest = now + rate.capacity
        return """
            INSERT INTO rate_bucket (key, full_at) VALUES (\(key), \(now + rate.interval * count))
            ON CONFLICT (key) DO UPDATE
            SET full_at = CASE WHEN rate_bucket.full_at > \(now) THEN rate_bucket.full_at ELSE \(now) END + \(cost)
            WHERE CASE WHEN rate_bucket.full_at > \(now) THEN rate_bucket.full_at ELSE \(now) END + \(cost) <= \(latest)
            """
    }

    static func bucket(_ key: String) -> SQL { "SELECT full_at FROM rate_bucket WHERE key = \(key)" }

    static func forget(before now: Timestamp, limit: Int) -> SQL {
        """
        DELETE FROM rate_bucket WHERE key IN (SELECT key FROM rate_bucket WHERE full_at <= \(now) ORDER BY full_at LIMIT \(limit))
        """
    }
}
