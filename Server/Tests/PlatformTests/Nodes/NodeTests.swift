import Core
import Database
import Logging
import Nodes
import Synchronization
import TestKit
import Testing

@Suite("Nodes")
struct NodeTests {
    private struct Home {
        let stores: TestStores
        let database: any Database
        let clock = TestClock()
        var store: NodeStore { NodeStore(database: database, clock: clock.wall) }

        init(_ engine: Engine) async throws {
            stores = try TestStores(engine)
            database = try await stores.open(connections: 4)
            try await database.migrate(NodeStore.migrations + Turns.migrations)
        }

        func heartbeat(_ id: String, requests: Int = 0, host: String = "one:8080") -> Heartbeat {
            Heartbeat(
                store, id: id, version: "1.0", host: { host }, load: { Heartbeat.Load(requests: requests, jobs: 2) }, clock: clock.wall,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
    }

    @Test("a heartbeat updates its node's row, and counts the nodes that were seen lately", arguments: Engine.allCases)
    func beats(_ engine: Engine) async throws {
        let home = try await Home(engine)
        let one = home.heartbeat("1", requests: 3)
        let two = home.heartbeat("2")
        try await one.beat()
        home.clock.advance(by: .seconds(20))
        try await two.beat()
        #expect(two.nodeCount == 2)
        home.clock.advance(by: .seconds(20))
        try await two.beat()
        #expect(two.nodeCount == 1)
        let nodes = try await home.store.all(limit: 10)
        #expect(nodes.map(\.id) == ["1", "2"])
        #expect(nodes[0].requests == 3 && nodes[0].jobs == 2 && nodes[0].host == "one:8080" && nodes[0].version == "1.0")
        #expect(nodes.map { $0.isAlive(at: home.clock.now) } == [false, true])
        #expect(nodes[1].startedAt < nodes[1].seenAt)
        try await home.database.close()
    }

    @Test("a node learns once that it is not alone")
    func company() async throws {
        let home = try await Home(.sqlite)
        let times = Mutex(0)
        let one = Heartbeat(
            home.store, id: "1", version: "1.0", host: { "one" }, load: { Heartbeat.Load(requests: 0, jobs: 0) }, clock: home.clock.wall,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onCompany: { times.withLock { $0 += 1 } })
        try await one.beat()
        #expect(times.withLock { $0 } == 0)
        try await home.heartbeat("2").beat()
        for _ in 0..<3 { try await one.beat() }
        #expect(times.withLock { $0 } == 1)
        try await home.database.close()
    }

    @Test("the row of a node disappears when it stops, or a day after its last heartbeat", arguments: Engine.allCases)
    func leaves(_ engine: Engine) async throws {
        let home = try await Home(engine)
        try await home.heartbeat("killed").beat()
        try await home.heartbeat("stopped").beat()
        try await home.store.leave("stopped")
        #expect(try await home.store.all(limit: 10).map(\.id) == ["killed"])
        home.clock.advance(by: .hours(23))
        try await home.store.sweep()
        #expect(try await home.store.all(limit: 10).count == 1)
        home.clock.advance(by: .hours(2))
        try await home.store.sweep()
        #expect(try await home.store.all(limit: 10).isEmpty)
        // A node that was paused for longer than a day returns with its next heartbeat.
        try await home.heartbeat("killed").beat()
        #expect(try await home.store.liveCount() == 1)
        try await home.database.close()
    }

    @Test("nodes are listed by an index", arguments: Engine.allCases)
    func plan(_ engine: Engine) async throws {
        let home = try await Home(engine)
        for number in 0..<200 { try await home.heartbeat("node-\(number)").beat() }
        let plan = try await QueryPlan(NodeStore.all(limit: 10), on: home.database)
        #expect(plan.faults(mayWalk: true).isEmpty, "\(plan)")
        try await home.database.close()
    }

    @Test("of many nodes that ask at once, one gets the turn, and another one after the pause", arguments: Engine.allCases)
    func turns(_ engine: Engine) async throws {
        let home = try await Home(engine)
        let turns = Turns(database: home.database, clock: home.clock.wall)
        func taken() async throws -> Int {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { try await turns.take("sweep", every: .hours(6)) } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        #expect(try await taken() == 1)
        #expect(try await turns.take("reap", every: .hours(6)))
        home.clock.advance(by: .hours(5))
        #expect(try await taken() == 0)
        home.clock.advance(by: .hours(2))
        #expect(try await taken() == 1)
        try await home.database.close()
    }

    @Test("a turn of a node whose clock was years ahead does not stop the work; an hour is tolerated", arguments: Engine.allCases)
    func turnAhead(_ engine: Engine) async throws {
        let home = try await Home(engine)
        let turns = Turns(database: home.database, clock: home.clock.wall)
        for (work, hours, isTaken) in [("sweep", 24 * 1_000, true), ("reap", 1, false)] as [(String, Int64, Bool)] {
            let clock = TestClock(home.clock.now + .hours(hours))
            #expect(try await Turns(database: home.database, clock: clock.wall).take(work, every: .hours(6)))
            #expect(try await turns.take(work, every: .hours(6)) == isTaken)
            #expect(try await !turns.take(work, every: .hours(6)))
        }
        try await home.database.close()
    }
}
