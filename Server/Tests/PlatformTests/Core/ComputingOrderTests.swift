import Core
import Testing

@Suite("Order of long computations")
struct ComputingOrderTests {
    /// One thread with a clock of its own.
    private struct OneThread {
        var order = ComputingOrder<String, String>()
        /// How long a computation of each kind takes, in microseconds.
        let costs: [String: UInt64]
        private(set) var now: UInt64 = 0
        /// How long each kind has used the thread, in microseconds.
        private(set) var used: [String: UInt64] = [:]

        init(_ costs: [String: UInt64]) { self.costs = costs }

        mutating func enter(_ kind: String) { order.enter(kind, of: kind) }

        /// Runs the next computation.
        /// - Returns: the kind of the computation.
        mutating func run() throws -> String {
            let next = order.next(at: now)
            let entry = try #require(next)
            let cost = costs[entry.kind] ?? 0
            now += cost
            used[entry.kind, default: 0] += cost
            order.ended(entry, at: now)
            return entry.kind
        }
    }

    @Test("a kind with short bodies waits for no body of four kinds that use the thread all the time")
    func short() throws {
        var thread = OneThread(["analyses": 900_000, "quotes": 600_000, "questions": 800_000, "words": 300_000, "searches": 5_000])
        for kind in ["analyses", "quotes", "questions", "words"] { thread.enter(kind) }
        var waits: [Int] = []
        for round in 1...200 {
            // After 20 rounds, each of the other kinds has used the thread.
            if round > 20, round.isMultiple(of: 10) {
                thread.enter("searches")
                var waited = 0
                var kind = try thread.run()
                while kind != "searches" {
                    thread.enter(kind)
                    waited += 1
                    kind = try thread.run()
                }
                waits.append(waited)
            }
            let kind = try thread.run()
            thread.enter(kind)
        }
        #expect(waits.count == 18 && waits.allSatisfy { $0 == 0 }, "\(waits)")
    }

    @Test("kinds that use the thread all the time get the same time, whatever the length of their bodies")
    func equal() throws {
        var thread = OneThread(["long": 900_000, "medium": 50_000, "short": 5_000])
        for kind in thread.costs.keys { thread.enter(kind) }
        for _ in 0..<4_000 {
            let kind = try thread.run()
            thread.enter(kind)
        }
        let (least, most) = (thread.used.values.min() ?? 0, thread.used.values.max() ?? 0)
        #expect(thread.used.count == 3 && least > 5_000_000 && most - least <= 2 * 900_000, "\(thread.used)")
    }

    @Test("after any pause, a kind goes first at most for the head start and the time of one body of the others", arguments: [10, 1_000])
    func idle(_ rounds: Int) throws {
        var thread = OneThread(["analyses": 900_000, "quotes": 900_000, "searches": 10_000])
        thread.enter("analyses")
        thread.enter("quotes")
        for _ in 0..<rounds {
            let kind = try thread.run()
            thread.enter(kind)
        }
        for _ in 0..<500 { thread.enter("searches") }
        while try thread.run() == "searches" {}
        let used = thread.used["searches"] ?? 0
        #expect(used > 0 && used <= 50_000 + 900_000 + 20_000, "\(used)")
    }

    @Test("a body that still runs counts, and what was used while nobody waited is forgotten")
    func running() throws {
        var order = ComputingOrder<String, Int>()
        order.enter(1, of: "long")
        order.enter(2, of: "long")
        let first = order.next(at: 0)
        order.enter(3, of: "other")
        let second = order.next(at: 800_000)
        #expect(first?.body == 1 && second?.body == 3 && order.count == 1)
        order.ended(try #require(second), at: 810_000)
        let third = order.next(at: 810_000)
        order.ended(try #require(first), at: 900_000)
        order.ended(try #require(third), at: 900_000)
        #expect(third?.body == 2 && order.count == 0)
        order.enter(4, of: "long")
        order.enter(5, of: "other")
        let last = order.next(at: 900_000)
        #expect(last?.body == 4)
    }

    @Test("steps of work that has begun go before new work of the same kind, which has its turn after four of them")
    func begun() {
        var order = ComputingOrder<String, String>()
        for name in ["new 1", "new 2"] { order.enter(name, of: "searches") }
        for number in 1...6 { order.enter("step \(number)", of: "searches", hasBegun: true) }
        var bodies: [String] = []
        while let entry = order.next(at: 0) {
            bodies.append(entry.body)
            order.ended(entry, at: 0)
        }
        #expect(bodies == ["step 1", "step 2", "step 3", "step 4", "new 1", "step 5", "step 6", "new 2"])
    }
}
