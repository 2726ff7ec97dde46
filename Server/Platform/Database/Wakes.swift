internal import Synchronization

/// Word that a row somebody may be waiting for is there. Only a hint: it can come twice, late, or not at all when a node loses
/// its connection, so whoever listens looks at the tables, and looks now and then without being told.
package struct Wake: Hashable, Sendable {
    /// What kind of waiting it ends, for example `jobs`. Few, each a constant of the room that listens.
    package let channel: Channel
    /// Whose, for example an account's id. At most 200 bytes; a longer one wakes the whole channel.
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

/// Who listens for wakes on this node.
package final class Wakes: Sendable {
    /// Gets the keys that were woken; `nil` means any: word of others may have been missed. Called on an engine's thread, so it
    /// sets a flag or yields to a stream, and returns.
    package typealias Listener = @Sendable (_ keys: Set<String>?) -> Void

    private struct State {
        var next = 0
        var listeners: [Wake.Channel: [Int: Listener]] = [:]
    }
    private let state = Mutex(State())

    package init() {}

    /// Listens until the answer is cancelled or let go.
    package func listen(_ channel: Wake.Channel, _ listener: @escaping Listener) -> Listening {
        let number = state.withLock { state in
            state.next += 1
            state.listeners[channel, default: [:]][state.next] = listener
            return state.next
        }
        return Listening { [weak self] in
            self?.state.withLock { $0.listeners[channel]?[number] = nil }
        }
    }

    package func post(_ wakes: Set<Wake>) {
        guard !wakes.isEmpty else { return }
        var keys: [Wake.Channel: Set<String>] = [:]
        for wake in wakes { keys[wake.channel, default: []].insert(wake.key) }
        for (channel, keys) in keys { post(channel, keys) }
    }

    package func post(_ channel: Wake.Channel, _ keys: Set<String>?) {
        for listener in state.withLock({ $0.listeners[channel].map { Array($0.values) } ?? [] }) { listener(keys) }
    }

    /// Everybody looks again: word may have been missed.
    package func postAll() {
        for channel in state.withLock({ Array($0.listeners.keys) }) { post(channel, nil) }
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
