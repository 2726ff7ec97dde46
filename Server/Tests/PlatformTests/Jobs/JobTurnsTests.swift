import Core
import Jobs
import Testing

@Suite("Turns of accounts whose jobs wait")
struct JobTurnsTests {
    private static let now = Timestamp(seconds: 1_000)

    /// - Parameter seconds: one job is due at each of them.
    private func jobs(_ owner: String?, _ seconds: ClosedRange<Int64>, kind: String = "note") -> [JobSchedule.Head] {
        seconds.map { second in
            JobSchedule.Head(kind: kind, owner: owner, runAt: Timestamp(seconds: second), id: "\(kind) \(owner ?? "") \(second)")
        }
    }

    private func running(_ owner: String?, _ count: Int) -> [(kind: String, owner: String?)] {
        (0..<count).map { _ in (kind: "note", owner: owner) }
    }

    private func shares(
        _ turns: JobTurns, _ heads: [JobSchedule.Head], room: Int, running: [(kind: String, owner: String?)] = []
    ) -> [JobShare] {
        turns.shares(JobSchedule(heads: heads, firstExpiry: nil), room: room, now: Self.now, running: running)
    }

    @Test("An account with many jobs and an account with one get a place each, although all of the former are due first")
    func fewestRunning() {
        let heads = jobs("ada", 1...32) + jobs("ben", 40...40)
        let shares = shares(JobTurns(places: 8), heads, room: 2)
        #expect(shares == [JobShare(kind: "note", owner: "ada", count: 1), JobShare(kind: "note", owner: "ben", count: 1)])
    }

    @Test("An account gets at most half of the places, and the last place only if it has none")
    func most() {
        let heads = jobs("ada", 1...32) + jobs("ben", 33...64)
        #expect(shares(JobTurns(places: 8), Array(heads.prefix(32)), room: 8).map(\.count) == [4])
        #expect(shares(JobTurns(places: 8), heads, room: 8).map(\.count).reduce(0, +) == 7)
        let seven = running("ada", 4) + running("ben", 3)
        #expect(shares(JobTurns(places: 8), heads, room: 1, running: seven).isEmpty)
        let more = heads + jobs("eve", 900...900)
        #expect(shares(JobTurns(places: 8), more, room: 1, running: seven) == [JobShare(kind: "note", owner: "eve", count: 1)])
        // Jobs that belong to no account have no such limit.
        #expect(shares(JobTurns(places: 8), jobs(nil, 1...9), room: 8).map(\.count) == [8])
    }

    @Test("With one place, the account whose last job started first has the next turn")
    func longestAgo() {
        let heads = jobs("ada", 1...9) + jobs("ben", 20...20) + jobs("eve", 30...30)
        var turns = JobTurns(places: 1)
        var order: [String?] = []
        for _ in 1...4 {
            let share = shares(turns, heads, room: 1).first
            order.append(share?.owner)
            turns.started("note", owner: share?.owner)
        }
        #expect(order == ["ada", "ben", "eve", "ada"])
    }

    @Test("An account whose jobs took little time goes before accounts whose jobs took much, although its last job started later")
    func leastTime() {
        var turns = JobTurns(places: 4)
        let names = (0..<30).map { "greedy \($0)" }
        for name in names {
            turns.started("note", owner: name)
            turns.ended("note", owner: name, after: .seconds(2))
        }
        turns.started("note", owner: "ada")
        turns.ended("note", owner: "ada", after: .milliseconds(20))
        let heads = names.flatMap { jobs($0, 1...9) } + jobs("ada", 900...900)
        #expect(shares(turns, heads, room: 1).first?.owner == "ada")
        // Without a use that anybody waited for, the last start decides.
        turns.rested()
        #expect(shares(turns, heads, room: 1).first?.owner == "greedy 0")
    }

    @Test("Jobs of a kind with a limit leave the other places to other kinds")
    func mostOfKind() {
        let turns = JobTurns(places: 8, mostOfKind: ["note": 3])
        let heads = (0..<9).flatMap { jobs("account \($0)", 1...1) }
        #expect(shares(turns, heads, room: 8).count == 3)
        #expect(shares(turns, heads, room: 5, running: running("ada", 2) + running("ben", 1)).isEmpty)
        let files = jobs("eve", 900...900, kind: "file")
        #expect(shares(turns, heads + files, room: 5, running: running("ada", 3)) == [JobShare(kind: "file", owner: "eve", count: 1)])
    }

    @Test("Urgent jobs start first; they and the others leave each other a quarter of the places")
    func urgent() {
        let turns = JobTurns(places: 4, urgent: ["mail"])
        let (notes, mails) = (jobs(nil, 1...9), jobs(nil, 50...59, kind: "mail"))
        #expect(shares(turns, notes, room: 4) == [JobShare(kind: "note", count: 3)])
        #expect(shares(turns, notes + mails, room: 1) == [JobShare(kind: "mail", count: 1)])
        #expect(shares(turns, notes + mails, room: 4) == [JobShare(kind: "mail", count: 3), JobShare(kind: "note", count: 1)])
        let three = running(nil, 3)
        #expect(shares(turns, notes, room: 1, running: three).isEmpty)
        #expect(shares(turns, notes + mails, room: 1, running: three) == [JobShare(kind: "mail", count: 1)])
    }

    @Test("Starts of very many accounts are remembered only in part, the latest of them")
    func bounded() {
        var turns = JobTurns(places: 1)
        for number in 0..<10_000 { turns.started("note", owner: "account \(number)") }
        let heads = jobs("account 9999", 1...1) + jobs("account 0", 2...2)
        #expect(shares(turns, heads, room: 1).first?.owner == "account 0")
    }
}
