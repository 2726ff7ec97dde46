import Testing

@testable import PostgresEngine

@Suite("How long writes wait for locks")
struct LockWaitsTests {
    /// How many milliseconds a write may wait for a lock while other writes run; `nil` if it may wait as long as usual. `held` has one
    /// number for each of the other writes: how many attempts that write has made before.
    private func wait(_ waits: LockWaits, beside held: ArraySlice<Int>, attempts: Int) -> Int? {
        guard let first = held.first else { return waits.counting(attempts: attempts) { $0?.milliseconds } }
        return waits.counting(attempts: first) { _ in wait(waits, beside: held.dropFirst(), attempts: attempts) }
    }

    @Test("beyond the limit, a write waits briefly, and longer after each attempt that found a lock taken")
    func attempts() {
        let waits = LockWaits(limit: 2, connections: 6)
        for attempts in [0, 5] {
            #expect(wait(waits, beside: [], attempts: attempts) == nil)
            #expect(wait(waits, beside: [0], attempts: attempts) == nil)
        }
        #expect((0..<6).map { wait(waits, beside: [0, 0], attempts: $0) } == [10, 40, 160, 500, 500, 500])
    }

    @Test("only half of the connections beyond the limit have a write that waits longer, so a node that hangs leaves the others")
    func half() {
        let waits = LockWaits(limit: 2, connections: 6)
        #expect(wait(waits, beside: [0, 0, 9], attempts: 9) == 500)
        #expect(wait(waits, beside: [0, 0, 9, 9], attempts: 9) == 10)
        #expect(wait(waits, beside: [0, 0, 9, 0], attempts: 9) == 500)
        #expect(wait(waits, beside: [0, 0, 9, 9, 9], attempts: 0) == 10)
        #expect(wait(waits, beside: [0, 0], attempts: 9) == 500)
        // One connection is left beyond the limit. Half of it, rounded down, is none, so no write may wait longer.
        #expect(wait(LockWaits(limit: 3, connections: 4), beside: [0, 0, 0], attempts: 9) == 10)
    }
}
