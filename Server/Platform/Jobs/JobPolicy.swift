package import Core

/// The attempts, the backoff and the timeout of a kind of job.
package struct JobPolicy: Sendable, Hashable {
    /// Attempts before the job is parked, 1 or more; default 5. An attempt whose worker died counts; one that a shutdown ended does not.
    package var attempts: Int
    /// The upper bound of the pause after the first failure; it doubles with each further failure. Default 1 s.
    package var firstBackoff: Duration
    /// The upper bound of all pauses; default 1 hour.
    package var longestBackoff: Duration
    /// The time limit of one attempt; default 10 minutes. Then the handler is cancelled and its lease is no longer renewed. A handler that
    /// ignores cancellation keeps a slot of its runner busy, but another worker can take over the job.
    package var timeout: Duration
    /// Whether jobs of this kind start before others; default `false`. Other jobs leave a quarter of the runner's places to urgent jobs.
    /// Use it for short jobs that somebody waits for.
    package var isUrgent: Bool

    package init(
        attempts: Int = 5, firstBackoff: Duration = .seconds(1), longestBackoff: Duration = .hours(1), timeout: Duration = .minutes(10),
        isUrgent: Bool = false
    ) {
        self.attempts = attempts
        self.firstBackoff = firstBackoff
        self.longestBackoff = longestBackoff
        self.timeout = timeout
        self.isUrgent = isUrgent
    }

    /// The longest pause after `tries` failures, 1 or more.
    package func longestPause(after tries: Int) -> Duration {
        // 2^30 s are 34 years, so stop doubling there; that also prevents an overflow.
        min(longestBackoff, firstBackoff * (1 << min(max(tries - 1, 0), 30)))
    }

    /// A random pause between zero and the longest pause ("full jitter"), so that jobs that failed together do not retry together.
    package func pause(after tries: Int, _ entropy: Entropy) -> Duration {
        let random = entropy.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return longestPause(after: tries) * (Double(random) / Double(UInt32.max))
    }
}
