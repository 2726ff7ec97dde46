import Jobs
import Synchronization
import Web

/// The latest counts of jobs. They are cached because the metrics page must not wait for the database.
final class JobGauges: Sendable {
    private let counts = Mutex<[JobCounts]>([])

    init(_ metrics: Metrics) {
        metrics.gauge("keepsake_jobs_ready", help: "Jobs waiting for a worker or for their time.") { [self] in sum { Double($0.ready) } }
        metrics.gauge("keepsake_jobs_running", help: "Jobs running, on all nodes.") { [self] in sum { Double($0.running) } }
        metrics.gauge("keepsake_jobs_parked", help: "Jobs that failed for good.") { [self] in sum { Double($0.parked) } }
        metrics.gauge("keepsake_jobs_oldest_seconds", help: "How long the first waiting job has been due.") { [self] in
            counts.withLock { $0.map(\.oldestReady).max() }.map { $0 / .seconds(1) } ?? 0
        }
    }

    func set(_ new: [JobCounts]) { counts.withLock { $0 = new } }

    private func sum(_ count: (JobCounts) -> Double) -> Double { counts.withLock { $0.reduce(0) { $0 + count($1) } } }
}
