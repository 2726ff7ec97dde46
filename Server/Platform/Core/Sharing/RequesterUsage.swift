/// For how long each account, and each network with all of its accounts, has used a resource. Whoever has used it for a shorter time is
/// next. By accounts alone, others would wait for a use of each account of a network.
package struct RequesterUsage: Sendable {
    /// In microseconds.
    private var accounts: UsageOrder<Requester.Share>
    private var networks: UsageOrder<Requester.Share>

    /// - Parameter headStart: microseconds, a few times as long as a short use takes (`UsageOrder`).
    package init(headStart: UInt64) {
        accounts = UsageOrder(headStart: headStart)
        networks = UsageOrder(headStart: headStart)
    }

    /// The requester with the lowest rank is next.
    package func rank(of account: Requester.Share, in network: Requester.Share) -> UInt64 {
        let own = accounts.rank(of: account)
        // The upper 32 bits hold the higher one of the two ranks, so it decides. If it is the same for several requesters, mostly those of
        // one network, the lower 32 bits decide: the requester that has used less is next. Ranks are far below 2³² µs, because callers
        // count at most a second for one use.
        return max(own, networks.rank(of: network)) << 32 | min(own, UInt64(UInt32.max))
    }

    /// Call it when a use has ended, before the next one is chosen.
    package mutating func used(_ time: Duration, by account: Requester.Share, in network: Requester.Share) {
        let cost = UInt64(max(Duration.zero, time) / .microseconds(1))
        accounts.used(cost, by: account)
        networks.used(cost, by: network)
    }

    /// Forgets all uses. Call it when nobody waits: nobody had to wait for those uses.
    package mutating func reset() {
        accounts.reset()
        networks.reset()
    }
}
