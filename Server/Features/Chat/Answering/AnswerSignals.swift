import Synchronization

/// Wakes the requests that wait for an answer to grow. A signal is only a hint: after each signal, and when its time is up, a waiter reads
/// the answer again.
final class AnswerSignals: Sendable {
    private struct Waiter {
        let end: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct Row {
        /// Increases with every signal. A waiter remembers it before it reads, and does not wait if it has increased since.
        var flag = 0
        var followers = 0
        var waiting: [Int: Waiter] = [:]
    }

    private struct State {
        var rows: [String: Row] = [:]
        var last = 0
        /// Whether the server is stopping. Then every wait returns at once.
        var isOver = false
    }

    private let state = Mutex(State())

    /// A request's interest in an answer. It lasts until this object is released.
    final class Following: Sendable {
        fileprivate let signals: AnswerSignals
        fileprivate let answer: String

        fileprivate init(_ signals: AnswerSignals, _ answer: String) {
            self.signals = signals
            self.answer = answer
            signals.state.withLock { $0.rows[answer, default: Row()].followers += 1 }
        }

        deinit {
            signals.state.withLock { state in
                guard let index = state.rows.index(forKey: answer) else { return }
                state.rows.values[index].followers -= 1
                if state.rows.values[index].followers == 0 { state.rows.remove(at: index) }
            }
        }

        /// Read this before you read the answer, and pass it to `wait`.
        var flag: Int { signals.state.withLock { $0.rows[answer]?.flag ?? 0 } }

        /// Waits for a signal that comes after `flag` was read, but not much longer than until `end`. Returns at once when the task is
        /// cancelled.
        func wait(after flag: Int, until end: ContinuousClock.Instant) async { await signals.wait(answer, after: flag, until: end) }
    }

    func follow(_ answer: String) -> Following { Following(self, answer) }

    /// Whether the server is stopping, so that nothing waits any more.
    var isOver: Bool { state.withLock { $0.isOver } }

    private func wait(_ answer: String, after flag: Int, until end: ContinuousClock.Instant) async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isWaiting = state.withLock { state in
                    // A cancellation that came before this lock was taken found no waiter to resume, so check for it here.
                    guard !state.isOver, !Task.isCancelled, let index = state.rows.index(forKey: answer),
                        state.rows.values[index].flag == flag
                    else { return false }
                    state.rows.values[index].waiting[number] = Waiter(end: end, continuation: continuation)
                    return true
                }
                if !isWaiting { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                state.rows.index(forKey: answer).flatMap { state.rows.values[$0].waiting.removeValue(forKey: number) }
            }?.continuation.resume()
        }
    }

    /// - Parameter answers: the ids of the answers that changed; `nil` wakes all waiters.
    func post(_ answers: Set<String>?) {
        let woken = state.withLock { state in
            var woken: [Waiter] = []
            for answer in answers ?? Set(state.rows.keys) {
                guard let index = state.rows.index(forKey: answer) else { continue }
                state.rows.values[index].flag += 1
                woken += state.rows.values[index].waiting.values
                state.rows.values[index].waiting = [:]
            }
            return woken
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Wakes the waiters whose time is up. All waiters share one clock, because a timer for each would cost more than the wait.
    func tick(_ now: ContinuousClock.Instant) {
        let woken = state.withLock { state in
            var woken: [Waiter] = []
            for key in state.rows.keys {
                guard let index = state.rows.index(forKey: key) else { continue }
                for (number, waiter) in state.rows.values[index].waiting where waiter.end <= now {
                    state.rows.values[index].waiting[number] = nil
                    woken.append(waiter)
                }
            }
            return woken
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Ends all waits, and makes later ones return at once.
    func close() {
        state.withLock { $0.isOver = true }
        post(nil)
    }
}
