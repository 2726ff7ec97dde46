import Core
import NIOCore
import Synchronization

/// Counts the open connections, in total and per network, and refuses those beyond the limits.
package final class ConnectionLedger: Sendable {
    /// A counted connection.
    struct Place: Sendable {
        /// `nil` when the connection is not counted per network: trusted proxies and Unix sockets.
        let network: Network?
    }

    private struct Counts {
        var total = 0
        var refused = 0
        var networks: [Network: Int] = [:]
    }

    private let limits: ChannelLimits
    private let proxies: TrustedProxies
    private let counts = Mutex(Counts())

    package init(limits: ChannelLimits, proxies: TrustedProxies) {
        self.limits = limits
        self.proxies = proxies
    }

    package var connectionCount: Int { counts.withLock { $0.total } }
    /// Connections refused since the server started.
    package var refusedCount: Int { counts.withLock { $0.refused } }

    /// - Returns: `nil` when there are too many connections, in total or of this network.
    func enter(_ address: SocketAddress?) -> Place? {
        let peer = address?.ipAddress.flatMap(IPAddress.init)
        let isProxy = peer.map(proxies.contains) ?? true
        let network = isProxy ? nil : peer?.network
        return counts.withLock { counts in
            let ofNetwork = network.flatMap { counts.networks[$0] } ?? 0
            guard counts.total < limits.connections, ofNetwork < limits.connectionsPerAddress else {
                counts.refused += 1
                return nil
            }
            counts.total += 1
            if let network { counts.networks[network, default: 0] += 1 }
            return Place(network: network)
        }
    }

    func leave(_ place: Place) {
        counts.withLock { counts in
            counts.total -= 1
            guard let network = place.network, let count = counts.networks[network] else { return }
            // Remove the entry at zero, or the table would grow with every address that ever connected.
            counts.networks[network] = count > 1 ? count - 1 : nil
        }
    }
}
