internal import Synchronization

extension FairWork {
    /// How long work in steps computes before it waits for a thread again. Most such work takes less time. If it waited after each step, it
    /// could wait for a long computation of another kind each time.
    package static let partTime: Duration = .milliseconds(50)

    /// Computes in steps. The caller must hold a turn, and keeps it between the steps. If the work waited for a new turn between its steps,
    /// the texts that the caller has read would stay in memory during the wait.
    /// - Parameters:
    ///   - first: the state before the first step.
    ///   - hasBegun: whether the caller has computed something before in this turn.
    ///   - partTime: after this time, the work waits for a thread again before its next step.
    ///   - step: performs one step, which changes the state. Returns whether another step must follow.
    /// - Returns: the state after the last step.
    /// - Throws: the errors of `step`; `CancellationError`, which it checks for before each step.
    package func compute<State: Sendable>(
        from first: State, hasBegun: Bool = false, partTime: Duration = FairWork.partTime,
        step: @escaping @Sendable (inout State) throws -> Bool
    ) async throws -> State {
        var work = PartialWork(state: first, hasBegun: hasBegun)
        while true {
            if try await compute(&work, partTime, step) { return work.state }
        }
    }

    /// Computes in steps, and takes a turn for each part of `partTime`. So another account waits for one part of a long computation, and
    /// not for all of it. The state stays in memory between the turns, so something else must limit the number of callers.
    /// - Parameters:
    ///   - first: the state before the first step.
    ///   - requester: who waits for the turns.
    ///   - partTime: after this time, the work waits for another turn before its next step.
    ///   - step: performs one step, which changes the state. Returns whether another step must follow.
    /// - Returns: the state after the last step.
    /// - Throws: as `turn`; the errors of `step`; `CancellationError`, which it checks for before each step.
    package func computeInTurns<State: Sendable>(
        from first: State, for requester: Requester, partTime: Duration = FairWork.partTime,
        step: @escaping @Sendable (inout State) throws -> Bool
    ) async throws -> State {
        var work = PartialWork(state: first, hasBegun: false)
        while true {
            let turn = try await turn(requester)
            defer { turn.release() }
            if try await compute(&work, partTime, step) { return work.state }
        }
    }

    private struct PartialWork<State: Sendable>: Sendable {
        var state: State
        var hasBegun: Bool
    }

    /// Performs steps for `partTime`, at least one.
    /// - Returns: whether no step is left.
    private func compute<State: Sendable>(
        _ work: inout PartialWork<State>, _ partTime: Duration, _ step: @escaping @Sendable (inout State) throws -> Bool
    ) async throws -> Bool {
        try Task.checkCancellation()
        let cancellation = StepCancellation()
        let earlier = work.state
        let part: @Sendable () throws -> (state: State, isDone: Bool) = {
            let end = ContinuousClock.now + partTime
            var state = earlier
            while try step(&state) {
                if ContinuousClock.now >= end || cancellation.isRequested { return (state, false) }
            }
            return (state, true)
        }
        let isContinued = work.hasBegun
        let computed = try await withTaskCancellationHandler {
            try await compute(hasBegun: isContinued, part)
        } onCancel: {
            cancellation.request()
        }
        work = PartialWork(state: computed.state, hasBegun: true)
        return computed.isDone
    }
}

/// Tells the thread that computes the steps that their caller was cancelled: the thread does not belong to the caller's task.
private final class StepCancellation: Sendable {
    private let wasRequested = Atomic(false)

    var isRequested: Bool { wasRequested.load(ordering: .relaxed) }

    func request() { wasRequested.store(true, ordering: .relaxed) }
}
