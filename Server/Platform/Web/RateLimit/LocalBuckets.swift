import Core
import Synchronization

/// Buckets of this process.
final class LocalBuckets: BucketKeeper {
    /// Who has spent something lately. Beyond this, those whose buckets are full again are forgotten, which changes nothing; should
    /// all be in use, everybody's are, which is generous for a moment and bounded for ever.
    static let limit = 100_000

    private let clock: WallClock
    private let buckets = Mutex<[RateLimiter.Key: Bucket]>([:])

    init(clock: WallClock) { self.clock = clock }

    var count: Int { buckets.withLock { $0.count } }

    func take(_ key: RateLimiter.Key, _ rate: Rate) -> Duration? {
        let now = clock.now
        return buckets.withLock { buckets in
            if buckets.count >= Self.limit, buckets[key] == nil {
                buckets = buckets.filter { $1.fullAt > now }
                if buckets.count >= Self.limit { buckets = [:] }
            }
            return buckets[key, default: Bucket(fullAt: now)].take(rate, at: now)
        }
    }
}
