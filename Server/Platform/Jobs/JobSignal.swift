internal import Synchronization

/// Wakes one waiting task. If it is signalled while none waits, the next wait returns at once.
final class JobSignal: Sendable {
    private enum State {
        case quiet
        case rung
        case sleeping(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.quiet)
    private let sleep: @Sendable (Duration) async throws -> Void

    init(sleep: @escaping @Sendable (Duration) async throws -> Void) { self.sleep = sleep }

    func ring() {
        let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .sleeping(let sleeper) = state else {
                state = .rung
                return nil
            }
            state = .quiet
            return sleeper
        }
        sleeper?.resume()
    }

    /// Waits until it is signalled, the time is up, or the task is cancelled. Only one task at a time may wait.
    func wait(atMost limit: Duration) async {
        guard limit > .zero else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [sleep] in
                // Cancellation means that it was signalled.
                if (try? await sleep(limit)) != nil { self.ring() }
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let goesOn = state.withLock { state in
                        if case .rung = state {
                            state = .quiet
                            return true
                        }
                        state = .sleeping(continuation)
                        return false
                    }
                    if goesOn { continuation.resume() }
                }
            } onCancel: {
                ring()
            }
            group.cancelAll()
        }
    }
}
