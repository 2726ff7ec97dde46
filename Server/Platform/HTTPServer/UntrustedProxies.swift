package import HTTPTypes
import Logging
import Synchronization

/// Notices a proxy that forwards requests of several clients and is not trusted: they all count as one network, and so take each other's
/// shares.
package final class UntrustedProxies: Sendable {
    private struct State {
        var windowEnd: ContinuousClock.Instant?
        /// Hashes of what each peer said whom it asks for.
        var clients: [IPAddress: Set<Int>] = [:]
        /// Requests of such peers since the last line.
        var requestCount = 0
        var lastLine: ContinuousClock.Instant?
    }

    /// So many clients named by one peer within a minute make it a proxy. One client may send such fields for itself.
    static let several = 3
    /// Peers that are watched at a time.
    private static let peerLimit = 64
    private static let minute = Duration.seconds(60)

    private let state = Mutex(State())

    package init() {}

    /// - Returns: whether the request came from what seems to be such a proxy, and, at most once a minute, how many did since the last time.
    package func note(
        _ peer: IPAddress, _ fields: HTTPFields, now: @autoclosure () -> ContinuousClock.Instant = .now
    ) -> (isProxy: Bool, line: Int?) {
        guard let named = fields[.forwarded] ?? fields[.xForwardedFor] else { return (false, nil) }
        let now = now()
        return state.withLock { state in
            if state.windowEnd.map({ $0 <= now }) ?? true {
                state.windowEnd = now + Self.minute
                state.clients = [:]
            }
            guard state.clients[peer] != nil || state.clients.count < Self.peerLimit else { return (false, nil) }
            if state.clients[peer, default: []].count < Self.several { state.clients[peer, default: []].insert(named.hashValue) }
            guard state.clients[peer, default: []].count >= Self.several else { return (false, nil) }
            state.requestCount += 1
            guard state.lastLine.map({ $0 + Self.minute <= now }) ?? true else { return (true, nil) }
            defer { state.requestCount = 0 }
            state.lastLine = now
            return (true, state.requestCount)
        }
    }
}
