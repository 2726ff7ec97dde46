public import Foundation

/// The clock that the library uses. Tests pass one of their own.
public struct KeepsakeClock: Sendable {
    /// The device's clock, which may be wrong.
    public let now: @Sendable () -> Date
    /// The time since some fixed moment. It never falls, and a change of the device's clock does not affect it.
    public let uptime: @Sendable () -> Duration
    public let sleep: @Sendable (Duration) async throws -> Void

    public init(
        now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
    }

    public static let system: KeepsakeClock = {
        let start = ContinuousClock.now
        return KeepsakeClock(now: { Date() }, uptime: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) })
    }()
}

/// The source of random bits that the library uses. Tests pass one of their own.
public struct KeepsakeRandomness: Sendable {
    public let next: @Sendable () -> UInt64

    public init(next: @escaping @Sendable () -> UInt64) { self.next = next }

    public static let system = KeepsakeRandomness { UInt64.random(in: .min ... .max) }

    /// A random number, 0..<1.
    func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// 128 random bits in hexadecimal.
    func id() -> String { Self.hex(next()) + Self.hex(next()) }

    private static func hex(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

/// When and how often a call is repeated.
public struct RetryPolicy: Sendable, Equatable {
    /// Time for the whole call, with all attempts and waits, if it sends no files; default 60 s.
    public var deadline: Duration
    /// Time for the whole call if it sends files; default one hour.
    public var fileDeadline: Duration
    /// The most attempts of a call; default 5. Responses 409 with `Retry-After` do not count: the server is still processing an earlier
    /// attempt, and the call waits until its deadline. With 1, no call is repeated.
    public var maxAttempts: Int
    /// The upper limit of the first wait. The limit doubles for each further wait. Default 0.5 s.
    public var firstWait: Duration
    /// The upper limit of every wait. Default 30 s.
    public var longestWait: Duration

    public init(
        deadline: Duration = .seconds(60), fileDeadline: Duration = .seconds(3_600), maxAttempts: Int = 5,
        firstWait: Duration = .milliseconds(500), longestWait: Duration = .seconds(30)
    ) {
        self.deadline = deadline
        self.fileDeadline = fileDeadline
        self.maxAttempts = maxAttempts
        self.firstWait = firstWait
        self.longestWait = longestWait
    }

    /// A random time between half of the limit and the limit, so that many clients do not retry at the same time; never less than
    /// `retryAfter`.
    /// - Parameter attempt: number of attempts so far, from 1.
    func wait(afterAttempt attempt: Int, retryAfter: Duration?, _ randomness: KeepsakeRandomness) -> Duration {
        let limit = min(longestWait, firstWait * (1 << min(attempt - 1, 16)))
        let wait = .nanoseconds(Int64(limit.seconds * 1_000_000_000 * (0.5 + randomness.fraction() / 2))) as Duration
        return max(wait, retryAfter ?? .zero)
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
