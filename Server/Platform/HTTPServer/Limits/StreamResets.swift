import Core
import NIOCore
import Synchronization

/// Counts, by network, the HTTP/2 streams that clients reset before they have their response. Each connection also has its own limit, but a
/// client that opens one connection after another never reaches that one (CVE-2023-44487).
final class StreamResets: Sendable {
    /// A network's resets are forgotten at a steady rate: as many as the limit in this time.
    static let window = TimeAmount.seconds(30)
    /// The most networks that are tracked. When there are more, networks whose resets are all forgotten are removed. If there are none, all
    /// networks are removed: memory stays bounded, and for a short time clients may reset more streams than the limit.
    static let mostNetworks = 10_000

    private let interval: TimeAmount
    /// When all resets of a network are forgotten. Each reset moves that time by `interval`.
    private let forgottenAt = Mutex<[Network: NIODeadline]>([:])

    /// - Parameter limit: the most resets of one network in `window`, which may also come all at the same time; 1 or more.
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
            // Resets beyond the limit are not counted, so the network may connect again as soon as one of its resets is forgotten.
            guard time <= now + Self.window else { return true }
            times[network] = time
            return false
        }
    }
}
