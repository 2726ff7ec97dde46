import Synchronization

/// Whether the client of the current request is still connected. Work that only this client needs can end when it disconnects.
/// `HTTP1Exchange` and `HTTP2Exchange` report when their channel, or its input, has closed.
///
/// A client that closes only its sending side counts as disconnected: TCP does not distinguish it from one that closed the connection, and
/// HTTP clients do not close one side only.
package final class ClientPresence: Sendable {
    /// `nil` outside a request.
    @TaskLocal package static var current: ClientPresence?

    private struct State {
        var isGone = false
        var isRequestWhole = false
        var last = 0
        var watchers: [Int: @Sendable () -> Void] = [:]
        var onceSent: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    init() {}

    package var isGone: Bool { state.withLock { $0.isGone } }

    /// Whether the request has arrived completely with its head (HTTP/2).
    package internal(set) var isRequestWhole: Bool {
        get { state.withLock { $0.isRequestWhole } }
        set { state.withLock { $0.isRequestWhole = newValue } }
    }

    /// Runs `action` once the response in progress has been sent to the network, or can no longer be sent. Use it to release what the
    /// server holds until then. Call it before the response ends.
    package func onceSent(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onceSent.append(action) } }

    /// Returns the actions of `onceSent`, which the caller runs.
    func takeOnceSent() -> [@Sendable () -> Void] {
        state.withLock { state in
            defer { state.onceSent = [] }
            return state.onceSent
        }
    }

    /// Runs `work`, and cancels it when the client disconnects. Outside a request, `work` runs without this check.
    /// - Parameter executor: where `work` runs; `nil` for Swift's own threads. `work` does not inherit the caller's executor.
    /// - Throws: the errors of `work`, usually `CancellationError` after the client has disconnected.
    package static func whilePresent<T: Sendable>(
        on executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        guard let presence = current else { return try await work() }
        let task = Task(executorPreference: executor) { try await work() }
        // Remove the watch before returning: a connection serves many requests, and their watches would pile up.
        let watch = presence.watch { task.cancel() }
        defer { presence.unwatch(watch) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// - Returns: the identifier of the watch; `nil` when the client has disconnected already, in which case `watcher` has run.
    private func watch(_ watcher: @escaping @Sendable () -> Void) -> Int? {
        let number: Int? = state.withLock { state in
            guard !state.isGone else { return nil }
            state.last += 1
            state.watchers[state.last] = watcher
            return state.last
        }
        if number == nil { watcher() }
        return number
    }

    private func unwatch(_ number: Int?) {
        guard let number else { return }
        state.withLock { $0.watchers[number] = nil }
    }

    func leave() {
        let watchers = state.withLock { state in
            state.isGone = true
            defer { state.watchers = [:] }
            return state.watchers
        }
        for watcher in watchers.values { watcher() }
    }
}
