internal import Synchronization

/// Lets a bounded number of tasks work at a time. Those that wait take turns by key, so one key's crowd delays another key's task by
/// one turn and not by the whole crowd.
package final class FairSemaphore: Sendable {
    package struct Limits: Sendable {
        /// Tasks that work at a time, of all keys together. 1 or more.
        package var permits: Int
        /// Tasks of one key that work at a time. 1 or more.
        package var permitsPerKey: Int
        /// Tasks that wait, of all keys together; the next one is refused. 1 or more.
        package var waiting: Int
        /// Tasks of one key that wait. 1 or more.
        package var waitingPerKey: Int

        package init(permits: Int, permitsPerKey: Int, waiting: Int, waitingPerKey: Int) {
            self.permits = permits
            self.permitsPerKey = permitsPerKey
            self.waiting = waiting
            self.waitingPerKey = waitingPerKey
        }
    }

    /// The right to work. `release` gives it back, and so does dropping the last reference to it.
    package final class Permit: Sendable {
        private let semaphore: FairSemaphore
        private let key: String
        private let isHeld = Mutex(true)

        fileprivate init(_ semaphore: FairSemaphore, _ key: String) {
            self.semaphore = semaphore
            self.key = key
        }

        deinit { release() }

        /// Calling it again does nothing.
        package func release() {
            let wasHeld = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if wasHeld { semaphore.leave(key) }
        }
    }

    /// What became of a task that asked for a permit.
    private enum Outcome {
        case granted
        case cancelled
        case refused(FairQueueRefusal)
    }

    private struct Waiter {
        let ticket: UInt64
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var held: [String: Int] = [:]
        var heldCount = 0
        var waiters: FairQueue<String, Waiter>
        var lastTicket: UInt64 = 0
    }

    private let limits: Limits
    private let state: Mutex<State>

    package init(_ limits: Limits) {
        self.limits = limits
        state = Mutex(State(waiters: FairQueue(limit: limits.waiting, limitPerKey: limits.waitingPerKey)))
    }

    package var heldCount: Int { state.withLock { $0.heldCount } }
    package var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for a permit.
    /// - Throws: `FairQueueRefusal` at once when too many wait already; `CancellationError` when the task was cancelled before its turn.
    package func acquire(for key: String) async throws -> Permit {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let outcome = enter(Waiter(ticket: ticket, continuation: continuation), key) { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.remove { $0.ticket == ticket } }
            waiter?.continuation.resume(returning: .cancelled)
        }
        switch outcome {
        case .granted: return Permit(self, key)
        case .cancelled: throw CancellationError()
        case .refused(let refusal): throw refusal
        }
    }

    /// Works under a permit.
    /// - Throws: as `acquire`, and what `work` throws.
    package func withPermit<T>(for key: String, _ work: () async throws -> T) async throws -> T {
        let permit = try await acquire(for: key)
        defer { permit.release() }
        return try await work()
    }

    /// - Returns: `nil` when the waiter has to wait.
    private func enter(_ waiter: Waiter, _ key: String) -> Outcome? {
        state.withLock { state in
            // A cancellation that came before this found no waiter to wake.
            if Task.isCancelled { return .cancelled }
            // Whoever waits while there are permits left waits for its own key's.
            if state.heldCount < limits.permits, state.held[key, default: 0] < limits.permitsPerKey, state.waiters.count(of: key) == 0 {
                state.heldCount += 1
                state.held[key, default: 0] += 1
                return .granted
            }
            do throws(FairQueueRefusal) {
                try state.waiters.enqueue(waiter, for: key)
                return nil
            } catch {
                return .refused(error)
            }
        }
    }

    private func leave(_ key: String) {
        let next: Waiter? = state.withLock { state in
            state.heldCount -= 1
            let ofKey = state.held[key, default: 1] - 1
            state.held[key] = ofKey == 0 ? nil : ofKey
            guard let next = state.waiters.dequeue(where: { state.held[$0, default: 0] < limits.permitsPerKey }) else { return nil }
            state.heldCount += 1
            state.held[next.key, default: 0] += 1
            return next.element
        }
        next?.continuation.resume(returning: .granted)
    }
}
