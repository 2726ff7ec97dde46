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

    private let database: any Database
    private let clock: WallClock
    private let known = Mutex<[RateLimiter.Key: Known]>([:])

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
        let now = clock.now
        // Attempts to sign in take one token each, so that their limit is exact even for many at once.
        let handful = key.kind == .signIn ? 1 : max(1, rate.burst / Self.share)
        let isLow: Bool
        switch recall(key, now) {
        case .spent: return nil
        case .empty(let wait): return wait
        case .low: isLow = true
        case .nothing: isLow = false
        }
        // This node first takes several tokens at once; near the end of the bucket, it takes one.
        if handful > 1, !isLow {
            if try await fetch(handful, key, rate, now) {
                update(key, now) { ($0.tokens, $0.tokensUntil) = (handful - 1, now + Self.reserveLifetime) }
                return nil
            }
            // Read the bucket first: that costs less than another attempt to write the row, for which other requests wait.
            if let wait = try await look(key, rate, handful, now) { return wait }
        }
        if try await fetch(1, key, rate, now) { return nil }
        // Another request may have taken the token that was there a moment ago.
        return try await look(key, rate, handful, now) ?? rate.interval
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
        case nothing
    }

    private func recall(_ key: RateLimiter.Key, _ now: Timestamp) -> Recalled {
        known.withLock { all in
            guard let known = all[key] else { return .nothing }
            if known.tokens > 0, known.tokensUntil > now {
                all[key]?.tokens -= 1
                return .spent
            }
            if known.emptyUntil > now { return .empty(wait: known.emptyUntil - now) }
            if known.lowUntil > now { return .low }
            all[key] = nil
            return .nothing
        }
    }

    private func update(_ key: RateLimiter.Key, _ now: Timestamp, _ change: (inout Known) -> Void) {
        known.withLock { all in
            if all[key] == nil, all.count >= Self.knownLimit {
                all = all.filter { $1.isUseful(at: now) }
                if all.count >= Self.knownLimit { all = [:] }
            }
            change(&all[key, default: Known()])
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
