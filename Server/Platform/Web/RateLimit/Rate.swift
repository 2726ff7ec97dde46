import Core

/// A rate limit: a bucket of `burst` tokens that refills evenly. Each use costs one token.
package struct Rate: Sendable, Hashable {
    /// Tokens per minute, 1...1,000,000.
    package let perMinute: Int
    /// Tokens in a full bucket, 1...1,000,000.
    package let burst: Int

    package init(perMinute: Int, burst: Int? = nil) {
        self.perMinute = perMinute
        self.burst = burst ?? perMinute
    }

    /// The time in which one token is refilled.
    var interval: Duration { .microseconds(intervalMicroseconds) }
    // Integers, because every request computes with them and a Duration has 128 bits.
    fileprivate var intervalMicroseconds: Int64 { 60_000_000 / Int64(perMinute) }

    /// The time in which an empty bucket is refilled.
    var capacity: Duration { .microseconds(capacityMicroseconds) }
    fileprivate var capacityMicroseconds: Int64 { intervalMicroseconds * Int64(burst) }
}

/// A token bucket, stored as the time at which it is full again. Each missing token moves that time one interval into the future.
struct Bucket: Sendable, Equatable {
    var fullAt: Timestamp

    enum Taken: Equatable {
        case granted(Bucket)
        /// Too few tokens are left. After this time there are enough.
        case refused(retryAfter: Duration)
    }

    func taking(_ count: Int, _ rate: Rate, at now: Timestamp) -> Taken {
        let after = max(fullAt, now).microseconds + rate.intervalMicroseconds * Int64(count)
        let over = after - (now.microseconds + rate.capacityMicroseconds)
        return over > 0 ? .refused(retryAfter: .microseconds(over)) : .granted(Bucket(fullAt: Timestamp(microseconds: after)))
    }

    /// Takes one token.
    /// - Returns: how long to wait for a token; `nil` when one was taken.
    mutating func take(_ rate: Rate, at now: Timestamp) -> Duration? {
        switch taking(1, rate, at: now) {
        case .granted(let bucket):
            self = bucket
            return nil
        case .refused(let wait): return wait
        }
    }
}
