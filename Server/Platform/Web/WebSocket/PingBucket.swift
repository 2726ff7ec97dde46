import NIOCore

/// Limits how many pings and pongs a client sends: a bucket of tokens that refills evenly within a second. Each ping or pong takes one.
struct PingBucket {
    private let interval: TimeAmount
    private let capacity: TimeAmount
    /// When the bucket is full again.
    private var fullAt = NIODeadline.uptimeNanoseconds(0)

    /// - Parameter perSecond: tokens in a full bucket, 1 or more.
    init(perSecond: Int) {
        interval = .nanoseconds(1_000_000_000 / Int64(perSecond))
        capacity = .seconds(1)
    }

    /// - Returns: `false` when no token is left.
    mutating func take(at now: NIODeadline) -> Bool {
        let after = max(fullAt, now) + interval
        guard after <= now + capacity else { return false }
        fullAt = after
        return true
    }
}
