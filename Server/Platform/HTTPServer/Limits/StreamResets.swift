import Core
import NIOCore
import Synchronization

/// Counts, by network, the HTTP/2 streams that clients reset before they have their response. A connection has a limit of its own, which a
/// client that opens one connection after the other never reaches (CVE-2023-44487).
final class StreamResets: Sendable {
    /// The time in which as many resets as the limit are forgotten.
    static let window = TimeAmount.seconds(30)
    /// The most networks. When there are more, those whose resets are forgotten are removed. If there are none of them, all are removed:
    /// memory stays bounded, and for a short time clients may reset more streams than the limit.
    static let mostNetworks = 10_000

    private let interval: TimeAmount
    /// When the resets of a network no longer count. Each reset moves that time by an interval.
    private let forgottenAt = Mutex<[Network: NIODeadline]>([:])

    /// - Parameter limit: resets of one network in `window`, and at once. 1 or more.
    init(limit: Int) { interval = .nanoseconds(Self.window.nanoseconds / Int64(limit)) }

    var networkCount: Int { forgottenAt.withLock { $0.count } }

    /// Counts a reset.
    /// - Returns: whether the network has reset too many streams.
    func add(_ network: Network, at now: NIODeadline = .now()) -> Bool {
        forgottenAt.withLock { times in
            if times.count >= Self.mostNetworks, times[network] == nil {
                times = times.filter { $0.value > now }
                if times.count >= Self.mostNetworks { times = [:] }
            }
            let time = max(times[network] ?? now, now) + interval
            // Resets beyond the limit are not counted: the network may connect again as soon as one is forgotten.
            guard time <= now + Self.window else { return true }
            times[network] = time
            return false
        }
    }
}
