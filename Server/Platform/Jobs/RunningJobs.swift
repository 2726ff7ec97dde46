internal import Synchronization

/// The jobs that a runner currently runs.
final class RunningJobs: Sendable {
    private struct State {
        var running: [JobLease: RunningJob] = [:]
        /// Attempts that have ended and were not taken yet. There are at most as many as may run at a time, because the runner takes them
        /// before it starts others.
        var ended: [(job: ClaimedJob, time: Duration)] = []
        var isStopping = false
        var isClosed = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.running.count } }
    var suspectCount: Int { state.withLock { $0.running.values.count { $0.job.isSuspect } } }
    /// Whether the server is stopping, so that no new jobs are claimed.
    var isStopping: Bool { state.withLock { $0.isStopping } }
    /// Whether the grace period is over, too.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func stop() { state.withLock { $0.isStopping = true } }

    /// Stops all jobs that still run.
    func close() {
        let running = state.withLock { state in
            state.isClosed = true
            return Array(state.running.values)
        }
        for job in running { job.stop(.shutdown) }
    }

    func add(_ job: RunningJob) { state.withLock { $0.running[job.job.lease] = job } }
    func remove(_ job: RunningJob) {
        state.withLock { state in
            state.running[job.job.lease] = nil
            state.ended.append((job.job, job.start.duration(to: .now)))
        }
    }

    /// - Returns: the attempts that have ended since the last call, and how long they took.
    func takeEnded() -> [(job: ClaimedJob, time: Duration)] {
        state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
    }

    var all: [RunningJob] { state.withLock { Array($0.running.values) } }
}
