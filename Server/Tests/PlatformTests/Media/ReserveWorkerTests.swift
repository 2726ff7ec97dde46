import Core
import Foundation
import Logging
import MediaFrames
import TestKit
import TestThreads
import Testing

@testable import MediaTools

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The reserve of the media workers", .blocksThreads)
struct ReserveWorkerTests {
    private typealias Turns = WorkerTurns<String>
    private static let first = Network(ipv4: 1)
    private static let second = Network(ipv4: 2)
    private static let third = Network(ipv4: 3)

    private static func entry(_ id: UInt64, _ account: String, _ network: Network, mayUseReserve: Bool = true) -> Turns.Entry {
        var entry = Turns.Entry(
            id: id, requester: Requester(account: account, network: network), isLong: false, job: "\(account)\(id)")
        entry.mayUseReserve = mayUseReserve
        return entry
    }

    /// Two workers, of which each runs a job that began at 0.
    private static func busy(waiting: Int = 100, reserveStops: Int = 1) throws -> Turns {
        var limits = Turns.Limits(waiting: waiting, perRequester: 50, perNetwork: 80, workers: 2)
        limits.reserveStops = reserveStops
        var turns = Turns(limits)
        try turns.enqueue(entry(1, "eve", first), .later)
        try turns.enqueue(entry(2, "mallory", second), .later)
        _ = turns.next(at: 0)
        _ = turns.next(at: 0)
        return turns
    }

    @Test("takes a job when all workers have been busy for a while, that of the requester for whom the workers worked least")
    func delay() throws {
        var turns = try Self.busy()
        try turns.enqueue(Self.entry(3, "eve", Self.first), .later)
        try turns.enqueue(Self.entry(4, "bob", Self.third), .later)
        let early = turns.reserveNext(at: 99)
        let entry = turns.reserveNext(at: 100)
        #expect(early == nil && entry?.job == "bob4" && turns.reserveBegin == 200)
    }

    @Test("takes no job while a worker is idle, and none that takes too long")
    func unsuitable() throws {
        var idle = Turns(.init(waiting: 100, perRequester: 50, perNetwork: 80, workers: 2))
        try idle.enqueue(Self.entry(1, "eve", Self.first), .later)
        _ = idle.next(at: 0)
        try idle.enqueue(Self.entry(2, "bob", Self.third), .later)
        let whileIdle = idle.reserveNext(at: 1_000)
        #expect(idle.reserveBegin == nil && whileIdle == nil)

        var turns = try Self.busy()
        try turns.enqueue(Self.entry(3, "bob", Self.third, mayUseReserve: false), .inspection)
        let tooLong = turns.reserveNext(at: 1_000)
        #expect(tooLong == nil)
    }

    @Test("a job that took too long there goes before the others of its account, and its network waits a minute for the reserve")
    func putBack() throws {
        // The queue is full when the job comes back.
        var turns = try Self.busy(waiting: 4)
        try turns.enqueue(Self.entry(3, "eve", Self.first), .later)
        try turns.enqueue(Self.entry(4, "eve", Self.first), .later)
        try turns.enqueue(Self.entry(5, "oscar", Self.first), .later)
        let reserved = turns.reserveNext(at: 100)
        let slow = try #require(reserved)
        try turns.enqueue(Self.entry(6, "oscar", Self.first), .later)
        #expect(slow.job == "eve3" || slow.job == "oscar5")
        try turns.putBack(slow, .later, at: 300)
        let ofSameNetwork = turns.reserveNext(at: 301)
        #expect(turns.count == 4 && ofSameNetwork == nil)
        let victim = Self.entry(7, "bob", Self.third)
        try turns.enqueue(victim, .inspection)
        let next = turns.reserveNext(at: 302)
        #expect(next?.job == "bob7")
        if let next { turns.finished(next, at: 310) }
        let later = turns.reserveNext(at: 60_300)
        #expect(later?.requester.network == Self.first, "the minute is over")
        if let later { turns.finished(later, at: 60_310) }
    }

    @Test("a network waits for the reserve only after it stopped several of its jobs within a minute")
    func stops() throws {
        var turns = try Self.busy(reserveStops: 3)
        var times: [UInt64] = []
        for (id, time) in [(3, 100), (4, 10_000), (5, 20_000), (6, 30_000), (7, 61_000)] as [(UInt64, UInt64)] {
            try turns.enqueue(Self.entry(id, "ada", Self.third), .later)
            guard let entry = turns.reserveNext(at: time) else { continue }
            times.append(time)
            try turns.putBack(entry, .later, at: time)
        }
        #expect(times == [100, 10_000, 20_000, 61_000])
    }

