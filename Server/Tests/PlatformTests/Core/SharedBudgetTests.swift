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

    @Test("A part of the reserve is only for networks that hold the least")
    func lastReserve() throws {
        let budget = SharedBudget(
            .init(total: 12, perAccount: .max, perNetwork: .max, reserve: 6, small: 3, lastReserve: 2, smallest: 1))
        func share(_ amount: Int, _ network: UInt32) throws -> SharedBudget.Share {
            try budget.share(amount, of: Requester(account: nil, network: Network(ipv4: network)))
        }
        let (first, second) = (try share(6, 1), try share(3, 2))
        #expect(throws: SharedBudget.Refusal.total) { try first.grow(by: 1) }
        let third = try share(1, 3)
        #expect(throws: SharedBudget.Refusal.total) { try third.grow(by: 1) }
        let others = [try share(1, 4), try share(1, 5)]
        #expect(throws: SharedBudget.Refusal.total) { try share(1, 6) }
        #expect(budget.held == 12)
        withExtendedLifetime((first, second, third, others)) {}
    }

    @Test("Networks that take as much as they can leave room for others, also if there are many")
    func room() throws {
        let limits = SharedBudget.Limits(total: 48_000, perAccount: .max, perNetwork: .max, leavesRoom: true)
        for count in [1, 13, 100] {
            let budget = SharedBudget(limits)
            var shares: [SharedBudget.Share] = []
            // In turns, as long as one of them gets anything.
            var hasChanged = true
            while hasChanged {
                hasChanged = false
                for number in 0..<count {
                    let greedy = Requester(account: nil, network: Network(ipv4: UInt32(number)))
                    guard let share = try? budget.share(10, of: greedy) else { continue }
                    shares.append(share)
                    hasChanged = true
                }
            }
            let left = Double(48_000 - budget.held)
            #expect(abs(left - 48_000 / (1 + 1.5 * Double(count))) < 10 * Double(count) + 1, "\(left) left beside \(count)")
            // The last reserve of a larger amount would be refused.
            let modest = Requester(account: nil, network: Network(ipv4: 1_000))
            _ = try budget.share(Int(left / 2), of: modest)
            withExtendedLifetime(shares) {}
        }
    }

    @Test("All IPv6 networks of one /48 together leave room for others")
    func roomBesideSite() throws {
        let budget = SharedBudget(.init(total: 1_000, perAccount: .max, perNetwork: .max, leavesRoom: true))
        let shares = (0..<100).compactMap { number in
            try? budget.share(10, of: Requester(account: nil, network: Network(ipv6: 0x2001_0DB8_0001_0000 + number)))
        }
        #expect(budget.held == 600 && shares.count == 60)
        let other = try budget.share(200, of: Requester(account: nil, network: Network(ipv6: 0x2001_0DB8_0002_0000)))
        #expect(budget.held == 800)
        shares.forEach { $0.release() }
        #expect(budget.held == 200)
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
