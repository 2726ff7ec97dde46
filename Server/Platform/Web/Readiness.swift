import Logging
import Synchronization

/// Runs the checks of `/health/ready`. Anybody may request it as often as they like, and the checks read the database and ask the object
/// store. So one run takes place at a time: requests that arrive meanwhile share its results, and so do those shortly afterwards.
final class Readiness: Sendable {
    private typealias Run = Task<[String: Bool], Never>

    private struct State {
        /// The run that takes place, or the last one.
        var run: Run?
        /// Until when its results are kept; `nil` while it takes place.
        var end: ContinuousClock.Instant?
    }

    private let checks: [Operations.Check]
    private let keeping: Duration
    private let state = Mutex(State())

    /// - Parameter keeping: how long results are kept; default 1 s, so that load balancers notice a failure at their next check.
    init(_ checks: [Operations.Check], keeping: Duration = .seconds(1)) {
        self.checks = checks
        self.keeping = keeping
    }

    /// Whether each check succeeds, by its name.
    /// - Parameter logger: logs why a check fails, once a run.
    func results(_ logger: Logger) async -> [String: Bool] {
        let run = state.withLock { state -> Run in
            if let run = state.run, state.end.map({ ContinuousClock.now < $0 }) ?? true { return run }
            // Detached: others wait for the results too when the request that started the run is cancelled.
            let run: Run = Task.detached { [self] in
                let results = await runChecks(logger)
                self.state.withLock { $0.end = ContinuousClock.now + keeping }
                return results
            }
            state = State(run: run)
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
