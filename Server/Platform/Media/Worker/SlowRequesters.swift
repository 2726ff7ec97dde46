internal import Core

/// The requesters whose short work of one kind took longer than short work may. For ten minutes, all their work of this kind is long work,
/// so that files that lie about their length or their cost do not occupy the worker that long jobs leave free.
struct SlowRequesters {
    /// The most accounts and networks that are remembered. When there are more, the earliest is forgotten.
    static let mostShares = 1_024
    static let time: Duration = .seconds(600)

    /// Whether the networks of accounts are remembered too. Otherwise a network is remembered only for requests without an account.
    private let includesNetworks: Bool
    private var ends: [Requester.Share: ContinuousClock.Instant] = [:]

    init(includesNetworks: Bool) { self.includesNetworks = includesNetworks }

    var count: Int { ends.count }

    mutating func add(_ requester: Requester, at now: ContinuousClock.Instant) {
        for share in shares(of: requester) {
            if ends[share] == nil, ends.count >= Self.mostShares, let earliest = ends.min(by: { $0.value < $1.value }) {
                ends[earliest.key] = nil
            }
            ends[share] = now + Self.time
        }
    }

    func contains(_ requester: Requester, at now: ContinuousClock.Instant) -> Bool {
        shares(of: requester).contains { share in ends[share].map { $0 > now } ?? false }
    }

    private func shares(of requester: Requester) -> Set<Requester.Share> {
        includesNetworks ? [requester.share, requester.networkShare] : [requester.share]
    }
}
