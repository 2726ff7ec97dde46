import Core
import Testing

@Suite("Order by use")
struct UsageOrderTests {
    private struct Write: Sendable {
        let account: String
        let rows: UInt64
    }

    /// The waiting writes of a database, whose order follows the rows that each account has written.
    private struct Writer {
        /// If `false`, accounts take turns, however many rows they write.
        let ordersByUse: Bool
        var usage = UsageOrder<String>(headStart: 64)
        private var waiting = FairQueue<String, Write>(limit: 1_000, limitPerKey: 1_000)

        init(ordersByUse: Bool = true) { self.ordersByUse = ordersByUse }

        mutating func enqueue(_ account: String, rows: UInt64) throws {
            try waiting.enqueue(Write(account: account, rows: rows), for: account)
        }

        mutating func next() -> Write? {
            let rank: (Write) -> UInt64 = { [usage, ordersByUse] in ordersByUse ? usage.rank(of: $0.account) : 0 }
            guard let write = waiting.dequeue(whereNext: { _, _ in true }, rank: rank)?.element else { return nil }
            usage.used(write.rows, by: write.account)
            return write
        }
    }

    /// - Returns: the most rows that a write of one row waited for, while 30 accounts write 256 rows each without a pause.
    private func longestWait(_ writer: Writer) throws -> UInt64 {
        var writer = writer
        for number in 0..<120 { try writer.enqueue("greedy \(number % 30)", rows: 256) }
        var (longest, waited) = (UInt64(0), UInt64?.none)
        for round in 0..<600 {
            // After 100 rounds, every greedy account has written several times.
            if round >= 100, round % 3 == 0, waited == nil {
                try writer.enqueue("victim", rows: 1)
                waited = 0
            }
            guard let write = writer.next() else { break }
            if write.account == "victim" {
                longest = max(longest, waited ?? 0)
                waited = nil
            } else {
                try writer.enqueue(write.account, rows: write.rows)
                waited = waited.map { $0 + write.rows }
            }
        }
        return max(longest, waited ?? 0)
    }

    @Test("an account that writes little waits for at most one write of an account that writes much, however many of those there are")
    func many() throws {
        let rows = try longestWait(Writer())
        #expect(rows <= 256, "\(rows)")
        // Control: if accounts only take turns, the write waits for a write of each greedy account.
        let byTurns = try longestWait(Writer(ordersByUse: false))
        #expect(byTurns >= 30 * 256, "\(byTurns)")
    }

    @Test("accounts that write as much as they can get the same number of rows, whatever the size of their writes")
    func equal() throws {
        var writer = Writer()
        let sizes: [String: UInt64] = ["small": 8, "medium": 64, "large": 256]
        for (account, rows) in sizes { try writer.enqueue(account, rows: rows) }
        var written: [String: UInt64] = [:]
        for _ in 0..<2_000 {
            guard let write = writer.next() else { break }
            written[write.account, default: 0] += write.rows
            try writer.enqueue(write.account, rows: write.rows)
        }
        let (least, most) = (written.values.min() ?? 0, written.values.max() ?? 0)
        #expect(written.count == 3 && most - least <= 2 * 256, "\(written)")
    }

    @Test("an account that has written much gets its turn, even if new accounts come all the time")
    func newcomers() throws {
        var writer = Writer()
        writer.usage.used(1_000, by: "large")
        try writer.enqueue("large", rows: 1)
        for number in 0..<4 { try writer.enqueue("new \(number)", rows: 100) }
        var turn: Int?
        for round in 0..<10_000 where turn == nil {
            if writer.next()?.account == "large" { turn = round }
            try writer.enqueue("new \(round + 4)", rows: 100)
        }
        let waited = try #require(turn)
        #expect(waited > 4, "\(waited)")
    }

    @Test("what was used while nobody waited is forgotten, and idle accounts collect no turns")
    func idle() throws {
        var writer = Writer()
        writer.usage.used(1_000, by: "ada")
        #expect(writer.usage.rank(of: "ada") == 1_000 && writer.usage.rank(of: "eve") == 0)
        writer.usage.reset()
        #expect(writer.usage.rank(of: "ada") == 0)
        // "eve" was idle while the others wrote 10,000 rows each. Then all three accounts queue the same number of rows.
        for _ in 0..<100 {
            for account in ["ada", "bob"] { writer.usage.used(100, by: account) }
        }
        for account in ["eve", "ada", "bob"] {
            for _ in 0..<9 { try writer.enqueue(account, rows: 100) }
        }
        var order: [String] = []
        while order.count < 9, let write = writer.next() { order.append(write.account) }
        let ofEve = order.count { $0 == "eve" }
        #expect(order.count == 9 && ofEve <= 4, "\(order)")
    }
}
