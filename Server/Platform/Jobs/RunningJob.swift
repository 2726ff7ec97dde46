internal import Synchronization

/// A running attempt: the state shared by its handler, the lease renewals and the runner's shutdown.
final class RunningJob: Sendable {
    enum Stop: Sendable {
        /// Another worker has the job.
        case lost
        case timeout
        case shutdown
    }

    private enum Stage {
        case running
        /// The effect is being committed, so the row may disappear at any moment.
        case completing
        case completed
    }

    private struct State {
        var stage = Stage.running
        var isRenewed = true
    }

    let job: ClaimedJob
    let start = ContinuousClock.now
    /// Yields at most one reason to stop. Ends when the waiting task is cancelled.
    let stops: AsyncStream<Stop>
    private let stopping: AsyncStream<Stop>.Continuation
    private let state = Mutex(State())

    init(_ job: ClaimedJob) {
        self.job = job
        (stops, stopping) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    var isCompleted: Bool { state.withLock { $0.stage == .completed } }
    var isRenewed: Bool { state.withLock { $0.isRenewed } }

    func stop(_ reason: Stop) {
        stopping.yield(reason)
        stopping.finish()
    }

    /// Call it when a renewal did not find the row. This is expected if the job is being completed.
    func loseLease() {
        if state.withLock({ $0.stage == .running }) { stop(.lost) }
    }

    func renewNoMore() { state.withLock { $0.isRenewed = false } }

    /// - Throws: `LeaseLost` when the job is already completed, or another call is completing it.
    func completing<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        let mayComplete = state.withLock { state in
            guard state.stage == .running else { return false }
            state.stage = .completing
            return true
        }
        guard mayComplete else { throw LeaseLost() }
        do {
            let value = try await body()
            state.withLock { $0.stage = .completed }
            return value
        } catch {
            state.withLock { $0.stage = .running }
            throw error
        }
    }
}
