internal import Core

/// The requesters whose short work of one kind took longer than short work may. For ten minutes, all their work of this kind is long work,
/// so that files that lie about their length or their cost do not occupy the worker that long jobs leave free.
struct SlowRequesters {
    /// Whether the networks of accounts are remembered too. Otherwise a network is remembered only for requests without an account.
    private let includesNetworks: Bool
    private var remembered = RecentlySlow<Requester.Share>()

    init(includesNetworks: Bool) { self.includesNetworks = includesNetworks }

    var count: Int { remembered.count }

    mutating func add(_ requester: Requester, at now: ContinuousClock.Instant) {
        for share in shares(of: requester) { remembered.add(share, at: now) }
    }

    func contains(_ requester: Requester, at now: ContinuousClock.Instant) -> Bool {
        shares(of: requester).contains { remembered.contains($0, at: now) }
    }

    private func shares(of requester: Requester) -> Set<Requester.Share> {
        includesNetworks ? [requester.share, requester.networkShare] : [requester.share]
    }
}

/// What is remembered for ten minutes because work was slow. At most 1,024 entries; when there are more, the earliest is forgotten.
struct RecentlySlow<Key: Hashable & Sendable>: Sendable {
    private var ends: [Key: ContinuousClock.Instant] = [:]

    var count: Int { ends.count }

    mutating func add(_ key: Key, at now: ContinuousClock.Instant) {
        if ends[key] == nil, ends.count >= 1_024, let earliest = ends.min(by: { $0.value < $1.value }) {
            ends[earliest.key] = nil
        }
        ends[key] = now + .seconds(600)
    }

    func contains(_ key: Key, at now: ContinuousClock.Instant) -> Bool { ends[key].map { $0 > now } ?? false }

    /// The number of remembered keys that satisfy the condition.
    func count(at now: ContinuousClock.Instant, where condition: (Key) -> Bool) -> Int {
        ends.reduce(into: 0) { count, entry in if entry.value > now, condition(entry.key) { count += 1 } }
    }
}
