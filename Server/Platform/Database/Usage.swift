internal import NIOConcurrencyHelpers

/// Counts running calls, so that closing can wait for them and refuse new ones.
package final class Usage: Sendable {
    private struct State {
        var running = 0
        var isClosed = false
        var isIdle: CheckedContinuation<Void, Never>?
    }
    private let state = NIOLockedValueBox(State())

    package init() {}

    /// - Throws: `DatabaseError.closed`.
    package func run<T: Sendable>(_ body: () async throws -> sending T) async throws -> sending T {
        try enter()
        defer { leave() }
        return try await body()
    }

    /// Every call must be followed by `leave`.
    /// - Throws: `DatabaseError.closed`.
    package func enter() throws {
        try state.withLockedValue { state in
            guard !state.isClosed else { throw DatabaseError.closed }
            state.running += 1
        }
    }

    package func leave() {
        let waiting = state.withLockedValue { state in
            state.running -= 1
            return state.running == 0 ? state.isIdle.take() : nil
        }
        waiting?.resume()
    }

    /// Refuses new calls and waits for running ones.
    /// - Returns: false when it was called before.
    package func close() async -> Bool {
        guard
            state.withLockedValue({ state in
                defer { state.isClosed = true }
                return !state.isClosed
            })
        else { return false }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLockedValue { state in
                if state.running > 0 { state.isIdle = continuation }
                return state.running == 0
            }
            if isIdle { continuation.resume() }
        }
        return true
    }
}
