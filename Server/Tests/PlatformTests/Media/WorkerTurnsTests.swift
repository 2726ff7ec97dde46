import Core
import Testing

@testable import MediaTools

@Suite("Scheduling of media jobs")
struct WorkerTurnsTests {
    private typealias Turns = WorkerTurns<String>
    private static let first = Network(ipv4: 1)
    private static let second = Network(ipv4: 2)

    private static func turns(workers: Int = 2, waiting: Int = 100, perRequester: Int = 50, perNetwork: Int = 80) -> Turns {
        Turns(.init(waiting: waiting, perRequester: perRequester, perNetwork: perNetwork, workers: workers))
    }

    private static func entry(
        _ id: UInt64, _ account: String, network: Network? = nil, isLong: Bool = false, holdsTurn: Bool = false
    ) -> Turns.Entry {
        Turns.Entry(
            id: id, requester: Requester(account: account, network: network), isLong: isLong, job: "\(account)\(id)", holdsTurn: holdsTurn)
    }

    /// Runs jobs one after another, each to its end before the next.
    private static func drain(_ turns: inout Turns) -> [String] {
        var jobs: [String] = []
        while let next = turns.next(at: 0) {
            jobs.append(next.job)
            turns.finished(next, at: 0)
        }
        return jobs
    }

    @Test("accounts take turns: a job waits for one job of an account with many, not for all of them")
    func accounts() throws {
        var turns = Self.turns()
        for id in 1...24 { try turns.enqueue(Self.entry(UInt64(id), "ada"), .later) }
        try turns.enqueue(Self.entry(99, "bob"), .later)
        let jobs = Self.drain(&turns)
        #expect(jobs.count == 25 && jobs.prefix(2) == ["ada1", "bob99"])
    }

    @Test("networks take turns before accounts: many accounts of one network delay another network by one job")
    func networks() throws {
        var turns = Self.turns(perNetwork: 100)
        for id in 1...20 { try turns.enqueue(Self.entry(UInt64(id), "eve\(id)-", network: Self.first), .later) }
        try turns.enqueue(Self.entry(90, "bob", network: Self.second), .later)
        try turns.enqueue(Self.entry(91, "bob", network: Self.second), .later)
        let jobs = Self.drain(&turns)
        #expect(jobs.count == 22 && jobs.prefix(4) == ["eve1-1", "bob90", "eve2-2", "bob91"])
    }

    @Test("a job whose caller holds a scarce turn goes before the other jobs of its account, but not before those of another account")
    func holders() throws {
        var turns = Self.turns()
        for id in UInt64(1)...4 { try turns.enqueue(Self.entry(id, "ada"), .later) }
        for id in UInt64(90)...91 { try turns.enqueue(Self.entry(id, "ada", holdsTurn: true), .later) }
        try turns.enqueue(Self.entry(99, "bob"), .later)
        let jobs = Self.drain(&turns)
        #expect(jobs == ["ada90", "bob99", "ada1", "ada91", "ada2", "ada3", "ada4"])
    }

    @Test("an account whose jobs always hold turns does not keep its other jobs forever")
    func manyHolders() throws {
        var turns = Self.turns()
        for id in UInt64(1)...3 { try turns.enqueue(Self.entry(id, "ada"), .later) }
        var id: UInt64 = 90
        try turns.enqueue(Self.entry(id, "ada", holdsTurn: true), .later)
        var jobs: [String] = []
        while jobs.count < 5, let next = turns.next(at: 0) {
            jobs.append(next.job)
            turns.finished(next, at: 0)
            guard next.holdsTurn else { continue }
            // The turn goes to the next caller of the account.
            id += 1
            try turns.enqueue(Self.entry(id, "ada", holdsTurn: true), .later)
        }
        #expect(jobs == ["ada90", "ada1", "ada91", "ada2", "ada92"])
    }

