import Core
import Synchronization

/// Keeps rate-limit buckets in this process.
final class LocalBuckets: BucketKeeper {
    /// The most buckets. When there are more, those that are full again are removed. Removing them changes no limit, because a new bucket
    /// is full. If none is full, all are removed: memory stays bounded, and for a short time clients may send more than the limit.
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
