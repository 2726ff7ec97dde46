import Core

/// Networks by their number of connections. It finds those with the most without a look at all networks: under attack there are thousands,
/// and each accepted connection asks.
struct NetworkRanking {
    /// The networks with one connection come first, then those with two. The last set is not empty.
    private var ranks: [Set<Network>] = []

    /// Call this when the number of the network's connections has changed.
    mutating func move(_ network: Network, from old: Int, to new: Int) {
        if old > 0 { ranks[old - 1].remove(network) }
        while ranks.count < new { ranks.append([]) }
        if new > 0 { ranks[new - 1].insert(network) }
        while let last = ranks.last, last.isEmpty { ranks.removeLast() }
    }

    /// - Returns: the `count` networks with the most connections, or all if there are fewer. Those with the most come first.
    func fullest(_ count: Int) -> [Network] {
        var found: [Network] = []
        for rank in ranks.reversed() {
            found += rank.prefix(count - found.count)
            if found.count == count { break }
        }
        return found
    }
}
