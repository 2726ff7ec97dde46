import Synchronization

/// Whether the client of the present request is still there. Work that only it waits for can end with it. `HTTP1Exchange` and
/// `HTTP2Exchange` tell when the input of their channel, or the channel, has closed.
///
/// A client that closes its sending side only is taken for gone: TCP does not tell it from one that closed the connection, and clients of HTTP
/// do not do it.
package final class ClientPresence: Sendable {
    /// `nil` outside of a request.
    @TaskLocal package static var current: ClientPresence?

    private struct State {
        var isGone = false
        var last = 0
        var watchers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    init() {}

    package var isGone: Bool { state.withLock { $0.isGone } }

    /// Runs `work`, and cancels it when the client goes away. Outside of a request it just runs.
    /// - Throws: what `work` throws, usually `CancellationError` after the client has gone.
    package static func whilePresent<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
        guard let presence = current else { return try await work() }
        let task = Task { try await work() }
        // Taken off before this returns: a connection serves many requests.
        let watch = presence.watch { task.cancel() }
        defer { presence.unwatch(watch) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// - Returns: names the watch; `nil` when the client has gone already, and `watcher` has run.
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