    /// Enters an inspection of each of the three networks into a queue of two workers.
    /// - Returns: the queue, and the callers, which continue when their jobs are finished.
    private static func queueOfThree() async throws -> (WorkerQueue, [Task<WaitingJob.Outcome, any Error>]) {
        let queue = WorkerQueue(.init(waiting: 10, perRequester: 10, perNetwork: 10, workers: 2, reserveDelay: 20))
        let callers = [first, second, third].map { (network: Network) -> Task<WaitingJob.Outcome, any Error> in
            Task { () async throws -> WaitingJob.Outcome in
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<WaitingJob.Outcome, any Error>) in
                    let job = WaitingJob(
                        id: queue.nextID(), work: .picture(.inspect), .inspection, of: nil, mayBeLarge: false,
                        requester: Requester(account: nil, network: network), holdsTurn: false, descriptor: open("/dev/null", O_RDONLY),
                        continuation: continuation)
                    if let problem = queue.enter(job) { job.finish(.failure(problem)) }
                }
            }
        }
        try await WorkerFixture.eventually { queue.count == 3 }
        return (queue, callers)
    }

    private static func take(_ queue: WorkerQueue) throws -> WaitingJob {
        guard case .job(let job) = queue.take(idle: .seconds(1)) else { throw WorkerFixture.Lacking("a job") }
        return job
    }

    @Test("waits no longer than the delay when the last idle worker takes a job while others wait")
    func busyLast() async throws {
        let (queue, callers) = try await Self.queueOfThree()
        let one = try Self.take(queue)
        Thread {
            switch queue.takeForReserve(idle: .seconds(2)) {
            case .job(let job): job.finish(.success(.output([])))
            case .nothingInTime, .closed: for job in queue.close() { job.finish(.failure(CancellationError())) }
            }
        }.start()
        // By then, the reserve waits for a worker to take a job.
        try await Task.sleep(for: .milliseconds(100))
        let other = try Self.take(queue)
        for job in [one, other] { job.finish(.failure(CancellationError())) }
        var answered = 0
        for caller in callers { if case .success = await caller.result { answered += 1 } }
        #expect(answered == 1)
    }

    @Test("a job waits for the other workers if the reserve's worker does not start")
    func startFails() async throws {
        let (queue, callers) = try await Self.queueOfThree()
        var jobs = [try Self.take(queue), try Self.take(queue)]
        var options = WorkerFixture.options
        options.program = "/nowhere/keepsake-media"
        let reserve = WorkerThread(
            options: options, role: .reserve, queue: queue, running: RunningWorkers(), slowWork: SlowWork(),
            logger: Logger(label: "media") { _ in SwiftLogNoOpLogHandler() })
        Thread { reserve.serve() }.start()
        try await WorkerFixture.eventually { queue.taken == 3 }
        jobs.append(try Self.take(queue))
        _ = queue.close()
        for job in jobs { job.finish(.success(.output([]))) }
        for caller in callers { _ = try await caller.value }
    }

    @Test("an inspection ends while slow jobs of others occupy all workers; a job that is too slow for the reserve waits for them")
    func slowJobsOfOthers() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        let large = try RealFile.large()
        try await WorkerFixture.run {
            $0.workers = 2
            $0.abandonedGrace = .zero
            $0.reserveTimeout = .milliseconds(50)
            $0.quickPictureTimeout = .seconds(60)
        } _: { workers in
            func run<Result: Sendable>(
                _ account: String, _ network: Network, _ body: @Sendable @escaping () async throws -> Result
            ) -> Task<Result, any Error> {
                Requester(account: account, network: network).run { Task { try await body() } }
            }
            let copy = VariantRequest(width: 2_000, height: 2_000, format: .webp)
            let warmUp = [run("eve", Self.first) { try await workers.variant(large, copy) }]
            try await WorkerFixture.eventually { workers.taken == 1 }
            _ = try await run("mallory", Self.second) { try await workers.inspect(photo) }.value
            for task in warmUp { _ = try await task.value }
            let regular = workers.processes
            #expect(regular.count == 2)
            // Jobs whose workers are stopped are as slow as can be, without the processor's time.
            for process in regular { kill(process, SIGSTOP) }
            let before = workers.taken
            let slow = [
                run("eve", Self.first) { try await workers.inspect(photo) },
                run("mallory", Self.second) { try await workers.inspect(photo) },
            ]
            try await WorkerFixture.eventually { workers.taken == before + 2 }
            let facts = try await run("bob", Self.third) { try await workers.inspect(photo) }.value
            #expect(facts.width == 480 && workers.processes.count == 3)

            let tooSlow = run("eve", Self.first) { try await workers.variant(large, copy) }
            try await WorkerFixture.eventually { workers.taken == before + 4 && workers.waiting == 1 }
            let again = try await run("bob", Self.third) { try await workers.inspect(photo) }.value
            #expect(again == facts && workers.waiting == 1)
            for process in regular { kill(process, SIGCONT) }
            for task in slow { _ = try await task.value }
            #expect(try await tooSlow.value.width == 2_000)
        }
    }
}
