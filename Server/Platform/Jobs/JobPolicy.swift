package import Core

/// How often, how far apart and how long a kind of job is tried.
package struct JobPolicy: Sendable, Hashable {
    /// Before it is parked, 1 or more; default 5. An attempt whose worker died counts, one that a shutdown ended does not.
    package var attempts: Int
    /// The longest pause after the first failure; each further one doubles it. Default 1 s.
    package var firstBackoff: Duration
    /// What the doubling stops at; default 1 hour.
    package var longestBackoff: Duration
    /// For one attempt; default 10 minutes. Then its handler is cancelled and its lease is renewed no more, so that a handler that
    /// does not heed being cancelled holds up a place of its runner, but not the job.
    package var timeout: Duration

    package init(
        attempts: Int = 5, firstBackoff: Duration = .seconds(1), longestBackoff: Duration = .hours(1), timeout: Duration = .minutes(10)
    ) {
        self.attempts = attempts
        self.firstBackoff = firstBackoff
        self.longestBackoff = longestBackoff
        self.timeout = timeout
    }

    /// The longest pause after that many failures, 1 or more.
    package func longestPause(after tries: Int) -> Duration {
        // 2^30 s are 34 years: no need to double further, and no way to overflow.
        min(longestBackoff, firstBackoff * (1 << min(max(tries - 1, 0), 30)))
    }

    /// Anything from nothing to the longest pause ("full jitter"): jobs that failed together do not come back together.
    package func pause(after tries: Int, _ entropy: Entropy) -> Duration {
        let random = entropy.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return longestPause(after: tries) * (Double(random) / Double(UInt32.max))
    }
}