    @Test("jobs that make the same copy have a place each; one runs at a time, and all that wait get its result")
    func twins() throws {
        var turns = Self.turns(workers: 3)
        func enqueue(_ id: UInt64, _ account: String, _ product: String?) throws {
            var entry = Self.entry(id, account)
            entry.product = product.map { AnyHashable($0) }
            try turns.enqueue(entry, .later)
        }
        for id in 1...5 { try enqueue(UInt64(id), "ada", nil) }
        for (id, account) in [(6, "ada"), (7, "bob"), (8, "eve")] { try enqueue(UInt64(id), account, "x") }
        // Bob's job does not wait behind Ada's other jobs, although Ada asked for the copy first. Eve's job waits for the result of Bob's
        // job.
        let running = [turns.next(at: 0), turns.next(at: 0), turns.next(at: 0)].compactMap { $0 }
        #expect(running.map(\.job) == ["ada1", "bob7", "ada2"])
        let twins = turns.withdrawTwins(of: running[1])
        #expect(twins.map(\.id).sorted() == [6, 8])
        turns.finished(running[1], at: 0)

        // A job that ends without a result, for a reason other than the file, leaves the work to the next job.
        for (id, account) in [(9, "eve"), (10, "bob")] { try enqueue(UInt64(id), account, "y") }
        let failed = turns.next(at: 0)
        if let failed { turns.finished(failed, at: 0) }
        let next = turns.next(at: 0)
        #expect(failed?.job == "eve9" && next?.job == "bob10")
    }

    @Test(
        "while another account's job makes a copy, the jobs behind one that waits for the same copy do not wait", arguments: [false, true])
    func behindTwin(_ isLong: Bool) throws {
        // With four workers, a second long job may run.
        var turns = Self.turns(workers: 4)
        func entry(_ id: UInt64, _ account: String) -> Turns.Entry {
            var entry = Self.entry(id, account, isLong: isLong)
            entry.product = AnyHashable("slow")
            return entry
        }
        try turns.enqueue(entry(1, "eve"), .later)
        let slow = turns.next(at: 0)
        try turns.enqueue(entry(2, "ada"), .later)
        for id in UInt64(3)...4 { try turns.enqueue(Self.entry(id, "ada"), .later) }
        let beside = [turns.next(at: 0), turns.next(at: 0), turns.next(at: 0)].compactMap { $0?.job }
        #expect(slow?.job == "eve1" && beside == ["ada3", "ada4"])
        // Eve has left, so her job has no result.
        if let slow { turns.finished(slow, at: 0) }
        let last = turns.next(at: 0)
        #expect(last?.job == "ada2")
    }

    @Test("inspections of uploads come first, but every fifth job is another one")
    func classes() throws {
        var turns = Self.turns()
        try turns.enqueue(Self.entry(90, "bob"), .later)
        try turns.enqueue(Self.entry(91, "bob"), .later)
        for id in 1...12 { try turns.enqueue(Self.entry(UInt64(id), "ada"), .inspection) }
        let jobs = Self.drain(&turns)
        #expect(jobs.prefix(5) == ["ada1", "ada2", "ada3", "ada4", "bob90"])
        #expect(jobs.firstIndex(of: "bob91") == 9)
    }

    @Test("slow inspections of four networks delay short and long jobs of others by one job each, not by four")
    func slowInspections() throws {
        var turns = Self.turns()
        for id in UInt64(1)...12 {
            try turns.enqueue(Self.entry(id, "eve\(id % 4)-", network: Network(ipv4: UInt32(id % 4))), .inspection)
        }
        var (now, jobs): (UInt64, [String]) = (0, [])
        func run(_ time: UInt64) {
            guard let entry = turns.next(at: now) else { return }
            now += time
            turns.finished(entry, at: now)
            jobs.append(entry.job)
        }
        for _ in 1...8 { run(350) }
        for id in UInt64(91)...93 { try turns.enqueue(Self.entry(id, "bob", network: Network(ipv4: 8)), .later) }
        try turns.enqueue(Self.entry(94, "joe", network: Network(ipv4: 9), isLong: true), .later)
        for _ in 1...2 { run(50) }
        try turns.enqueue(Self.entry(95, "ada", network: Network(ipv4: 10)), .inspection)
        run(10)
        #expect(jobs.suffix(3) == ["bob91", "joe94", "ada95"])
    }

