internal import Core
internal import Live
internal import Synchronization

/// Collects the results of all tasks of a campaign.
final class LiveCampaignLedger: Sendable {
    private struct State {
        var model: LiveModel
        var outcome: LiveCampaign.Outcome
        var heads: [String: Int64]?
        var deadline = ContinuousClock.now
    }
    private let state: Mutex<State>
    private let scale: LiveCampaign.Scale

    init(_ scale: LiveCampaign.Scale) {
        self.scale = scale
        state = Mutex(State(model: LiveModel(accounts: scale.accounts), outcome: LiveCampaign.Outcome(scale: scale)))
    }

    func told(_ write: PlannedWrite.ID, _ answer: Bool?) {
        state.withLock { state in
            state.model.told(write, answer)
            if answer == true { state.outcome.acknowledged += 1 }
        }
    }

    func killed(_ told: [(PlannedWrite.ID, Bool)]) {
        state.withLock { state in
            state.outcome.kills += 1
            for (write, answer) in told {
                state.model.told(write, answer)
                if answer {
                    state.outcome.acknowledged += 1
                    state.outcome.acknowledgedByKilled += 1
                }
            }
        }
    }

    func starts(_ reader: Int, _ account: String, at last: Int64) { state.withLock { $0.model.starts(reader, account, at: last) } }

    func last(_ reader: Int) -> Int64 { state.withLock { $0.model.last(reader) } }

    func saw(_ reader: Int, _ event: Event, node: Int, opened: Int64) {
        let now = MachineTime.now
        state.withLock { state in
            let sent = state.model.saw(reader, event)
            // Skips an event that was sent before the subscriber connected.
            guard sent > opened else { return }
            let emitter = state.model.emitter(event)
            if emitter < scale.emitters, emitter % 2 == node {
                state.outcome.here.add(nanoseconds: now - sent)
            } else {
                state.outcome.elsewhere.add(nanoseconds: now - sent)
            }
        }
    }

    func wasReset(_ reader: Int, to head: Int64) { state.withLock { $0.model.wasReset(reader, to: head) } }

    func dropped() { state.withLock { $0.outcome.drops += 1 } }

    /// Called after the last write.
    func end(emitting: Duration, heads: [String: Int64]) {
        state.withLock { state in
            state.outcome.emitting = emitting
            state.outcome.events = Int(heads.values.reduce(0, +))
            state.heads = heads
            state.deadline = ContinuousClock.now + scale.patience
        }
    }

    /// Whether all writes are done and the subscriber has caught up or its time is over.
    func isDone(_ reader: Int, _ account: String) -> Bool {
        state.withLock { state in
            guard let heads = state.heads else { return false }
            return state.model.last(reader) >= heads[account] ?? 0 || ContinuousClock.now > state.deadline
        }
    }

    func outcome(whole: Duration, _ counts: [HubCounts]) -> LiveCampaign.Outcome {
        state.withLock { state in
            state.outcome.whole = whole
            state.outcome.wrongs = state.model.verdict(heads: state.heads ?? [:])
            state.outcome.wrongCount = state.model.wrongCount
            state.outcome.deliveries = state.model.deliveries
            state.outcome.found = counts.reduce(0) { $0 + $1.found }
            state.outcome.gaps = counts.reduce(0) { $0 + $1.gaps }
            return state.outcome
        }
    }
}
