import Core
import Jobs
import Testing

@Suite("Turns of accounts whose jobs wait")
struct JobTurnsTests {
    private static let now = Timestamp(seconds: 1_000)

    /// - Parameter seconds: one job is due at each of these seconds.
    private func jobs(_ owner: String?, _ seconds: ClosedRange<Int64>, kind: String = "note") -> [JobSchedule.Head] {
        seconds.map { second in
            JobSchedule.Head(kind: kind, owner: owner, runAt: Timestamp(seconds: second), id: "\(kind) \(owner ?? "") \(second)")
        }
    }

    private func running(_ owner: String?, _ count: Int) -> [JobGroup] {
        (0..<count).map { _ in JobGroup(kind: "note", owner: owner) }
    }

    private func shares(_ turns: JobTurns, _ heads: [JobSchedule.Head], room: Int, running: [JobGroup] = []) -> [JobShare] {
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
            order.append(share?.group.owner)
            turns.started(JobGroup(kind: "note", owner: share?.group.owner))
        }
        #expect(order == ["ada", "ben", "eve", "ada"])
    }

    @Test("An account whose jobs took little time goes before accounts whose jobs took much, although its last job started later")
    func leastTime() {
        var turns = JobTurns(places: 4)
        let names = (0..<30).map { "greedy \($0)" }
        for name in names {
            let group = JobGroup(kind: "note", owner: name)
            turns.started(group)
            turns.ended(group, after: .seconds(2))
        }
        let group = JobGroup(kind: "note", owner: "ada")
        turns.started(group)
        turns.ended(group, after: .milliseconds(20))
        let heads = names.flatMap { jobs($0, 1...9) } + jobs("ada", 900...900)
        #expect(shares(turns, heads, room: 1).first?.group.owner == "ada")
        // After `rested`, no account has had to wait for another account's jobs, so the order of the last starts decides.
        turns.rested()
        #expect(shares(turns, heads, room: 1).first?.group.owner == "greedy 0")
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

    @Test("Of the starts of very many accounts, only the latest are remembered")
    func bounded() {
        var turns = JobTurns(places: 1)
        for number in 0..<10_000 { turns.started(JobGroup(kind: "note", owner: "account \(number)")) }
        let heads = jobs("account 9999", 1...1) + jobs("account 0", 2...2)
        #expect(shares(turns, heads, room: 1).first?.group.owner == "account 0")
    }
}

extension JobTurnsTests {
    /// One job is due at each of the seconds.
    private func mails(_ party: String?, to target: String?, _ seconds: ClosedRange<Int64>) -> [JobSchedule.Head] {
        let turn = JobTurnKey(party: party, target: target)
        return seconds.map { second in
            JobSchedule.Head(kind: "mail", turn: turn, runAt: Timestamp(seconds: second), id: "\(turn.text ?? "") \(second)")
        }
    }

    @Test("Jobs without an account take turns by the party that asked for them, and one party leaves places to others")
    func parties() {
        let turns = JobTurns(places: 8)
        let greedy = (0..<32).flatMap { mails("greedy", to: "domain-\($0)", 1...1) }
        #expect(shares(turns, greedy, room: 8).map(\.count).reduce(0, +) == 4)
        let late = mails("late", to: nil, 900...900)
        let two = shares(turns, greedy + late, room: 2)
        #expect(Set(two.map(\.group.turn?.party)) == ["greedy", "late"])
        // The time that the jobs of each party took decides, as it does among accounts.
        var used = turns
        used.ended(greedy[0].group, after: .seconds(10))
        #expect(shares(used, greedy + late, room: 1).map(\.group) == [late[0].group])
        // All jobs of a kind without a party take their turns together, and no limit applies to them.
        #expect(shares(turns, mails(nil, to: nil, 1...9), room: 8).map(\.count) == [8])
    }

    @Test("Jobs that wait for the same service hold a quarter of the places, whoever asked for them and whoever they belong to")
    func targets() {
        let turns = JobTurns(places: 8)
        let slow = (0..<32).flatMap { mails("party-\($0)", to: "slow", 1...1) }
        #expect(shares(turns, slow, room: 8).count == 2)
        let key = JobTurnKey(target: "slow")
        let running = [
            JobGroup(kind: "note", owner: "ada", turn: key), JobGroup(kind: "mail", turn: JobTurnKey(party: "x", target: "slow")),
        ]
        #expect(shares(turns, slow, room: 6, running: running).isEmpty)
        let owned = JobSchedule.Head(kind: "note", owner: "ben", turn: key, runAt: Timestamp(seconds: 1), id: "owned")
        #expect(shares(turns, [owned], room: 6, running: running).isEmpty)
        // Other services do not wait for the slow one, not even jobs of a party that waits for it.
        let other = mails("party-1", to: "other", 900...900)
        #expect(shares(turns, slow + [owned] + other, room: 6, running: running).map(\.group) == [other[0].group])
    }

    @Test("A runner with one place has a place for each service")
    func onePlace() {
        #expect(shares(JobTurns(places: 1), mails("a", to: "slow", 1...9), room: 1).map(\.count) == [1])
    }

    @Test("The text of a turn key tells its two parts apart")
    func text() {
        #expect(JobTurnKey(party: "3fa2", target: "7be1").text == "3fa2 7be1")
        #expect(JobTurnKey().text == nil)
        #expect(JobTurnKey(party: "3fa2").text != JobTurnKey(target: "3fa2").text)
    }
}
