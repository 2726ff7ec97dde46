import Logging
import Synchronization

/// Runs the checks of `/health/ready`. Anybody may request it as often as they like, and the checks read the database and ask the object
/// store. So requests share a run of the checks: a request gets the results of a run that ended at most a second ago, or of one that began
/// at most five seconds ago and has not ended. A run that takes longer may hang; the next request then begins another run, so that a check
/// that hangs once does not block all requests.
final class Readiness: Sendable {
    private typealias Run = Task<[String: Bool], Never>

    private struct State {
        /// The last run that began.
        var run: Run?
        var number = 0
        /// Until when requests share `run`.
        var until = ContinuousClock.now
    }

    private let checks: [Operations.Check]
    private let keeping: Duration
    private let joining: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - keeping: how long results are kept; default 1 s, so that load balancers notice a failure at their next check.
    ///   - joining: how long a run that does not end is shared, from its beginning; default 5 s. The next request then begins another run,
    ///     so even if all runs hang, at most one begins in this time.
    init(_ checks: [Operations.Check], keeping: Duration = .seconds(1), joining: Duration = .seconds(5)) {
        self.checks = checks
        self.keeping = keeping
        self.joining = joining
    }

    /// Whether each check succeeds, by its name.
    /// - Parameter logger: logs why a check fails, once a run.
    func results(_ logger: Logger) async -> [String: Bool] {
        let run = state.withLock { state -> Run in
            if let run = state.run, ContinuousClock.now < state.until { return run }
            let number = state.number + 1
            // Detached, because other requests still wait for the results when the request that started the run is cancelled.
            let run: Run = Task.detached { [self] in
                let results = await runChecks(logger)
                self.state.withLock { state in
                    // A run that hung must not extend the time of a later one.
                    guard state.number == number else { return }
                    state.until = ContinuousClock.now + keeping
                }
                return results
            }
            state = State(run: run, number: number, until: ContinuousClock.now + joining)
            return run
        }
        return await run.value
    }

    private func runChecks(_ logger: Logger) async -> [String: Bool] {
        var results: [String: Bool] = [:]
        for check in checks {
            do {
                try await check.run()
                results[check.name] = true
            } catch {
                logger.error("a readiness check failed", metadata: ["check": "\(check.name)", "error": "\(error)"])
                results[check.name] = false
            }
        }
        return results
    }
}
