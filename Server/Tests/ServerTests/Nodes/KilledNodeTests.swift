import Core
import Database
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("The node that was killed")
struct KilledNodeTests {
    @Test(
        "a server on SQLite starts without the row of a process that was killed a moment ago; on PostgreSQL that row may be another node's",
        arguments: Engine.allCases)
    func killed(_ engine: Engine) async throws {
        let clock = TestClock()
        let stores = try TestStores(engine)
        let database = try await stores.open(clock: clock.wall)
        try await database.migrate(Backend.migrations, release: Keepsake.release)
        let now = clock.wall.now
        _ = try await database.run(
            """
            INSERT INTO node (id, host, version, started_at, seen_at, requests, jobs)
            VALUES ('killed', 'one:8080', '0.2.0', \(now), \(now), 0, 0)
            """)
        try await database.close()
        try await TestServer.run(engine, on: stores, clock: clock) { server in
            func nodes() async throws -> [String] {
                try await server.backend.database.read { tx in
                    try tx.rows("SELECT id FROM node ORDER BY id").map { try $0.get("id") }
                }
            }
            let atStart = try await nodes()
            #expect(atStart.contains("killed") == (engine == .postgres), "\(atStart)")
            // The first heartbeat of the server inserts its own row.
            try await eventually { try await nodes().contains { $0 != "killed" } }
            #expect(try await nodes().count == (engine == .postgres ? 2 : 1))
        }
    }
}
