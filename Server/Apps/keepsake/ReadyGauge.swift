import Synchronization
import Web

/// Reports on the metrics page whether each check of `/health/ready` succeeds. `refresh` runs the checks every 30 seconds, because the page
/// must not wait for them.
final class ReadyGauge: Sendable {
    /// How often `refresh` should run.
    static let pause = Duration.seconds(30)

    /// The result of each check, by the check's name. A check that has not run yet has no entry.
    private let results = Mutex<[String: Bool]>([:])
    private let checks: [Operations.Check]

    init(_ metrics: Metrics, _ checks: [Operations.Check]) {
        self.checks = checks
        // The reference is weak, because a check refers to the store of the files, which refers to the metrics.
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
                // The check was cancelled because the server is stopping, so its failure says nothing about the service that it checks.
                if Task.isCancelled { return }
                succeeds = false
            }
            results.withLock { $0[check.name] = succeeds }
        }
    }
}
