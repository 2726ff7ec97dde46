import Core
import Database
import Jobs
import TestKit
import Testing

@Suite("Jobs of a clock that was far ahead")
struct JobDatesTests {
    struct Note: Job {
        static let kind = "dates/note"
        let number: Int
    }

    private struct Home {
        let stores: TestStores
        let database: any Database
        let clock = TestClock()
        var store: JobStore { JobStore(database: database, clock: clock.wall) }

        init(_ engine: Engine) async throws {
            stores = try TestStores(engine)
            database = try await stores.open()
            try await database.migrate(JobStore.migrations)
        }

        /// Enqueues a job on a node whose clock is ahead.
        func put(_ number: Int, ahead: Duration, in delay: Duration = .zero) async throws -> String {
            let node = TestClock(clock.now + ahead)
            let queue = JobQueue(clock: node.wall, identifiers: Identifiers(clock: node.wall, entropy: .system))
            let id = try await database.write { tx in
                try queue.enqueue(Note(number: number), owner: nil, at: node.now + delay, tx)
            }
            return try #require(id)
        }

        func job(_ id: String) async throws -> JobEntry { try #require(try await store.show(id)) }

        /// How long after now the job starts.
        func delay(of id: String) async throws -> Duration { try await job(id).runAt - clock.now }
    }

    @Test("new jobs keep their delay, and retries start now; other jobs stay as they are", arguments: Engine.allCases)
    func starts(_ engine: Engine) async throws {
        let home = try await Home(engine)
        let (new, later) = (try await home.put(1, ahead: .days(1_000)), try await home.put(2, ahead: .days(1_000), in: .days(30)))
        let (near, planned) = (try await home.put(3, ahead: .hours(1)), try await home.put(4, ahead: .zero, in: .days(30)))
        let retried = try await home.put(5, ahead: .zero)
        let retry = home.clock.now + .days(1_000)
        try await home.database.run("UPDATE job SET attempt = 1, tries = 1, run_at = \(retry) WHERE id = \(retried)")
        // The second run changes nothing.
        for _ in 0..<2 {
            try await home.store.correctDates(of: [Note.kind])
            #expect(try await home.delay(of: new) == .zero)
            #expect(try await home.delay(of: later) == .days(30))
            #expect(try await home.delay(of: near) == .hours(1))
            #expect(try await home.delay(of: planned) == .days(30))
            #expect(try await home.delay(of: retried) == .zero)
        }
        #expect(try await home.job(new).createdAt == home.clock.now)
        try await home.database.close()
    }

    @Test("the lease of a worker that died ends; that of a worker whose clock is an hour ahead stays", arguments: Engine.allCases)
    func leases(_ engine: Engine) async throws {
        let home = try await Home(engine)
        let (far, near) = (try await home.put(1, ahead: .zero), try await home.put(2, ahead: .zero))
        let now = home.clock.now
        let (late, soon) = (now + .days(1_000), now + .hours(1))
        for (id, end) in [(far, late), (near, soon)] {
            try await home.database.run(
                """
                UPDATE job SET state = 'running', attempt = 1, tries = 1, lease_until = \(end), worker = 'killed' WHERE id = \(id)
                """)
        }
        try await home.store.correctDates(of: [Note.kind])
        #expect(try await home.job(far).leaseUntil == now)
        #expect(try await home.job(near).leaseUntil == soon)
        try await home.database.close()
    }
}
