import HTTPServer
import Synchronization

/// Holds the slot and the share of the budgets for a body that is complete in memory and written together with its head. `release`, or the
/// release of its last reference, returns both.
final class WholeAnswer: Sendable {
    private let slot: AnswersInFlight.Slot
    private let window: Mutex<AnswerWindow>

    /// - Returns: `nil` when the budgets do not allow `byteCount` at once.
    init?(_ byteCount: Int, _ slot: AnswersInFlight.Slot, _ answers: AnswersInFlight, _ connection: Connection?) {
        var window = AnswerWindow(slot, answers, connection, answers.limits)
        guard window.takeWhole(byteCount) else { return nil }
        self.slot = slot
        self.window = Mutex(window)
    }

    deinit { release() }

    func release() {
        window.withLock { $0.close() }
        slot.release()
    }
}
