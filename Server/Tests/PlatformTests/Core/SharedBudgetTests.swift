import Core
import TestThreads
import Testing

@Suite("Shared budget", .blocksThreads)
struct SharedBudgetTests {
    @Test("An account, a network and the total each have a limit")
    func shares() throws {
        let budget = SharedBudget(.init(total: 10, perAccount: 4, perNetwork: 6))
        let ann = Requester(account: "ann", network: Network(ipv4: 1))
        let bob = Requester(account: "bob", network: Network(ipv4: 1))
        let share = try budget.share(3, of: ann)
        #expect(throws: SharedBudget.Refusal.account) { try share.grow(by: 2) }
        try share.grow(by: 1)
        let second = try budget.share(2, of: bob)
        #expect(throws: SharedBudget.Refusal.network) { try second.grow(by: 1) }
        let third = try budget.share(4, of: Requester(account: "eve", network: Network(ipv4: 2)))
        #expect(throws: SharedBudget.Refusal.total) { try budget.share(1, of: Requester(account: nil, network: Network(ipv4: 3))) }
        share.shrink(by: 100)
        #expect(budget.held == 6)
        second.release()
        second.release()
        #expect(budget.held == 4)
        withExtendedLifetime(third) {}
    }

    @Test("Networks that hold little may use a reserve, and the total limit stays")
    func reserve() throws {
        let budget = SharedBudget(.init(total: 6, perAccount: 6, perNetwork: 6, reserve: 2, small: 1))
        let greedy = try budget.share(4, of: Requester(account: nil, network: Network(ipv4: 1)))
        #expect(throws: SharedBudget.Refusal.total) { try greedy.grow(by: 1) }
        let modest = try budget.share(1, of: Requester(account: "ann", network: Network(ipv4: 4)))
        #expect(throws: SharedBudget.Refusal.total) { try modest.grow(by: 1) }
        #expect(throws: SharedBudget.Refusal.total) { try budget.share(1, of: .server) }
        let third = try budget.share(1, of: Requester(account: nil, network: Network(ipv4: 5)))
        #expect(throws: SharedBudget.Refusal.total) { try budget.share(1, of: Requester(account: nil, network: Network(ipv4: 6))) }
        #expect(budget.held == 6)
        withExtendedLifetime((greedy, third)) {}
    }

    @Test("The less a network holds, the more of the reserve it can use, so it takes many networks to use it up")
    func steps() throws {
        // The budget for request bodies. A short body counts 48 KiB, and then what it holds.
        let limits = SharedBudget.Limits(
            total: 48 << 20, perAccount: .max, perNetwork: 28 << 20, reserve: 18 << 20, small: 8 << 20)
        let budget = SharedBudget(limits)
        let newcomer = Requester(account: nil, network: Network(ipv4: 1_000_000))
        var (shares, count): ([SharedBudget.Share], UInt32) = ([], 0)
        // Each network takes as much as it can get, in pieces of 48 KiB, until a network that holds nothing gets nothing.
        while let probe = try? budget.share(49 << 10, of: newcomer) {
            probe.release()
            count += 1
            let greedy = Requester(account: nil, network: Network(ipv4: count))
            while let share = try? budget.share(48 << 10, of: greedy) { shares.append(share) }
        }
        #expect((35...60).contains(count), "\(count) networks")
        #expect(budget.held > 47 << 20)
    }

    @Test("All IPv6 networks of one /48 count as one network that holds much")
    func site() throws {
        let budget = SharedBudget(.init(total: 1_000, perAccount: .max, perNetwork: .max, reserve: 400, small: 20))
        let shares = (0..<100).compactMap { number in
            try? budget.share(10, of: Requester(account: nil, network: Network(ipv6: 0x2001_0DB8_0001_0000 + number)))
        }
        #expect(budget.held == 600 && shares.count == 60)
        let other = try budget.share(10, of: Requester(account: nil, network: Network(ipv6: 0x2001_0DB8_0002_0000)))
        shares.forEach { $0.release() }
        #expect(budget.held == 10)
        other.release()
        #expect(budget.held == 0)
    }

    @Test("Parts of a budget share it")
    func parts() throws {
        let whole = SharedBudget(.init(total: 10, perAccount: 10, perNetwork: 8))
        let (first, second) = (
            SharedBudget(.init(total: 9, perAccount: 9, perNetwork: 9), partOf: whole),
            SharedBudget(.init(total: 9, perAccount: 9, perNetwork: 9), partOf: whole)
        )
        let ann = Requester(account: "ann", network: Network(ipv4: 1))
        let share = try first.share(5, of: ann)
        #expect(throws: SharedBudget.Refusal.network) { try second.share(4, of: ann) }
        #expect(first.held == 5 && second.held == 0 && whole.held == 5, "a refusal takes nothing")
        let other = try second.share(3, of: ann)
        share.shrink(by: 2)
        other.release()
        #expect(first.held == 3 && second.held == 0 && whole.held == 3)
        share.release()
        #expect(first.held == 0 && whole.held == 0)
    }

    @Test("A dropped share is released")
    func dropped() throws {
        let budget = SharedBudget(.init(total: 10, perAccount: 10, perNetwork: 10))
        var share: SharedBudget.Share? = try budget.share(7, of: Requester(account: "ann", network: nil))
        #expect(budget.held == 7)
        #expect(share?.amount == 7)
        share = nil
        #expect(budget.held == 0)
    }
}
