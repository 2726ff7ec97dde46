import Core
import Testing

@testable import Database

@Suite("Turns at the threads that run requests")
struct ThreadTurnsTests {
    private static func requester(_ account: String, _ network: UInt32 = 1) -> Requester {
        Requester(account: account, network: Network(ipv4: network))
    }

    private static let millisecond: UInt64 = 1_000_000

    @Test("jobs begin in their order while nobody holds a thread for long")
    func order() {
        var turns = ThreadTurns<String>(threads: 2)
        turns.enter("a1", for: Self.requester("a"))
        turns.enter("a2", for: Self.requester("a"))
        turns.enter("b1", for: Self.requester("b"))
        #expect(turns.next(on: 0, at: 0) == "a1")
        #expect(turns.next(on: 1, at: 0) == "a2")
        turns.end(on: 1, at: Self.millisecond / 2)
        #expect(turns.next(on: 1, at: Self.millisecond / 2) == "b1")
        #expect(turns.count == 0)
    }

    @Test("an account with long jobs leaves half of the threads to others, however many of its jobs wait")
    func half() {
        var turns = ThreadTurns<String>(threads: 4)
        for number in 0..<20 { turns.enter("long \(number)", for: Self.requester("greedy")) }
        for thread in 0..<4 { #expect(turns.next(on: thread, at: 0) != nil) }
        // All four jobs end after 100 ms. Two more begin, and the next ones wait until one of these two ends.
        for thread in 0..<4 { turns.end(on: thread, at: 100 * Self.millisecond) }
        #expect(turns.next(on: 0, at: 100 * Self.millisecond) != nil)
        #expect(turns.next(on: 1, at: 100 * Self.millisecond) != nil)
        let later = 130 * Self.millisecond
        #expect(turns.next(on: 2, at: later) == nil)
        turns.enter("short", for: Self.requester("other", 2))
        #expect(turns.next(on: 2, at: later) == "short")
        #expect(turns.next(on: 3, at: later) == nil)
        turns.end(on: 0, at: later)
        #expect(turns.next(on: 0, at: later) != nil)
    }

    @Test("many accounts of one network get no more than one account")
    func networks() {
        var turns = ThreadTurns<String>(threads: 2)
        for number in 0..<10 { turns.enter("long \(number)", for: Self.requester("greedy \(number)")) }
        for thread in 0..<2 { #expect(turns.next(on: thread, at: 0) != nil) }
        for thread in 0..<2 { turns.end(on: thread, at: 100 * Self.millisecond) }
        turns.enter("other", for: Self.requester("other", 2))
        #expect(turns.next(on: 0, at: 100 * Self.millisecond) == "other")
    }

    @Test("thousands of short jobs of one network do not delay a job of another")
    func crowd() {
        var turns = ThreadTurns<String>(threads: 1)
        for number in 0..<1_000 { turns.enter("short \(number)", for: Self.requester("greedy \(number % 8)")) }
        for number in UInt64(0)..<10 {
            #expect(turns.next(on: 0, at: number * Self.millisecond / 5) == "short \(number)")
            turns.end(on: 0, at: (number + 1) * Self.millisecond / 5)
        }
        turns.enter("other", for: Self.requester("other", 2))
        #expect(turns.next(on: 0, at: 2 * Self.millisecond) == "other")
    }

    @Test("a choice costs the same however many jobs, accounts and networks wait", arguments: [1, 12, 4_000])
    func cost(_ networks: Int) {
        /// The most entries that a choice looks at, while every job is followed by another job of its account.
        func looks(_ accounts: Int) -> Int {
            var turns = ThreadTurns<Int>(threads: 2)
            func requester(_ number: Int) -> Requester { Self.requester("\(number)", UInt32(number % networks)) }
            for job in 0..<2 * accounts { turns.enter(job, for: requester(job % accounts)) }
            var now: UInt64 = 0
            var most = 0
            for round in 0..<3 * accounts {
                let before = turns.lookCount
                guard let job = turns.next(on: 0, at: now) else { return .max }
                most = max(most, turns.lookCount - before)
                // Most runs take some microseconds, some take longer.
                now += round.isMultiple(of: 50) ? 2 * Self.millisecond : UInt64(5_000 + round % 7 * 9_000)
                turns.end(on: 0, at: now)
                turns.enter(job, for: requester(job % accounts))
            }
            return most
        }
        #expect(looks(500) < 5)
        #expect(looks(4_000) < 5)
    }

    @Test("the next job is always one with the lowest rank, in whatever order accounts and networks use the threads")
    func lowest() throws {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            var jobs = RankedJobs<Int>()
            var use = ThreadUse(threads: 4)
            var waiting: [Int: Requester] = [:]
            var now: UInt64 = 0
            func end(on thread: Int) {
                guard let requester = use.end(on: thread, at: now, isCrowded: true) else { return }
                jobs.ended(requester, use.ranks(at: nil))
            }
            for number in 0..<1_000 {
                now += UInt64.random(in: 0...2_000_000, using: &numbers)
                for thread in 0..<4 where Bool.random(using: &numbers) { end(on: thread) }
                let account = Self.requester("\(Int.random(in: 0..<6, using: &numbers))", UInt32.random(in: 0..<4, using: &numbers))
                jobs.enter(WaitingJob(number: number, job: number, requester: account), use.ranks(at: nil))
                waiting[number] = account
                // Some 100 jobs wait until the last rounds, which take them all.
                while waiting.count > (number < 900 ? 100 : 0) {
                    end(on: number % 4)
                    let ranks = use.ranks(at: now)
                    let next = jobs.next(ranks, below: nil)
                    let job = try #require(next)
                    let entered = waiting.removeValue(forKey: job.number)
                    let requester = try #require(entered)
                    #expect(requester == job.requester)
                    #expect(waiting.filter { $0.value == requester }.keys.allSatisfy { $0 > job.number })
                    let least = waiting.values.map { ranks.rank(of: $0) }.min()
                    #expect(ranks.rank(of: requester) <= least ?? .max)
                    use.begin(requester, on: number % 4, at: now)
                }
            }
            #expect(jobs.count == 0)
        }
    }

    @Test("what is used while nobody waits is forgotten")
    func idle() {
        var turns = ThreadTurns<String>(threads: 1)
        let (long, other) = (Self.requester("long"), Self.requester("other", 2))
        turns.enter("1", for: long)
        #expect(turns.next(on: 0, at: 0) == "1")
        turns.end(on: 0, at: 500 * Self.millisecond)
        turns.enter("2", for: long)
        turns.enter("3", for: other)
        #expect(turns.next(on: 0, at: 500 * Self.millisecond) == "2")
    }

    @Test("the server's own jobs leave one thread to others, however short they are")
    func server() {
        var turns = ThreadTurns<String>(threads: 4)
        for number in 0..<5 { turns.enter("server \(number)", for: .server) }
        for thread in 0..<3 { #expect(turns.next(on: thread, at: 0) == "server \(thread)") }
        #expect(turns.next(on: 3, at: 0) == nil)
        turns.enter("short", for: Self.requester("other"))
        #expect(turns.next(on: 3, at: 0) == "short")
        turns.end(on: 0, at: Self.millisecond / 2)
        #expect(turns.next(on: 0, at: Self.millisecond / 2) == "server 3")
        turns.end(on: 3, at: Self.millisecond)
        #expect(turns.next(on: 3, at: Self.millisecond) == nil)
        turns.end(on: 1, at: 900 * Self.millisecond)
        #expect(turns.next(on: 1, at: 900 * Self.millisecond) == "server 4")
        #expect(turns.count == 0)
    }

    @Test("the server's own jobs all run, one after the other if there are one or two threads", arguments: [1, 2])
    func fewThreads(_ threads: Int) {
        var turns = ThreadTurns<Int>(threads: threads)
        for number in 0..<6 { turns.enter(number, for: .server) }
        for round in 0..<6 {
            let now = UInt64(round) * 100 * Self.millisecond
            #expect(turns.next(on: 0, at: now) == round)
            if threads == 2 { #expect(turns.next(on: 1, at: now) == nil) }
            turns.end(on: 0, at: now + 100 * Self.millisecond)
        }
    }

    @Test("beside long jobs of others, the server's own jobs have half of the threads")
    func serverBesideOthers() {
        var turns = ThreadTurns<String>(threads: 4)
        let now = 100 * Self.millisecond
        for number in 0..<3 { turns.enter("long \(number)", for: Self.requester("\(number)", UInt32(number))) }
        for thread in 0..<3 { #expect(turns.next(on: thread, at: 0) == "long \(thread)") }
        for number in 0..<4 { turns.enter("server \(number)", for: .server) }
        // Other accounts hold more than half of the threads, because each of them uses the threads for the first time.
        #expect(turns.next(on: 3, at: now) == "server 0")
        turns.end(on: 2, at: now)
        #expect(turns.next(on: 2, at: now) == "server 1")
        // One long job of another account and two of the server's jobs run, so the fourth thread is left to others.
        turns.end(on: 1, at: now)
        #expect(turns.next(on: 1, at: now) == nil)
        turns.enter("short", for: Self.requester("other", 9))
        #expect(turns.next(on: 1, at: now) == "short")
    }

    @Test("an account with long jobs does not take the thread that the server's own jobs leave")
    func longBesideServer() {
        var turns = ThreadTurns<String>(threads: 4)
        let now = 100 * Self.millisecond
        for number in 0..<2 { turns.enter("long \(number)", for: Self.requester("greedy")) }
        #expect(turns.next(on: 0, at: 0) == "long 0")
        turns.end(on: 0, at: now)
        for number in 0..<3 { turns.enter("server \(number)", for: .server) }
        for thread in 0..<3 { #expect(turns.next(on: thread, at: now) == "server \(thread)") }
        #expect(turns.next(on: 3, at: now) == nil)
        turns.enter("short", for: Self.requester("other", 2))
        #expect(turns.next(on: 3, at: now) == "short")
        turns.end(on: 0, at: now + Self.millisecond / 2)
        #expect(turns.next(on: 0, at: now + Self.millisecond / 2) == "long 1")
    }

    @Test("a job that holds a turn runs beside long jobs of its account, and leaves one thread to others")
    func holders() {
        var turns = ThreadTurns<String>(threads: 4)
        let greedy = Self.requester("greedy")
        let now = 100 * Self.millisecond
        for number in 0..<3 { turns.enter("long \(number)", for: greedy) }
        for thread in 0..<2 { #expect(turns.next(on: thread, at: 0) == "long \(thread)") }
        // Half of the threads run long jobs of the account, so its third long job waits.
        #expect(turns.next(on: 2, at: now) == nil)
        for number in 0..<2 { turns.enter("holder \(number)", for: greedy, holdsTurn: true) }
        #expect(turns.next(on: 2, at: now) == "holder 0")
        #expect(turns.next(on: 3, at: now) == nil)
        turns.enter("short", for: Self.requester("other", 2))
        #expect(turns.next(on: 3, at: now) == "short")
        turns.end(on: 2, at: now + Self.millisecond / 2)
        #expect(turns.next(on: 2, at: now + Self.millisecond / 2) == "holder 1")
        #expect(turns.count == 1)
    }

    @Test("jobs that hold a turn, of accounts that have used the threads for long, run on half of the threads at most")
    func halfOfHolders() {
        var turns = ThreadTurns<String>(threads: 6)
        let now = 100 * Self.millisecond
        let greedy = Self.requester("greedy")
        turns.enter("long", for: greedy)
        #expect(turns.next(on: 0, at: 0) == "long")
        for number in 0..<4 { turns.enter("holder \(number)", for: greedy, holdsTurn: true) }
        turns.end(on: 0, at: now)
        for thread in 0..<3 { #expect(turns.next(on: thread, at: now) == "holder \(thread)") }
        #expect(turns.next(on: 3, at: now) == nil)
        // A job of an account that has hardly used the threads goes before the greedy account's job.
        turns.enter("light", for: Self.requester("other", 2), holdsTurn: true)
        #expect(turns.next(on: 3, at: now) == "light")
        for thread in 0..<2 { turns.end(on: thread, at: now + Self.millisecond / 2) }
        #expect(turns.next(on: 0, at: now + Self.millisecond / 2) == "holder 3")
    }
}
