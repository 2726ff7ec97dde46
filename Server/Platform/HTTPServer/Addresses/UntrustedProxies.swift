package import HTTPTypes
import Logging
import Synchronization

/// Detects a proxy that forwards requests of several clients and is not trusted. All its clients count as one network, and so share one
/// network's limits.
package final class UntrustedProxies: Sendable {
    private struct State {
        var windowEnd: ContinuousClock.Instant?
        /// For each peer, hashes of the clients that its forwarding fields name.
        var clients: [IPAddress: Set<Int>] = [:]
        /// Requests of detected proxies since the last log line.
        var requestCount = 0
        var lastLine: ContinuousClock.Instant?
    }

    /// A peer that names this many clients within a minute counts as a proxy. Fewer do not suffice, because a client that is not a proxy
    /// may also send such fields.
    static let several = 3
    /// The most peers tracked at a time.
    private static let peerLimit = 64
    private static let minute = Duration.seconds(60)
    /// A longer value names no further client: a peer could send a different one of 16 KB with each request. The value of an ordinary proxy
    /// holds one or two addresses.
    private static let mostValueByteCount = 256

    private let state = Mutex(State())

    package init() {}

    /// - Returns: `isProxy`: whether the peer seems to be such a proxy. `line`: if a log line is due, the number of such requests since the
    ///   last log line; otherwise `nil`. A line is due at most once a minute.
    package func note(
        _ peer: IPAddress, _ fields: HTTPFields, now: @autoclosure () -> ContinuousClock.Instant = .now
    ) -> (isProxy: Bool, line: Int?) {
        guard let named = fields[.forwarded] ?? fields[.xForwardedFor] else { return (false, nil) }
        let now = now()
        // The hash is made before the lock, for which all event loops wait.
        let hash = named.utf8.count <= Self.mostValueByteCount ? Self.hash(of: named) : nil
        return state.withLock { state in
            if state.windowEnd.map({ $0 <= now }) ?? true {
                state.windowEnd = now + Self.minute
                state.clients = [:]
            }
            guard state.clients[peer] != nil || state.clients.count < Self.peerLimit else { return (false, nil) }
            if let hash, state.clients[peer, default: []].count < Self.several { state.clients[peer, default: []].insert(hash) }
            guard state.clients[peer, default: []].count >= Self.several else { return (false, nil) }
            state.requestCount += 1
            guard state.lastLine.map({ $0 + Self.minute <= now }) ?? true else { return (true, nil) }
            defer { state.requestCount = 0 }
            state.lastLine = now
            return (true, state.requestCount)
        }
    }

    /// A hash of the bytes. `hashValue` would first normalize the characters.
    private static func hash(of text: String) -> Int {
        var hasher = Hasher()
        for byte in text.utf8 { hasher.combine(byte) }
        return hasher.finalize()
    }
}
