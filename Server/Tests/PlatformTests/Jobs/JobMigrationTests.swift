import Core
import Database
import Jobs
import TestKit
import Testing

@Suite("The migration to turn keys")
struct JobMigrationTests {
    @Test("jobs that were stored before it have no turn key, and are claimed", arguments: Engine.allCases)
    func upgrade(_ engine: Engine) async throws {
        let clock = TestClock()
        let stores = try TestStores(engine)
        let database = try await stores.open(clock: clock.wall)
        let before = JobStore.migrations.filter { $0.name != "jobs/003-turn-key" }
        try #require(before.count == JobStore.migrations.count - 1)
        try await database.migrate(before)
        try await database.write { tx in
            for (id, owner) in [("a", "ada"), ("b", nil)] as [(String, String?)] {
                try tx.run(
                    """
                    INSERT INTO job (id, kind, owner, payload, state, attempt, tries, lost, run_at, created_at)
                    VALUES (\(id), 'note', \(owner), '{}', 'ready', 0, 0, 0, \(clock.now), \(clock.now))
                    """)
            }
        }
        try await database.migrate(JobStore.migrations)
        let leases = JobLeases(database: database, clock: clock.wall, worker: "here")
        let claim = try await leases.claim(["note": JobPolicy()], try await leases.schedule(["note"], room: 4), room: 4)
        #expect(claim.jobs.map(\.lease.id).sorted() == ["a", "b"])
        #expect(claim.jobs.allSatisfy { $0.turn == nil })
        try await database.close()
        withExtendedLifetime(stores) {}
    }
}
