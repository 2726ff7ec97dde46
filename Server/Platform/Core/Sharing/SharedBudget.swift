internal import Synchronization

/// A limited amount of a resource (bytes, open bodies) that all requesters share. Each account and each network may hold only a part of it.
/// Requests never wait for it: what exceeds a limit is refused.
package final class SharedBudget: Sendable {
    package struct Limits: Sendable {
        package var total: Int
        package var perAccount: Int
        package var perNetwork: Int
        /// The part of `total` that is reserved for networks that hold at most `small`. It prevents a few networks that take all they can
        /// get from locking out everybody else. Default 0.
        ///
        /// These networks can use half of the reserve. Of the other half, they can use more the less they hold: an eighth if a network holds
        /// between half of `small` and all of it, two eighths if it holds between a quarter and a half, and so on. Only a network that holds
        /// at most 1/128 of `small` can use all of it. Without these steps, a few networks that hold just `small` could use up the reserve.
        /// With them it takes about fifty. If `small` is below 128, there are fewer and larger steps, and a network that holds 1 can use all.
        package var reserve: Int
        package var small: Int

        package init(total: Int, perAccount: Int, perNetwork: Int, reserve: Int = 0, small: Int = 0) {
            self.reserve = reserve
            self.small = small
            self.total = total
            self.perAccount = perAccount
            self.perNetwork = perNetwork
        }

        /// The part of `total` that a network cannot use when it holds `amount`. Requesters without a network cannot be told apart, so the
        /// reserve is not for them: their amount is `.max`.
        package func reserve(for amount: Int) -> Int {
            guard amount <= small, amount > 0 else { return reserve }
            let stepCount = min(8, Int.bitWidth - small.leadingZeroBitCount)
            // How often `amount` can be doubled without exceeding `small`.
            let doublings = Int.bitWidth - 1 - (small / amount).leadingZeroBitCount
            return reserve / 2 / stepCount * max(0, stepCount - 1 - doublings)
        }
    }

    /// The limit that a request would exceed.
    package enum Refusal: Error, Sendable {
        /// All requesters together hold too much: the server is busy.
        case total
        case account
        case network
    }

    /// A part of the budget. It can grow while it is held. `release` returns all of it, and so does dropping the last reference to it.
    package final class Share: Sendable {
        private let budget: SharedBudget
        private let requester: Requester
        private let held: Mutex<Int>

        fileprivate init(_ budget: SharedBudget, _ requester: Requester, _ amount: Int) {
            self.budget = budget
            self.requester = requester
            held = Mutex(amount)
        }

        deinit { release() }

        package var amount: Int { held.withLock { $0 } }

        /// Takes `amount` more from the budget.
        package func grow(by amount: Int) throws(Refusal) {
            try budget.take(amount, requester)
            held.withLock { $0 += amount }
        }

        /// Moves all of it to another share, which may be held longer.
        package func handOver() -> Share {
            let given = held.withLock { held in
                defer { held = 0 }
                return held
            }
            return Share(budget, requester, given)
        }

        /// Returns up to `amount` to the budget, and never more than is held.
        package func shrink(by amount: Int) {
            let given = held.withLock { held in
                let given = min(held, amount)
                held -= given
                return given
            }
            if given > 0 { budget.give(given, requester) }
        }

        /// Takes from the budget or returns to it what is missing or left. Other calls must not change the share meanwhile.
        package func change(to amount: Int) throws(Refusal) {
            let held = self.amount
            if amount > held { try grow(by: amount - held) } else { shrink(by: held - amount) }
        }

        /// Returns all of it to the budget. Calling it again does nothing.
        package func release() {
            let given = held.withLock { held in
                defer { held = 0 }
                return held
            }
            if given > 0 { budget.give(given, requester) }
        }
    }

    private struct State {
        var total = 0
        var accounts: [String: Int] = [:]
        var networks: [Network: Int] = [:]
        /// What the IPv6 networks of each /48 hold together (`Network.site`).
        var sites: [Network: Int] = [:]
    }

    private let limits: Limits
    private let whole: SharedBudget?
    private let state = Mutex(State())

    /// - Parameter whole: a larger budget of which this one is a part: what is taken from this budget counts there, too.
    package init(_ limits: Limits, partOf whole: SharedBudget? = nil) {
        self.limits = limits
        self.whole = whole
    }

    /// The amount that all requesters hold together.
    package var held: Int { state.withLock { $0.total } }

    /// - Parameter amount: 0 or more. A share of 0 is never refused.
    package func share(_ amount: Int, of requester: Requester = .current) throws(Refusal) -> Share {
        try take(amount, requester)
        return Share(self, requester, amount)
    }

    private func take(_ amount: Int, _ requester: Requester) throws(Refusal) {
        if amount == 0 { return }
        let refusal: Refusal? = state.withLock { state in
            let ofAccount = requester.account.map { state.accounts[$0, default: 0] + amount } ?? 0
            let ofNetwork = requester.network.map { state.networks[$0, default: 0] + amount } ?? 0
            if ofAccount > limits.perAccount { return .account }
            if ofNetwork > limits.perNetwork { return .network }
            // All IPv6 networks of one /48 count as one network here: one subscriber may have them all.
            let site = limits.reserve > 0 ? requester.network?.site : nil
            let ofSite = site.map { state.sites[$0, default: 0] + amount } ?? ofNetwork
            if state.total + amount > limits.total - limits.reserve(for: requester.network == nil ? .max : ofSite) { return .total }
            state.total += amount
            if let account = requester.account { state.accounts[account] = ofAccount }
            if let network = requester.network { state.networks[network] = ofNetwork }
            if let site { state.sites[site] = ofSite }
            return nil
        }
        if let refusal { throw refusal }
        do throws(Refusal) {
            try whole?.take(amount, requester)
        } catch {
            giveOwn(amount, requester)
            throw error
        }
    }

    private func give(_ amount: Int, _ requester: Requester) {
        giveOwn(amount, requester)
        whole?.give(amount, requester)
    }

    private func giveOwn(_ amount: Int, _ requester: Requester) {
        state.withLock { state in
            state.total -= amount
            if let account = requester.account { Self.subtract(amount, &state.accounts, account) }
            if let network = requester.network { Self.subtract(amount, &state.networks, network) }
            if limits.reserve > 0, let site = requester.network?.site { Self.subtract(amount, &state.sites, site) }
        }
    }

    private static func subtract<Key: Hashable>(_ amount: Int, _ counts: inout [Key: Int], _ key: Key) {
        guard let index = counts.index(forKey: key) else { return }
        if counts.values[index] > amount { counts.values[index] -= amount } else { counts.remove(at: index) }
    }
}