    @Test("long copies of several accounts leave one worker to uploads, and the next one begins when the first ends")
    func longCopies() throws {
        var turns = Self.turns(workers: 2)
        try turns.enqueue(Self.entry(1, "ada", network: Self.first, isLong: true), .later)
        try turns.enqueue(Self.entry(2, "eve", network: Self.second, isLong: true), .later)
        let first = turns.next(at: 0)
        let second = turns.next(at: 0)
        #expect(first?.job == "ada1" && second == nil, "a second long copy would keep uploads waiting")
        try turns.enqueue(Self.entry(3, "bob"), .inspection)
        let third = turns.next(at: 0)
        #expect(third?.job == "bob3")
        for entry in [first, third].compactMap({ $0 }) { turns.finished(entry, at: 0) }
        let fourth = turns.next(at: 0)
        #expect(fourth?.job == "eve2")
    }

    @Test("long inspections of several networks leave one worker to photos", arguments: [2, 4])
    func longInspections(workers: Int) throws {
        var turns = Self.turns(workers: workers)
        for number in 1...workers {
            let network = Network(ipv4: UInt32(number))
            try turns.enqueue(Self.entry(UInt64(number), "eve\(number)-", network: network, isLong: true), .inspection)
        }
        let long = (1..<workers).compactMap { _ in turns.next(at: 0) }
        let further = turns.next(at: 0)
        #expect(long.count == workers - 1 && further == nil, "another long inspection would keep photos waiting")
        try turns.enqueue(Self.entry(90, "bob"), .inspection)
        let photo = turns.next(at: 0)
        #expect(photo?.job == "bob90")
        turns.finished(long[0], at: 10_000)
        let last = turns.next(at: 10_000)
        #expect(last?.job == "eve\(workers)-\(workers)")
    }

    @Test("a network that has used the workers for a shorter time goes before those that waited earlier")
    func usage() throws {
        var turns = Self.turns()
        var now: UInt64 = 0
        for id in UInt64(1)...12 {
            try turns.enqueue(Self.entry(id, "eve\(id % 6)-", network: Network(ipv4: UInt32(id % 6))), .inspection)
        }
        for _ in 1...6 {
            let next = turns.next(at: now)
            let entry = try #require(next)
            now += 1_000
            turns.finished(entry, at: now)
        }
        try turns.enqueue(Self.entry(90, "bob", network: Network(ipv4: 90)), .inspection)
        let next = turns.next(at: now)
        #expect(next?.job == "bob90")
    }

    @Test("a job that still runs counts as use of its network")
    func runningUse() throws {
        var turns = Self.turns(workers: 3)
        try turns.enqueue(Self.entry(1, "eve", network: Self.first, isLong: true), .inspection)
        let long = turns.next(at: 0)
        try turns.enqueue(Self.entry(2, "mallory", network: Self.first), .inspection)
        try turns.enqueue(Self.entry(3, "bob", network: Self.second), .inspection)
        let next = turns.next(at: 5_000)
        #expect(long?.job == "eve1" && next?.job == "bob3")
    }

    @Test("an account leaves one worker to others, except for pictures while nobody else waits")
    func share() throws {
        var turns = Self.turns(workers: 2)
        for id in 1...3 { try turns.enqueue(Self.entry(UInt64(id), "ada", isLong: true), .inspection) }
        let first = turns.next(at: 0)
        let second = turns.next(at: 0)
        #expect(first?.job == "ada1" && second == nil, "a second film would keep everybody waiting")
        try turns.enqueue(Self.entry(9, "bob"), .later)
        let third = turns.next(at: 0)
        #expect(third?.job == "bob9")
        for entry in [first, third].compactMap({ $0 }) { turns.finished(entry, at: 0) }
        let fourth = turns.next(at: 0)
        #expect(fourth?.job == "ada2")

        var pictures = Self.turns(workers: 2)
        for id in 1...3 { try pictures.enqueue(Self.entry(UInt64(id), "ada"), .later) }
        let both = [pictures.next(at: 0), pictures.next(at: 0)].compactMap { $0 }
        #expect(both.map(\.job) == ["ada1", "ada2"])
        try pictures.enqueue(Self.entry(9, "bob"), .later)
        pictures.finished(both[0], at: 0)
        let next = pictures.next(at: 0)
        #expect(next?.job == "bob9")
    }

