internal import NIOConcurrencyHelpers
internal import Synchronization

/// A notification that rows which a listener waits for may exist. It is only a hint: it can arrive twice, late, or not at all when a node
/// loses its connection. So a listener reads the tables, and also polls them from time to time.
package struct Wake: Hashable, Sendable {
    /// What kind of event it is, for example `jobs`. There are few channels, each a constant of the module that listens.
    package let channel: Channel
    /// What the event concerns, for example an account's id. At most 200 bytes; a longer key wakes all keys of the channel.
    package let key: String

    package init(_ channel: Channel, _ key: String) {
        self.channel = channel
        self.key = key
    }

    package struct Channel: Hashable, Sendable, ExpressibleByStringLiteral {
        /// Lower-case letters.
        package let name: String
        package init(stringLiteral value: StaticString) { name = "\(value)" }
        package init(name: String) { self.name = name }
    }
}

/// The listeners for wakes on this node.
package final class Wakes: Sendable {
    /// Receives the woken keys; `nil` means any key, because notifications may have been missed. Called on an engine's thread, so it must
    /// only set a flag or yield to a stream, and return.
    package typealias Listener = @Sendable (_ keys: Set<String>?) -> Void

    private struct State {
        var next = 0
        var listeners: [Wake.Channel: [Int: Listener]] = [:]
    }
    /// This is no `Mutex`, because each of an engine's threads takes it after a write (decision 059).
    private let state = NIOLockedValueBox(State())

    package init() {}

    /// Calls `listener` until the returned `Listening` is cancelled or released.
    package func listen(_ channel: Wake.Channel, _ listener: @escaping Listener) -> Listening {
        let number = state.withLockedValue { state in
            state.next += 1
            state.listeners[channel, default: [:]][state.next] = listener
            return state.next
        }
        return Listening { [weak self] in
            self?.state.withLockedValue { $0.listeners[channel]?[number] = nil }
        }
    }

    package func post(_ wakes: Set<Wake>) {
        guard !wakes.isEmpty else { return }
        var keys: [Wake.Channel: Set<String>] = [:]
        for wake in wakes { keys[wake.channel, default: []].insert(wake.key) }
        for (channel, keys) in keys { post(channel, keys) }
    }

    package func post(_ channel: Wake.Channel, _ keys: Set<String>?) {
        for listener in state.withLockedValue({ $0.listeners[channel].map { Array($0.values) } ?? [] }) { listener(keys) }
    }

    /// Wakes every listener for all keys, because notifications may have been missed.
    package func postAll() {
        for channel in state.withLockedValue({ Array($0.listeners.keys) }) { post(channel, nil) }
    }

    package final class Listening: Sendable {
        private let end: Mutex<(@Sendable () -> Void)?>
        init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }
        deinit { cancel() }
        package func cancel() {
            let end = end.withLock { end in
                defer { end = nil }
                return end
            }
            end?()
        }
    }
}
