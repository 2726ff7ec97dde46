package import Core

/// Decides whether a provider may be called. After several failures in a row it refuses calls for a while, so that jobs and requests do not
/// each wait for a provider that is down. It reads no clock: the caller passes the time.
package struct CircuitBreaker: Sendable {
    package struct Limits: Sendable {
        /// Failures in a row that open the breaker; 1 or more, default 5.
        package var failures = 5
        /// How long it stays open the first time; default 10 s. The time doubles whenever a trial call fails.
        package var pause: Duration = .seconds(10)
        /// The longest time that it stays open; default 5 minutes.
        package var longestPause: Duration = .seconds(300)
        /// When the provider answers after some calls took too long or erred, such calls of the same accounts do not count for this time;
        /// default 1 hour.
        package var suspicion: Duration = .seconds(3_600)

        package init() {}
    }

    package enum Outcome: Sendable, Equatable {
        case succeeded
        /// The provider works, but refuses this request.
        case refused
        case failed
        /// The call took too long. The request may be the reason: an account can send many requests that take long.
        /// - Parameter by: whose request it was; `nil` for the server's own.
        case tookLong(by: String?)
        /// The provider answered that it failed, or its answer cannot be used. The request may be the reason, too.
        /// - Parameter by: as for `tookLong`.
        case erred(by: String?)
        /// The provider takes no calls for this time.
        case busy(Duration)
    }

    private let limits: Limits
    private var failuresInARow = 0
    private var pause: Duration
    /// Before this time no call is made.
    private var closedUntil: Timestamp?
    /// The number of the call that is trying whether the provider works again; `nil` while none is. Just after `admit` has returned `nil`,
    /// this is the number of the call that was admitted.
    package private(set) var trial: Int?
    private var lastTrial = 0
    /// The accounts whose calls took too long or erred since the last success.
    private var failedAccounts: Set<String> = []
    /// The accounts that were in `failedAccounts` when a call succeeded, and until when their failures do not count. Their requests were
    /// probably the reason for the failures. Otherwise five accounts could stop the calls of all again and again.
    private var suspects: [String: Timestamp] = [:]

    package init(_ limits: Limits = Limits()) {
        self.limits = limits
        pause = limits.pause
    }

    /// Call it before each call.
    /// - Parameter account: whose request it is; `nil` for the server's own.
    /// - Returns: `nil` when the call may be made: then note `trial`, and report the call's outcome. Otherwise how long to wait.
    package mutating func admit(at now: Timestamp, by account: String? = nil) -> Duration? {
        if let wait = wait(at: now, by: account) { return wait }
        if failuresInARow >= limits.failures {
            lastTrial += 1
            trial = lastTrial
        }
        return nil
    }

    /// What `admit` would return. Unlike `admit`, it does not begin a trial call.
    package func wait(at now: Timestamp, by account: String? = nil) -> Duration? {
        // If the clock was set back, the time until `closedUntil` can exceed the longest pause. The pause then ends.
        if let closedUntil, closedUntil > now, closedUntil - now <= limits.longestPause { return closedUntil - now }
        guard failuresInARow >= limits.failures else { return nil }
        if trial != nil { return pause }
        // The request of another account is the better trial: if the failures are due to the requests of a few accounts, it succeeds.
        guard let account, failedAccounts.contains(account) || isSuspect(account, at: now), let closedUntil, closedUntil <= now else {
            return nil
        }
        let since = now - closedUntil
        return since < limits.pause ? limits.pause - since : nil
    }

    private func isSuspect(_ account: String, at now: Timestamp) -> Bool {
        guard let end = suspects[account] else { return false }
        // If the clock was set back, the remaining time can exceed `suspicion`. The suspicion then ends.
        return end > now && end - now <= limits.suspicion
    }

    /// - Parameter call: `trial` when the call was admitted. So a call from before the breaker opened does not end another call's trial.
    package mutating func report(_ outcome: Outcome, of call: Int?, at now: Timestamp) {
        let wasTrial = endTrial(call)
        switch outcome {
        case .succeeded, .refused:
            trial = nil
            failuresInARow = 0
            suspectFailed(at: now)
            pause = limits.pause
            closedUntil = nil
        case .tookLong(let account), .erred(let account):
            // Counts once for each account, and not at all for a suspect. Otherwise a few accounts could stop the calls of all.
            if let account {
                let counts = isSuspect(account, at: now) ? false : failedAccounts.insert(account).inserted
                guard counts else {
                    // This trial tells little about the calls of others, so the next one follows after the shortest pause.
                    if wasTrial { closedUntil = now + limits.pause }
                    return
                }
            }
            fail(at: now)
        case .busy(let time): closedUntil = max(closedUntil ?? now, now + min(max(time, .seconds(1)), limits.longestPause))
        case .failed: fail(at: now)
        }
    }

    private mutating func suspectFailed(at now: Timestamp) {
        guard !failedAccounts.isEmpty else { return }
        suspects = suspects.filter { $0.value > now }
        for account in failedAccounts { suspects[account] = now + limits.suspicion }
        failedAccounts = []
    }

    private mutating func fail(at now: Timestamp) {
        // The trial decides, and not a call from before it.
        guard trial == nil else { return }
        failuresInARow += 1
        guard failuresInARow >= limits.failures else { return }
        // Calls that were already running when the breaker opened fail too. They belong to the same outage, so they do not prolong the
        // pause.
        if let closedUntil, closedUntil > now { return }
        closedUntil = now + pause
        pause = min(pause * 2, limits.longestPause)
    }

    /// Call this when the provider has begun to answer a call; report the call's outcome later. The rest of the answer may take minutes.
    /// Other calls do not wait for that, because a trial call has succeeded so far. One more failure refuses calls again.
    package mutating func began() {
        trial = nil
        failuresInARow = min(failuresInARow, limits.failures - 1)
    }

    /// Call this when a call ended without an outcome, because its task was cancelled.
    /// - Parameter call: as for `report`.
    package mutating func abandon(_ call: Int?) { endTrial(call) }

    /// - Returns: whether this call was the trial.
    @discardableResult
    private mutating func endTrial(_ call: Int?) -> Bool {
        guard let call, call == trial else { return false }
        trial = nil
        return true
    }
}
