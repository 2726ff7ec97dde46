import Jobs
import Synchronization
import Web

/// The latest counts of jobs by kind. They are cached, because the metrics page must not wait for the database.
final class JobGauges: Sendable {
    private let counts = Mutex<[String: JobCounts]>([:])
    private let kinds: [String]

    /// - Parameter kinds: every kind that the program has, so that a kind without jobs is shown as 0 and not left out.
    init(_ metrics: Metrics, kinds: [String]) {
        self.kinds = kinds.sorted()
        add(to: metrics, "keepsake_jobs_ready", help: "Jobs waiting for a worker or for their time, by kind.") { Double($0.ready) }
        add(to: metrics, "keepsake_jobs_running", help: "Jobs running, on all nodes, by kind.") { Double($0.running) }
        add(to: metrics, "keepsake_jobs_parked", help: "Jobs that failed for good, by kind.") { Double($0.parked) }
        add(to: metrics, "keepsake_jobs_oldest_seconds", help: "How long the first waiting job has been due, by kind.") {
            $0.oldestReady / .seconds(1)
        }
    }

    func set(_ new: [JobCounts]) {
        let byKind = Dictionary(new.map { ($0.kind, $0) }) { first, _ in first }
        counts.withLock { $0 = byKind }
    }

    private func add(to metrics: Metrics, _ name: String, help: String, _ value: @escaping @Sendable (JobCounts) -> Double) {
        metrics.gauges(name, help: help) { [self] in
            let latest = counts.withLock { $0 }
            // The list may also contain a kind of job that only a newer node knows.
            return Set(kinds).union(latest.keys).sorted().map { kind in
                Metrics.Sample(value(latest[kind] ?? JobCounts(kind: kind)), [("kind", kind)])
            }
        }
    }
}
