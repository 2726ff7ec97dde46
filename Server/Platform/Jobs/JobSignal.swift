internal import Synchronization

/// Wakes one sleeper. Rung while nobody sleeps, it lets the next one go on at once.
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

    /// Until it is rung, the time is over or the task is cancelled. One task at a time.
    func wait(atMost limit: Duration) async {
        guard limit > .zero else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [sleep] in
                // Cancelled means that somebody rang.
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
