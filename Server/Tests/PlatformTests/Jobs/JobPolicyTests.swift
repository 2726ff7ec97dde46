import Core
import Jobs
import Testing

@Suite("Job retry policy and schedule")
struct JobPolicyTests {
    @Test("The maximum backoff doubles from one second to one hour, and never overflows")
    func doubling() {
        let policy = JobPolicy()
        #expect((1...5).map(policy.longestPause) == [1, 2, 4, 8, 16].map(Duration.seconds))
        #expect(policy.longestPause(after: 12) == .seconds(2_048))
        #expect([13, 64, 1_000_000, Int.max].map(policy.longestPause) == [Duration](repeating: .hours(1), count: 4))
        #expect(policy.longestPause(after: 0) == .seconds(1))
    }

    @Test("A backoff is random between zero and the maximum")
    func jitter() {
        let policy = JobPolicy()
        let pauses = (0..<2_000).map { _ in policy.pause(after: 4, .system) }
        #expect(pauses.allSatisfy { $0 >= .zero && $0 <= .seconds(8) })
        // Each quarter of the range gets its share of the 2,000 pauses, 500. A count falls this far short of its share once in 10^30 runs.
        for quarter in 0..<4 {
            let count = pauses.count { $0 >= .seconds(2) * quarter && $0 < .seconds(2) * (quarter + 1) }
            #expect(count > 300)
        }
        #expect(policy.pause(after: 4, Entropy { [UInt8](repeating: 0, count: $0) }) == .zero)
        #expect(policy.pause(after: 4, Entropy { [UInt8](repeating: 255, count: $0) }) == .seconds(8))
    }

    private func head(_ kind: String, _ second: Int64) -> JobSchedule.Head {
        JobSchedule.Head(kind: kind, runAt: Timestamp(seconds: second), id: "\(kind)\(second)")
    }

    @Test("Without accounts, kinds take turns, and of one kind the job that is due first starts first")
    func shares() {
        let schedule = JobSchedule(
            heads: [head("a", 1), head("a", 4), head("a", 9), head("b", 2), head("b", 3), head("c", 5)],
            firstExpiry: Timestamp(seconds: 7))
        let now = Timestamp(seconds: 6)
        let turns = JobTurns()
        #expect(turns.shares(schedule, room: 1, now: now) == [JobShare(kind: "a", count: 1)])
        #expect(turns.shares(schedule, room: 3, now: now).map(\.group.kind) == ["a", "b", "c"])
        #expect(turns.shares(schedule, room: 9, now: now).map(\.count) == [2, 2, 1])
        #expect(turns.shares(schedule, room: 9, now: Timestamp(seconds: 0)).isEmpty)
        #expect(schedule.next == Timestamp(seconds: 1))
        #expect(JobSchedule(heads: [head("a", 8)], firstExpiry: Timestamp(seconds: 7)).next == Timestamp(seconds: 7))
        #expect(JobSchedule(heads: [], firstExpiry: nil).next == nil)
    }
}
