import Core
import Testing

@testable import MediaTools

@Suite("Scheduling of media jobs whose results may be large")
struct LargeResultTurnsTests {
    private typealias Turns = WorkerTurns<String>
    private static let first = Network(ipv4: 1)
    private static let second = Network(ipv4: 2)

    private static func entry(
        _ id: UInt64, _ account: String, network: Network, isLong: Bool = false, mayBeLarge: Bool = false
    ) -> Turns.Entry {
        Turns.Entry(
            id: id, requester: Requester(account: account, network: network), isLong: isLong, job: "\(account)\(id)",
            mayBeLarge: mayBeLarge)
    }

    /// Starts all jobs that may start now.
    private static func start(_ turns: inout Turns) -> [Turns.Entry] {
        var started: [Turns.Entry] = []
        while let next = turns.next(at: 0) { started.append(next) }
        return started
    }

    @Test("a fifth large result is not begun, nor a fourth of an account; small jobs behind go on; a large one begins when one is gone")
    func largeResults() throws {
        var turns = Turns(.init(waiting: 100, perRequester: 50, perNetwork: 80, workers: 8))
        for id in UInt64(1)...4 { try turns.enqueue(Self.entry(id, "ada", network: Self.first, mayBeLarge: true), .later) }
        try turns.enqueue(Self.entry(5, "ada", network: Self.first), .later)
        let ofAda = Self.start(&turns)
        #expect(ofAda.map(\.job) == ["ada1", "ada2", "ada3", "ada5"])
        for id in UInt64(6)...7 { try turns.enqueue(Self.entry(id, "bob", network: Self.second, mayBeLarge: true), .later) }
        try turns.enqueue(Self.entry(8, "bob", network: Self.second), .later)
        let ofBob = Self.start(&turns)
        #expect(ofBob.map(\.job) == ["bob6", "bob8"] && turns.largeResultCount == 4)

        // A result that is kept still counts after its job has ended.
        turns.keepResult(of: 6)
        for entry in ofBob + [ofAda[3]] { turns.finished(entry, at: 0) }
        let none = turns.next(at: 0)
        #expect(none == nil && turns.largeResultCount == 4)
        turns.resultIsGone(of: 6)
        let next = Self.start(&turns)
        #expect(next.map(\.job) == ["bob7"])
        // A job with a small result or no result counts only until it ends.
        turns.finished(ofAda[0], at: 0)
        let last = Self.start(&turns)
        #expect(last.map(\.job) == ["ada4"] && turns.count == 0)
        // A result can be gone before its job is marked as finished.
        turns.keepResult(of: 2)
        turns.resultIsGone(of: 2)
        turns.finished(ofAda[1], at: 0)
        #expect(turns.largeResultCount == 3)
    }

    @Test("a small job does not wait behind a hundred large ones of its account")
    func manyLargeResults() throws {
        var turns = Turns(.init(waiting: 512, perRequester: 128, perNetwork: 256, workers: 8))
        for id in UInt64(1)...100 { try turns.enqueue(Self.entry(id, "ada", network: Self.first, mayBeLarge: true), .later) }
        try turns.enqueue(Self.entry(101, "ada", network: Self.first), .later)
        let started = Self.start(&turns)
        #expect(started.map(\.id) == [1, 2, 3, 101])
    }

    @Test("accounts of one network have three large results together")
    func largeResultsOfNetwork() throws {
        var turns = Turns(.init(waiting: 100, perRequester: 50, perNetwork: 80, workers: 8))
        for id in UInt64(1)...4 { try turns.enqueue(Self.entry(id, "eve\(id)-", network: Self.first, mayBeLarge: true), .later) }
        try turns.enqueue(Self.entry(5, "eve5-", network: Self.first), .later)
        let started = Self.start(&turns)
        #expect(started.map(\.id) == [1, 2, 3, 5])
        // Somebody without an account counts for the network, too.
        try turns.enqueue(Turns.Entry(id: 6, requester: Requester(account: nil, network: Self.first), isLong: false, job: ""), .later)
        var linked = Turns.Entry(id: 7, requester: Requester(account: nil, network: Self.first), isLong: false, job: "")
        linked.mayBeLarge = true
        try turns.enqueue(linked, .later)
        let further = Self.start(&turns)
        #expect(further.map(\.id) == [6])
    }

    @Test("what may pass a large job that waits does not pass a recording that waits for its own account's jobs")
    func largeJobsAndRecordings() throws {
        var turns = Turns(.init(waiting: 100, perRequester: 50, perNetwork: 80, workers: 2))
        for id in UInt64(1)...3 { try turns.enqueue(Self.entry(id, "ada", network: Self.first, mayBeLarge: true), .later) }
        for _ in 1...3 {
            let next = turns.next(at: 0)
            let made = try #require(next)
            turns.keepResult(of: made.id)
            turns.finished(made, at: 0)
        }
        try turns.enqueue(Self.entry(4, "ada", network: Self.first), .later)
        let photo = turns.next(at: 0)
        #expect(photo?.id == 4)
        try turns.enqueue(Self.entry(5, "ada", network: Self.first, mayBeLarge: true), .later)
        try turns.enqueue(Self.entry(6, "ada", network: Self.first, isLong: true), .later)
        try turns.enqueue(Self.entry(7, "ada", network: Self.first), .later)
        let none = turns.next(at: 0)
        #expect(none == nil, "photos of the account would keep its recording waiting")
        if let photo { turns.finished(photo, at: 0) }
        let recording = turns.next(at: 0)
        let last = turns.next(at: 0)
        #expect(recording?.id == 6 && last?.id == 7)
    }
}
