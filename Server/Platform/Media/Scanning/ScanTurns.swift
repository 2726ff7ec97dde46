import Blobs
import NIOCore
import Synchronization

/// A fixed number of turns; whoever finds none free waits in line, for a limited time.
final class ScanTurns: Sendable {
    private let state: Mutex<State>
    private let maxWaiting: Int

    private struct State {
        var free: Int
        /// In line, oldest first. Who gave up is no longer in `waiting`.
        var line: ArraySlice<Int> = []
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var next = 0
    }

    init(count: Int, waiting: Int) {
        state = Mutex(State(free: count))
        maxWaiting = waiting
    }

    /// - Throws: `ScannerUnavailable` when none became free within `time`, too many wait, or the task was cancelled.
    func take(within time: Duration, on loop: any EventLoop) async throws {
        let ticket = state.withLock { state -> Int? in
            if state.free > 0 {
                state.free -= 1
                return nil
            }
            state.next += 1
            return state.next
        }
        guard let ticket else { return }
        let alarm = loop.scheduleTask(in: TimeAmount(time)) { self.giveUp(ticket) }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    guard state.waiting.count < maxWaiting else { return false }
                    state.waiting[ticket] = continuation
                    state.line.append(ticket)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            giveUp(ticket)
        }
        alarm.cancel()
        guard isMine else { throw ScannerUnavailable("all its connections are in use") }
    }

    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            while let ticket = state.line.popFirst() {
                if let continuation = state.waiting.removeValue(forKey: ticket) { return continuation }
            }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }

    private func giveUp(_ ticket: Int) {
        let continuation = state.withLock { state in
            let continuation = state.waiting.removeValue(forKey: ticket)
            if continuation != nil { state.line.removeAll { $0 == ticket } }
            return continuation
        }
        continuation?.resume(returning: false)
    }
}