    @Test("photos go before a recording of their account that waits for long jobs of others, but not once only their account delays it")
    func photosBehindRecording() throws {
        var turns = Self.turns(workers: 2)
        try turns.enqueue(Self.entry(1, "eve", network: Self.first, isLong: true), .inspection)
        let long = turns.next(at: 0)
        try turns.enqueue(Self.entry(2, "ada", network: Self.second, isLong: true), .inspection)
        for id in UInt64(3)...4 { try turns.enqueue(Self.entry(id, "ada", network: Self.second), .inspection) }
        let photo = turns.next(at: 0)
        #expect(long?.job == "eve1" && photo?.job == "ada3")
        if let long { turns.finished(long, at: 0) }
        let none = turns.next(at: 0)
        #expect(none == nil, "photos of the account would keep its recording waiting")
        if let photo { turns.finished(photo, at: 0) }
        let recording = turns.next(at: 0)
        let last = turns.next(at: 0)
        #expect(recording?.job == "ada2" && last?.job == "ada4" && turns.count == 0)
    }

    @Test("a photo goes before its account's second recording while the first one is decoded; the look-ahead is bounded")
    func photosBehindOwnRecordings() throws {
        var limits = Turns.Limits(waiting: 100, perRequester: 50, perNetwork: 80, workers: 2)
        limits.lookAhead = 16
        var turns = Turns(limits)
        // One recording is decoded. A photo can go before at most 16 waiting recordings.
        for id in UInt64(1)...18 { try turns.enqueue(Self.entry(id, "ada", isLong: true), .inspection) }
        let first = turns.next(at: 0)
        try turns.enqueue(Self.entry(90, "ada"), .inspection)
        let none = turns.next(at: 0)
        #expect(first?.job == "ada1" && none == nil)
        let withdrawn = turns.withdraw(18)
        let photo = turns.next(at: 0)
        #expect(withdrawn != nil && photo?.job == "ada90")
        for entry in [first, photo].compactMap({ $0 }) { turns.finished(entry, at: 0) }
        let jobs = Self.drain(&turns)
        #expect(jobs == (2...17).map { "ada\($0)" })
    }

    @Test("with one worker a long job still runs")
    func one() throws {
        var turns = Self.turns(workers: 1)
        try turns.enqueue(Self.entry(1, "ada", isLong: true), .inspection)
        let next = turns.next(at: 0)
        #expect(next?.job == "ada1")
    }

    @Test("sound of an account or network whose sound was slow is long work for ten minutes; at most 1,024 of them are remembered")
    func slowRequesters() {
        var slow = SlowRequesters(includesNetworks: true)
        let now = ContinuousClock.Instant.now
        slow.add(Requester(account: "eve", network: Self.first), at: now)
        let same = [Requester(account: "eve", network: Self.second), Requester(account: "ada", network: Self.first)]
        #expect(same.allSatisfy { slow.contains($0, at: now + .seconds(599)) })
        #expect(!same.contains { slow.contains($0, at: now + .seconds(600)) })
        #expect(!slow.contains(Requester(account: "ada", network: Self.second), at: now))
        for number in 1...1_100 { slow.add(Requester(account: "\(number)", network: nil), at: now + .seconds(1)) }
        #expect(slow.count == 1_024 && !slow.contains(same[0], at: now + .seconds(1)))
        #expect(slow.contains(Requester(account: "1100", network: nil), at: now + .seconds(1)))
    }

    @Test("pictures of an account that were slow do not make those of its network's other accounts long work")
    func slowPictureRequesters() {
        var slow = SlowRequesters(includesNetworks: false)
        let now = ContinuousClock.Instant.now
        slow.add(Requester(account: "eve", network: Self.first), at: now)
        #expect(slow.contains(Requester(account: "eve", network: Self.second), at: now) && slow.count == 1)
        #expect(!slow.contains(Requester(account: "ada", network: Self.first), at: now))
        // A signed link names no account.
        slow.add(Requester(account: nil, network: Self.first), at: now)
        #expect(slow.contains(Requester(account: nil, network: Self.first), at: now))
        #expect(!slow.contains(Requester(account: "ada", network: Self.first), at: now))
    }

