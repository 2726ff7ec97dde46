import Synchronization

/// One account's or network's work on a variant, and the number of callers that wait for it.
final class PendingVariant: Sendable {
    private struct State {
        var waiting = 1
        var isEncoded = false
        var encoding: Task<EncodedCopy, any Error>?
        var other: Task<MadeCopy, any Error>?
        /// The pending variant of `other`, if this work counts as a caller of it.
        var joined: PendingVariant?
    }

    private let state = Mutex(State())

    /// The work on the same variant whose result the callers get instead of this one's.
    var other: Task<MadeCopy, any Error>? { state.withLock { $0.other } }

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
        let (encoding, joined): (Task<EncodedCopy, any Error>?, PendingVariant?) = state.withLock { state in
            state.waiting -= 1
            guard state.waiting == 0, !state.isEncoded else { return (nil, nil) }
            defer { state.joined = nil }
            return (state.encoding, state.joined)
        }
        encoding?.cancel()
        joined?.leave()
    }

    /// Cancels this work, because `other` has a result or may get one.
    /// - Parameter joined: the pending variant of `other`, if this work has joined it as one caller on behalf of all its own callers. When
    ///   the last of them leaves, this work leaves `other`, so that `other` is cancelled if nobody else waits for it.
    func follow(_ other: Task<MadeCopy, any Error>, joined: PendingVariant? = nil) {
        let (encoding, left): (Task<EncodedCopy, any Error>?, PendingVariant?) = state.withLock { state in
            state.other = other
            guard state.waiting > 0 else { return (state.encoding, joined) }
            state.joined = joined
            return (state.encoding, nil)
        }
        encoding?.cancel()
        left?.leave()
    }

    /// Call it when the followed work has ended. Does nothing if this work has left it.
    func leaveJoined() {
        let joined = state.withLock { state in
            defer { state.joined = nil }
            return state.joined
        }
        joined?.leave()
    }

    /// Decodes and encodes, and is cancelled when every caller has left, or when another work has a result. Storing the result afterwards
    /// is not cancelled.
    func encode(_ work: @escaping @Sendable () async throws -> EncodedCopy) async throws -> EncodedCopy {
        let task: Task<EncodedCopy, any Error>? = state.withLock { state in
            guard state.waiting > 0, state.other == nil else { return nil }
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
