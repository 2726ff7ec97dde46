import Core
import Database
import Nodes
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
        try await NodeStore(database: database, clock: clock.wall).beat(
            Node(id: "killed", host: "one:8080", version: "1.0", startedAt: now, seenAt: now, requests: 0, jobs: 0))
        try await database.close()
        try await TestServer.run(engine, on: stores, clock: clock) { server in
            let ids = try await server.backend.nodes.all(limit: 10).map(\.id)
            #expect(ids.contains("killed") == (engine == .postgres), "\(ids)")
            try await eventually { try await server.backend.nodes.all(limit: 10).contains { $0.id != "killed" } }
            #expect(try await server.backend.nodes.liveCount() == (engine == .postgres ? 2 : 1))
        }
    }
}