    @Test("the queue is bounded per account, per network and in total; the server's own jobs only in total")
    func bounds() throws {
        var turns = Self.turns(waiting: 10, perRequester: 3, perNetwork: 5)
        func add(_ id: UInt64, _ requester: Requester) -> FairQueueRefusal? {
            do throws(FairQueueRefusal) {
                try turns.enqueue(Turns.Entry(id: id, requester: requester, isLong: false, job: ""), .later)
                return nil
            } catch {
                return error
            }
        }
        let ada = Requester(account: "ada", network: Self.first)
        let bob = Requester(account: "bob", network: Self.first)
        let accounts = (1...4).map { add($0, ada) } + (5...7).map { add($0, bob) }
        #expect(accounts == [nil, nil, nil, .keyIsFull, nil, nil, .keyIsFull])
        let server = (8...13).map { add($0, .server) }
        #expect(server == [nil, nil, nil, nil, nil, .full])
        // A withdrawn or finished job frees its place in the queue.
        let withdrawn = turns.withdraw(1)
        #expect(withdrawn != nil && turns.withdraw(1) == nil)
        let again = add(14, bob)
        #expect(again == nil)
        let jobs = Self.drain(&turns)
        #expect(jobs.count == 10 && turns.count == 0)
        #expect(add(15, ada) == nil)
    }

    /// The number of jobs that were accepted before the first refusal, and that refusal.
    private static func fill(
        _ turns: inout Turns, _ jobClass: Turns.Class, network: UInt32, accounts: Int, isLong: Bool
    ) -> (count: Int, refusal: FairQueueRefusal?) {
        for count in 0..<1_000 {
            let account = "\(network)-\(count % accounts)-"
            let id = UInt64(network) * 1_000 + UInt64(count)
            do throws(FairQueueRefusal) {
                try turns.enqueue(Self.entry(id, account, network: Network(ipv4: network), isLong: isLong), jobClass)
            } catch {
                return (count, error)
            }
        }
        return (1_000, nil)
    }

    @Test("two networks that fill a queue leave a quarter of it to networks with few waiting jobs", arguments: [true, false])
    func reserve(isInspection: Bool) throws {
        var turns = Self.turns(waiting: 512, perRequester: 128, perNetwork: 256)
        let jobClass: Turns.Class = isInspection ? .inspection : .later
        let first = Self.fill(&turns, jobClass, network: 1, accounts: 2, isLong: false)
        let second = Self.fill(&turns, jobClass, network: 2, accounts: 2, isLong: false)
        #expect(first.count == 256 && first.refusal == .keyIsFull)
        #expect(second.count == 128 && second.refusal == .full)
        let modest = Self.fill(&turns, jobClass, network: 3, accounts: 1, isLong: false)
        #expect(modest.count == 8 && modest.refusal == .full)
    }

    @Test("long inspections use a quarter of the queue, and leave a quarter of that to networks with few waiting jobs")
    func longReserve() throws {
        var turns = Self.turns(waiting: 512, perRequester: 128, perNetwork: 256)
        let long = Self.fill(&turns, .inspection, network: 1, accounts: 2, isLong: true)
        #expect(long.count == 96 && long.refusal == .full)
        let modest = Self.fill(&turns, .inspection, network: 2, accounts: 1, isLong: true)
        #expect(modest.count == 8 && modest.refusal == .full)
        let photos = Self.fill(&turns, .inspection, network: 1, accounts: 2, isLong: false)
        #expect(photos.count == 160 && photos.refusal == .keyIsFull)
        // Long jobs of another kind are not counted.
        let next = turns.next(at: 0)
        #expect(next?.isLong == true)
        try turns.enqueue(Self.entry(2, "ada", network: Network(ipv4: 1), isLong: true), .later)
    }
}
