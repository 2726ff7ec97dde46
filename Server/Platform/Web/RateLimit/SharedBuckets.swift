package import Core
package import Database
import KeepsakeWire
import Synchronization

/// Keeps the buckets of all nodes in the database. A node takes several tokens of a large bucket at once and spends them from memory, so
/// that few requests wait for a write. Small buckets, and those that guard sign-in, are exact.
package final class SharedBuckets: BucketKeeper {
    /// A node takes 1/`share` of a bucket's burst at once. A bucket of fewer tokens than that gives them one by one.
    static let share = 20
    /// Unspent tokens expire after this time, because the bucket has refilled meanwhile.
    private static let reserveLifetime = Duration.seconds(5)
    private static let reserveLimit = 100_000

    private struct Reserve {
        var tokens: Int
        let until: Timestamp
    }

    private let database: any Database
    private let clock: WallClock
    private let reserves = Mutex<[RateLimiter.Key: Reserve]>([:])

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
        if spendStashed(key, now) { return nil }
        // First several tokens at once; near the end of the bucket, one. Attempts to sign in always take one, so that their limit is exact
        // even for many at once.
        let handful = key.kind == .signIn ? 1 : max(1, rate.burst / Self.share)
        for count in Set([handful, 1]).sorted(by: >) {
            if try await fetch(count, key, rate, now) {
                if count > 1 { reserve(count - 1, key, now) }
                return nil
            }
        }
        let fullAt = try await database.read { tx in
            try tx.row(Self.bucket(key.text))?.get("full_at", as: Timestamp.self)
        }
        guard case .refused(let wait) = Bucket(fullAt: fullAt ?? now).taking(1, rate, at: now) else { return rate.interval }
        return wait
    }

    private func fetch(_ count: Int, _ key: RateLimiter.Key, _ rate: Rate, _ now: Timestamp) async throws -> Bool {
        try await database.run(Self.fetch(count, key.text, rate, now)) == 1
    }

    private func spendStashed(_ key: RateLimiter.Key, _ now: Timestamp) -> Bool {
        reserves.withLock { reserves in
            guard let reserve = reserves[key], reserve.tokens > 0, reserve.until > now else {
                reserves[key] = nil
                return false
            }
            reserves[key]?.tokens -= 1
            return true
        }
    }

    private func reserve(_ tokens: Int, _ key: RateLimiter.Key, _ now: Timestamp) {
        reserves.withLock { reserves in
            if reserves.count >= Self.reserveLimit { reserves = reserves.filter { $1.until > now } }
            if reserves.count >= Self.reserveLimit { reserves = [:] }
            reserves[key] = Reserve(tokens: tokens, until: now + Self.reserveLifetime)
        }
    }

    /// Deletes the buckets that are full again, 500 at a time.
    package func sweep() async throws {
        while try await database.run(Self.forget(before: clock.now)) == Self.sweepCount {}
    }

    // MARK: Statements

    private static let sweepCount = 500

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

    static func forget(before now: Timestamp) -> SQL {
        """
        DELETE FROM rate_bucket WHERE key IN (SELECT key FROM rate_bucket WHERE full_at <= \(now) ORDER BY full_at LIMIT \(sweepCount))
        """
    }
}
