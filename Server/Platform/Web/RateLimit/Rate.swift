import Core

/// How often something may be done: a bucket of `burst` tokens that fills evenly, and each time costs one.
package struct Rate: Sendable, Hashable {
    /// Tokens a minute, 1...1,000,000.
    package let perMinute: Int
    /// Tokens in a full bucket, 1...1,000,000.
    package let burst: Int

    package init(perMinute: Int, burst: Int? = nil) {
        self.perMinute = perMinute
        self.burst = burst ?? perMinute
    }

    /// The time one token takes to come back.
    var interval: Duration { .microseconds(intervalMicroseconds) }
    // Whole numbers, as every request computes with them: a Duration has 128 bits.
    fileprivate var intervalMicroseconds: Int64 { 60_000_000 / Int64(perMinute) }

    /// The time an empty bucket takes to fill.
    var capacity: Duration { .microseconds(capacityMicroseconds) }
    fileprivate var capacityMicroseconds: Int64 { intervalMicroseconds * Int64(burst) }
}

/// A bucket of tokens, kept as the one moment when it is full again: before that, each missing token is one interval of the way.
struct Bucket: Sendable, Equatable {
    var fullAt: Timestamp

    enum Taken: Equatable {
        case granted(Bucket)
        /// There are too few; so long until there are enough.
        case refused(retryAfter: Duration)
    }

    func taking(_ count: Int, _ rate: Rate, at now: Timestamp) -> Taken {
        let after = max(fullAt, now).microseconds + rate.intervalMicroseconds * Int64(count)
        let over = after - (now.microseconds + rate.capacityMicroseconds)
        return over > 0 ? .refused(retryAfter: .microseconds(over)) : .granted(Bucket(fullAt: Timestamp(microseconds: after)))
    }

    /// Takes one token.
    /// - Returns: how long to wait when there was none.
    mutating func take(_ rate: Rate, at now: Timestamp) -> Duration? {
        switch taking(1, rate, at: now) {
        case .granted(let bucket):
            self = bucket
            return nil
        case .refused(let wait): return wait
        }
    }
}
