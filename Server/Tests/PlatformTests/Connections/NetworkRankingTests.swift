import Core
import Testing

@testable import HTTPServer

@Suite("Networks by their number of connections")
struct NetworkRankingTests {
    @Test("the networks with the most connections come first, whichever connections begin and end")
    func fullest() {
        var ranking = NetworkRanking()
        var counts: [Network: Int] = [:]
        for step in 0..<2_000 {
            let network = Network(ipv4: UInt32(step * 7_919 % 41))
            let old = counts[network] ?? 0
            // Two of three steps begin a connection.
            let new = step % 3 == 0 ? max(0, old - 1) : old + 1
            ranking.move(network, from: old, to: new)
            counts[network] = new
            let most: [Int] = counts.values.filter { $0 > 0 }.sorted(by: >)
            let networks: [Network] = ranking.fullest(8)
            let found: [Int] = networks.map { counts[$0] ?? 0 }
            #expect(found == Array(most.prefix(8)) && Set(networks).count == networks.count)
        }
        for (network, count) in counts { ranking.move(network, from: count, to: 0) }
        #expect(ranking.fullest(8).isEmpty)
    }
}
