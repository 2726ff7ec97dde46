import Core
import Database
import Foundation
import Jobs
import TestKit
import Testing

/// A job takes effect once. `JobSuite` contains the negative controls, in which the fencing number is not checked.
@Suite("Jobs and killed workers", .serialized, .enabled(if: JobCampaign.runs, "another campaign was requested"))
struct JobCampaignTests {
    @Test("Each job takes effect once, whatever is killed, and another node resumes it within ten seconds", arguments: Engine.allCases)
    func kills(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let report = try await JobCampaign(address: stores.address(), kills: JobCampaign.isFull ? 200 : 8).run()
        withExtendedLifetime(stores) {}
        print("\(engine): \(report)")
        #expect(report.jobs > 0 && report.missing == 0 && report.doubled == 0 && report.parked == 0 && report.forgotten == 0, "\(report)")
        #expect(!report.takeOvers.isEmpty)
        // A lease expires after six seconds. The small form shares the machine with other tests, so it allows more time.
        #expect(report.slowest < .seconds(JobCampaign.isFull ? 10 : 30))
    }

    @Test("A job that kills its worker is parked with an error that says so, and the jobs beside it are done", arguments: Engine.allCases)
    func poison(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let address = try stores.address()
        let database = try await JobChild.open(address)
        try await database.migrate(JobStore.migrations + [JobFixture.effects])
        let queue = JobQueue(clock: .system, identifiers: Identifiers(clock: .system, entropy: .system))
        let poison = try await database.write { tx in
            for number in 0..<30 { try queue.enqueue(Increment(number: number, milliseconds: 100), owner: nil, tx) }
            let id = try queue.enqueue(Poison(), owner: nil, tx)
            for number in 30..<60 { try queue.enqueue(Increment(number: number, milliseconds: 100), owner: nil, tx) }
            return id
        }
        let store = JobStore(database: database, clock: .system)
        var deaths = 0
        var child = try JobChild(node: "worker 1", database: address, lease: .seconds(1))
        let end = ContinuousClock.now + .seconds(180)
        while try await store.counts() != [JobCounts(kind: Poison.kind, parked: 1)], ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(20))
            guard !child.isRunning else { continue }
            deaths += 1
            child = try JobChild(node: "worker \(deaths + 1)", database: address, lease: .seconds(1))
        }
        await child.killNow()
        #expect(try await store.counts() == [JobCounts(kind: Poison.kind, parked: 1)])
        let entry = try #require(try await store.show(poison ?? ""))
        // A worker that was suspended for the length of its lease lost an attempt without dying, so there may be fewer deaths than
        // attempts.
        #expect(entry.error?.wholeMatch(of: /the worker worker \d died or stopped in attempt 5, as 5 of 5 attempts did/) != nil)
        #expect((2...5).contains(deaths))
        let effects = try await database.read { tx in try tx.rows("SELECT n FROM effect").map { try $0.get("n", as: Int.self) } }
        #expect(effects == [Int](repeating: 1, count: 60))
        print("\(engine): a poison job killed \(deaths) workers and was parked; \(effects.count) jobs beside it were done once")
        try await database.close()
        withExtendedLifetime(stores) {}
    }
}
