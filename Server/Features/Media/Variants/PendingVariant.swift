import Synchronization

/// A variant that is being made, and the number of callers that wait for it.
final class PendingVariant: Sendable {
    private struct State {
        var waiting = 1
        var isEncoded = false
        var encoding: Task<EncodedCopy, any Error>?
    }

    private let state = Mutex(State())

    /// - Returns: `false` when every earlier caller has left. The work is then being cancelled, and a new one must start.
    func join() -> Bool {
        state.withLock { state in
            guard state.waiting > 0 || state.isEncoded else { return false }
            state.waiting += 1
            return true
        }
    }

    /// Must be called once for each caller. The last one that leaves cancels the work, unless it is done.
    func leave() {
        let encoding: Task<EncodedCopy, any Error>? = state.withLock { state in
            state.waiting -= 1
            return state.waiting == 0 && !state.isEncoded ? state.encoding : nil
        }
        encoding?.cancel()
    }

    /// Decodes and encodes, and is cancelled when every caller has left. Storing the result afterwards is not cancelled.
    func encode(_ work: @escaping @Sendable () async throws -> EncodedCopy) async throws -> EncodedCopy {
        let task: Task<EncodedCopy, any Error>? = state.withLock { state in
            guard state.waiting > 0 else { return nil }
            let task = Task { try await work() }
            state.encoding = task
            return task
        }
        guard let task else { throw CancellationError() }
        let copy = try await task.value
        state.withLock { state in
            state.isEncoded = true
            state.encoding = nil
        }
        return copy
    }
}
