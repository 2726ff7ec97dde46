internal import Synchronization

/// An attempt while its handler runs: what the handler, the renewals and the end of the runner have to tell each other.
final class RunningJob: Sendable {
    enum Stop: Sendable {
        /// Another has the job.
        case lost
        case timeout
        case shutdown
    }

    private enum Stage {
        case running
        /// Its row may be gone any moment, by itself.
        case completing
        case completed
    }

    private struct State {
        var stage = Stage.running
        var isRenewed = true
    }

    let job: ClaimedJob
    /// At most one. Ends when the task that waits for it is cancelled.
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

    /// A renewal did not find the row. That is as it should be when the job was just completed.
    func loseLease() {
        if state.withLock({ $0.stage == .running }) { stop(.lost) }
    }

    func renewNoMore() { state.withLock { $0.isRenewed = false } }

    /// - Throws: `LeaseLost` when it is completed already, or just being so.
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
