import Synchronization
import Web

/// Whether each check of `/health/ready` succeeds, for the metrics page. `refresh` runs the checks every 30 seconds, because the page must not
/// wait for them.
final class ReadyGauge: Sendable {
    /// How often `refresh` should run.
    static let pause = Duration.seconds(30)

    /// By the name of the check. Without an entry, it has not run yet.
    private let results = Mutex<[String: Bool]>([:])
    private let checks: [Operations.Check]

    init(_ metrics: Metrics, _ checks: [Operations.Check]) {
        self.checks = checks
        // Weak: a check refers to the store of the files, which refers to the metrics.
        metrics.gauges("keepsake_ready", help: "1 if the check of /health/ready succeeds, 0 if it fails: the response is then 503.") {
            [weak self] in self?.samples ?? []
        }
    }

    private var samples: [Metrics.Sample] {
        results.withLock { $0 }.sorted { $0.key < $1.key }.map { Metrics.Sample($0.value ? 1 : 0, [("check", $0.key)]) }
    }

    func refresh() async {
        for check in checks {
            let succeeds: Bool
            do {
                try await check.run()
                succeeds = true
            } catch {
                // The server stops, which says nothing about what it checks.
                if Task.isCancelled { return }
                succeeds = false
            }
            results.withLock { $0[check.name] = succeeds }
        }
    }
}
