import Core
import Database
import Foundation
import PostgresEngine
import Synchronization
import TestKit
import TestThreads
import Testing

@Suite("PostgreSQL as a database", .blocksThreads)
struct PostgresConformanceTests {
    @Test("PostgreSQL passes every check of the database suite", arguments: DatabaseSuite.checks)
    func conforms(_ check: DatabaseSuite.Check) async throws {
        let stores = try TestStores(.postgres)
        try await check.run { store in try await stores.open(store) }
        withExtendedLifetime(stores) {}
    }
}

@Suite("PostgreSQL", .blocksThreads, .runsAlone)
struct PostgresDatabaseTests {
    let stores: TestStores

    init() throws { stores = try TestStores(.postgres) }

    private func open(_ change: (inout PostgresDatabase.Options) -> Void = { _ in }, port: Int? = nil) async throws -> PostgresDatabase {
        var address = try stores.address()
        if let port { address = address.replacing(":\(TestSchema.port)", with: ":\(port)") }
        var options = PostgresDatabase.Options()
        options.connections = 4
        change(&options)
        return try await PostgresDatabase.open(PostgresAddress(Secret(address)), options: options)
    }

    private static let schema = [Migration("test/001", ["CREATE TABLE mark (id BIGINT PRIMARY KEY NOT NULL, n BIGINT NOT NULL DEFAULT 0)"])]

    private func marks(_ database: any Database) async throws -> [Int] {
        try await database.read { tx in try tx.rows("SELECT id FROM mark ORDER BY id").map { try $0.get("id") } }
    }

    private final class Runs: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }

        /// Blocks the thread for at most eight seconds, which is less than the lock timeout.
        func wait(for count: Int) {
            for _ in 0..<1_600 where self.count < count { usleep(5_000) }
        }
    }

    // MARK: Conflicts

    @Test("Two writes that deadlock both succeed: PostgreSQL aborts one, and it runs again")
    func deadlock() async throws {
        let database = try await open()
        try await database.migrate(Self.schema)
        try await database.write { tx in try tx.run("INSERT INTO mark (id) VALUES (1), (2)") }
        let (runs, holding) = (Runs(), Runs())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (first, second) in [(1, 2), (2, 1)] {
                group.addTask {
                    try await database.write { tx in
                        runs.add()
                        try tx.run("UPDATE mark SET n = n + 1 WHERE id = \(first)")
                        // Each transaction locks its first row before it requests the other's.
                        holding.add()
                        holding.wait(for: 2)
                        try tx.run("UPDATE mark SET n = n + 1 WHERE id = \(second)")
                    }
                }
            }
            try await group.waitForAll()
        }
        let counts = try await database.read { tx in try tx.rows("SELECT n FROM mark ORDER BY id").map { try $0.get("n", as: Int.self) } }
        #expect(counts == [2, 2])
        #expect(runs.count == 3)
        try await database.close()
    }

    @Test("Check-then-write under tx.lock runs one at a time across all nodes")
    func locks() async throws {
        let nodes = [try await open(), try await open()]
        try await nodes[0].migrate(Self.schema)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await nodes[number % 2].write { tx in
                        try tx.lock("largest")
                        let largest: Int = try tx.row("SELECT COALESCE(MAX(id), 0) AS largest FROM mark")!.get("largest")
                        try tx.run("INSERT INTO mark (id) VALUES (\(largest + 1))")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await marks(nodes[1]) == Array(1...40))
        for node in nodes { try await node.close() }
    }

    @Test("A row locked too long is busy, and so is a statement that takes too long; the connection stays usable")
    func timeouts() async throws {
        let database = try await open {
            $0.lockTimeout = .milliseconds(200)
            $0.statementTimeout = .seconds(1)
            $0.connections = 2
        }
        try await database.migrate(Self.schema)
        try await database.write { tx in try tx.run("INSERT INTO mark (id) VALUES (1)") }
        await #expect(throws: DatabaseError.busy) { try await database.read { tx in try tx.rows("SELECT pg_sleep(30)::text AS t") } }
        let (holding, letting) = (Runs(), Runs())
        async let holder: Void = database.write { tx in
            try tx.run("UPDATE mark SET n = 1 WHERE id = 1")
            holding.add()
            letting.wait(for: 1)
        }
        #expect(try await eventually { holding.count == 1 })
        await #expect(throws: DatabaseError.busy) { try await database.write { tx in try tx.run("UPDATE mark SET n = 2 WHERE id = 1") } }
        letting.add()
        try await holder
        #expect(try await marks(database) == [1])
        try await database.close()
    }

    @Test("A cancelled read ends at once, and its connection serves the next read")
    func cancelled() async throws {
        let database = try await open { $0.connections = 1 }
        let began = ContinuousClock.now
        let read = Task { try await database.read { tx in try tx.rows("SELECT pg_sleep(20)::text AS t") } }
        try await Task.sleep(for: .milliseconds(200))
        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }
        #expect(ContinuousClock.now - began < .seconds(15))
        let row = try await database.read { tx in try tx.row("SELECT 7 AS n")?.get("n", as: Int.self) }
        #expect(row == 7)
        try await database.close()
    }

    @Test("A deadlock between statements that were sent without waiting is repeated, too")
    func deadlockOfSentStatements() async throws {
        let database = try await open()
        try await database.migrate(Self.schema)
        try await database.write { tx in try tx.run("INSERT INTO mark (id) VALUES (1), (2)") }
        let (runs, holding) = (Runs(), Runs())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (first, second) in [(1, 2), (2, 1)] {
                group.addTask {
                    try await database.write { tx in
                        runs.add()
                        try tx.run("UPDATE mark SET n = n + 1 WHERE id = \(first)")
                        holding.add()
                        holding.wait(for: 2)
                        // Sent with COMMIT.
                        try tx.send("UPDATE mark SET n = n + 1 WHERE id = \(second)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.list("SELECT n FROM mark") { try $0.next("n") as Int64 } == [2, 2])
        #expect(runs.count == 3)
        try await database.close()
    }

    // MARK: Round trips

    @Test("A read of one statement takes one turn of the line; statements without a needed result take none of their own")
    func turns() async throws {
        let proxy = try Proxy(toPort: TestSchema.port)
        let database = try await open({ $0.connections = 1 }, port: proxy.port)
        try await database.migrate(Self.schema)
        func turns(_ call: () async throws -> Void) async throws -> Int {
            // The first call prepares its statements, in the same turn.
            _ = proxy.takeTurns()
            try await call()
            return proxy.takeTurns()
        }
        for _ in 1...2 {
            #expect(try await turns { _ = try await database.list("SELECT id FROM mark") { try $0.next("id") as Int64 } } == 1)
            let alone = try await turns { try await database.run("INSERT INTO mark (id) VALUES (1) ON CONFLICT DO NOTHING") }
            #expect(alone == 1)
            #expect(try await turns { _ = try await database.write { tx in try tx.run("UPDATE mark SET n = 1") } } == 2)
            #expect(try await turns { try await database.write { tx in try tx.send("UPDATE mark SET n = 2") } } == 1)
            let mixed = try await turns {
                try await database.write { tx in
                    try tx.lock("mark")
                    try tx.send("UPDATE mark SET n = 3", expecting: 1, otherwise: DatabaseError.busy)
                    _ = try tx.row("SELECT id FROM mark WHERE n = 3")
                    for number in 10..<40 { try tx.send("INSERT INTO mark (id) VALUES (\(number))") }
                    try tx.send("DELETE FROM mark WHERE id >= 10")
                }
            }
            #expect(mixed == 2)
            // The count must be known before COMMIT is sent.
            let counted = try await turns {
                try await database.write { tx in try tx.send("UPDATE mark SET n = 4", expecting: 1, otherwise: DatabaseError.busy) }
            }
            #expect(counted == 2)
            #expect(try await turns { try await database.write { _ in } } == 0)
        }
        try await database.close()
        proxy.close()
    }

    @Test("While every connection waits for the server, a task on the database's threads that needs none runs")
    func threadsLeft() async throws {
        let database = try await open { $0.connections = 2 }
        let threads = try #require(database.threads)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...8 {
                group.addTask(executorPreference: threads) {
                    _ = try await database.list("SELECT pg_sleep(20)::text AS t") { try $0.next("t") as String }
                }
            }
            // Two hold the connections, and six wait for one without a thread.
            let areWaiting = try await eventually { database.waiting == 6 }
            #expect(areWaiting)
            await Task(executorPreference: threads) {}.value
            #expect(database.waiting == 6)
            group.cancelAll()
            while let result = await group.nextResult() {
                guard case .failure(let error) = result, error is CancellationError else {
                    Issue.record("\(result)")
                    continue
                }
            }
        }
        #expect(database.waiting == 0)
        try await database.close()
    }

    /// With one row locked, starts eight writes of that row, by each of `greedy` in turn.
    /// - Parameter body: runs while they wait; afterwards the lock is released.
    private func withWaitingWrites(
        of greedy: [Requester], _ database: PostgresDatabase, _ body: (inout ThrowingTaskGroup<Void, any Error>) async throws -> Void
    ) async throws {
        try await database.migrate(Self.schema)
        try await database.write { tx in try tx.run("INSERT INTO mark (id) VALUES (1), (2)") }
        let (holding, letting) = (Runs(), Runs())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await database.write { tx in
                    try tx.run("UPDATE mark SET n = n + 1 WHERE id = 1")
                    holding.add()
                    letting.wait(for: 1)
                }
            }
            let isHeld = try await eventually { holding.count == 1 }
            #expect(isHeld)
            for number in 0..<8 {
                let requester = greedy[number % greedy.count]
                group.addTask {
                    _ = try await requester.run { try await database.run("UPDATE mark SET n = n + 1 WHERE id = 1") }
                }
            }
            try await body(&group)
            letting.add()
            try await group.waitForAll()
        }
        #expect(try await database.list("SELECT n FROM mark ORDER BY id") { try $0.next("n") as Int64 } == [9, 1])
        #expect(database.waiting == 0)
        try await database.close()
    }

    @Test("Writes of one account that wait for a row leave connections to its reads and to other accounts")
    func shareOfWrites() async throws {
        let database = try await open()
        let greedy = Requester(account: "greedy", network: Network(ipv4: 1))
        let other = Requester(account: "other", network: Network(ipv4: 1))
        try await withWaitingWrites(of: [greedy], database) { _ in
            // One waits for the row on the account's only connection, the others wait without one.
            let areWaiting = try await eventually { database.waiting == 7 }
            #expect(areWaiting)
            _ = try await other.run { try await database.run("UPDATE mark SET n = n + 1 WHERE id = 2") }
            let read = try await greedy.run { try await marks(database) }
            #expect(read == [1, 2])
            #expect(database.waiting == 7)
        }
    }

    @Test("Writes of many accounts of one network that wait for a row leave connections to other networks and to the server's own work")
    func shareOfWritesOfNetwork() async throws {
        let database = try await open()
        let greedy = (1...8).map { Requester(account: "greedy\($0)", network: Network(ipv4: 1)) }
        let other = Requester(account: "other", network: Network(ipv4: 2))
        try await withWaitingWrites(of: greedy, database) { _ in
            // Two wait for the row on the network's two connections, the others wait without one.
            let areWaiting = try await eventually { database.waiting == 6 }
            #expect(areWaiting)
            _ = try await other.run { try await database.run("UPDATE mark SET n = n + 1 WHERE id = 2") }
            // A job has no requester.
            try await database.run("UPDATE mark SET n = n WHERE id = 2")
            #expect(database.waiting == 6)
        }
    }

    @Test("Control: without a share for each account, they hold every connection, and another account waits")
    func withoutShareOfWrites() async throws {
        let database = try await open { $0.writesPerAccount = 4 }
        let greedy = Requester(account: "greedy", network: nil)
        try await withWaitingWrites(of: [greedy], database) { group in
            let areWaiting = try await eventually { database.waiting == 5 }
            #expect(areWaiting)
            group.addTask {
                let other = Requester(account: "other", network: nil)
                _ = try await other.run { try await database.run("UPDATE mark SET n = n + 1 WHERE id = 2") }
            }
            let isWaiting = try await eventually { database.waiting == 6 }
            #expect(isWaiting)
        }
    }

    // MARK: Lost connections

    private func endOthers(_ database: PostgresDatabase) async throws {
        try await database.write { tx in
            _ = try tx.rows(
                """
                SELECT pg_terminate_backend(pid)::text AS ended FROM pg_stat_activity
                WHERE application_name = left('keepsake:' || current_schema(), 63) AND pid <> pg_backend_pid()
                    AND datname = current_database()
                """)
        }
    }

    @Test("A connection lost while idle causes no error")
    func lostWhileIdle() async throws {
        let database = try await open { $0.connections = 1 }
        try await database.migrate(Self.schema)
        let other = try await open()
        try await endOthers(other)
        try await database.write { tx in try tx.run("INSERT INTO mark (id) VALUES (1)") }
        // COMMIT travels with the only statement. The server has closed the connection before it is sent.
        for _ in 1...2 {
            try await endOthers(other)
            try await Task.sleep(for: .milliseconds(200))
            try await database.run("INSERT INTO mark (id) VALUES (2) ON CONFLICT DO NOTHING")
            try await endOthers(other)
            try await Task.sleep(for: .milliseconds(200))
            try await database.write { tx in try tx.send("INSERT INTO mark (id) VALUES (3) ON CONFLICT DO NOTHING") }
        }
        #expect(try await marks(database) == [1, 2, 3])
        try await database.close()
        try await other.close()
    }

    @Test("When a connection is lost during a write, the whole closure runs again")
    func lostInTheMiddle() async throws {
        let database = try await open { $0.connections = 1 }
        try await database.migrate(Self.schema)
        let other = try await open()
        let (runs, begun, ended) = (Runs(), Runs(), Runs())
        async let write: Void = database.write { tx in
            runs.add()
            try tx.run("INSERT INTO mark (id) VALUES (1)")
            begun.add()
            if runs.count == 1 { ended.wait(for: 1) }
            try tx.run("INSERT INTO mark (id) VALUES (2)")
        }
        #expect(try await eventually { begun.count == 1 })
        try await endOthers(other)
        // PostgreSQL ends the connection when it next checks for the signal.
        try await Task.sleep(for: .milliseconds(200))
        ended.add()
        try await write
        #expect(runs.count == 2)
        #expect(try await marks(database) == [1, 2])
        try await database.close()
        try await other.close()
    }

    @Test(
        "A connection lost between COMMIT and its response is reported as unclear, whether the commit happened or not",
        arguments: [true, false])
    func lostAtCommit(_ arrives: Bool) async throws {
        let proxy = try Proxy(toPort: TestSchema.port)
        let database = try await open({ $0.connections = 1 }, port: proxy.port)
        try await database.migrate(Self.schema)
        let writes: [@Sendable () async throws -> Void] = [
            { _ = try await database.write { tx in try tx.run("INSERT INTO mark (id) VALUES (1)") } },
            // COMMIT travels with the statement.
            { try await database.write { tx in try tx.send("INSERT INTO mark (id) VALUES (1)") } },
            { _ = try await database.run("INSERT INTO mark (id) VALUES (1)") },
        ]
        for write in writes {
            proxy.set { bytes, direction in
                guard direction == .toServer, bytes.contains(Array("COMMIT".utf8)) else { return .pass }
                return arrives ? .passAndCut : .cut
            }
            await #expect(throws: DatabaseError.unclear) { try await write() }
            proxy.set { _, _ in .pass }
            // A busy server may commit a little later.
            for _ in 0..<1_000 where arrives {
                if try await !marks(database).isEmpty { break }
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await marks(database) == (arrives ? [1] : []))
            try await database.write { tx in try tx.run("DELETE FROM mark") }
        }
        try await database.close()
        proxy.close()
    }

    @Test("An unreachable server is unavailable at once, and works again when it is back")
    func unavailable() async throws {
        let proxy = try Proxy(toPort: TestSchema.port)
        let database = try await open({ $0.connections = 2 }, port: proxy.port)
        try await database.migrate(Self.schema)
        proxy.set { _, _ in .cut }
        let began = ContinuousClock.now
        for _ in 1...4 {
            let error = await #expect(throws: DatabaseError.self) {
                try await database.write { tx in try tx.run("INSERT INTO mark (id) VALUES (1)") }
            }
            guard case .unavailable? = error else {
                Issue.record("\(String(describing: error))")
                break
            }
        }
        #expect(ContinuousClock.now - began < .seconds(9))
        proxy.set { _, _ in .pass }
        #expect(
            try await eventually {
                do { try await database.write { tx in try tx.run("INSERT INTO mark (id) VALUES (1)") } } catch DatabaseError.unavailable {
                    return false
                }
                return true
            })
        #expect(try await marks(database) == [1])
        try await database.close()
        proxy.close()
    }

    @Test("A server that does not respond counts as lost after the statement timeout")
    func silence() async throws {
        let proxy = try Proxy(toPort: TestSchema.port)
        let database = try await open(
            {
                $0.connections = 1
                $0.statementTimeout = .seconds(1)
                $0.silence = .seconds(1)
            }, port: proxy.port)
        _ = try await database.read { tx in try tx.rows("SELECT 1 AS one") }
        proxy.set { _, direction in direction == .toClient ? .delay(.seconds(30)) : .pass }
        let began = ContinuousClock.now
        let read = Task { try await database.read { tx in try tx.rows("SELECT 1 AS one") } }
        // The proxy already delays the response; the next connection passes without delay.
        try await Task.sleep(for: .milliseconds(200))
        proxy.set { _, _ in .pass }
        #expect(try await read.value.count == 1)
        #expect(ContinuousClock.now - began < .seconds(20))
        try await database.close()
        proxy.close()
    }

    private func connectionCount(_ database: any Database) async throws -> Int {
        try await database.read { tx in
            try tx.row("SELECT COUNT(*) AS n FROM pg_stat_activity WHERE application_name = left('keepsake:' || current_schema(), 63)")!
                .get("n")
        }
    }

    @Test("A handle released without being closed returns its connections")
    func letGo() async throws {
        let observer = try await open { $0.connections = 1 }
        // The observer's own two connections: one reads, and one listens.
        #expect(try await eventually { try await connectionCount(observer) == 2 })
        var database: PostgresDatabase? = try await open()
        _ = try await database?.read { tx in try tx.rows("SELECT 1 AS one") }
        #expect(try await eventually { try await connectionCount(observer) > 2 })
        database = nil
        #expect(try await eventually { try await connectionCount(observer) == 2 })
        try await observer.close()
    }

    // MARK: Nodes

    private actor Heard {
        var keys: [Set<String>?] = []
        func add(_ new: Set<String>?) { keys.append(new) }
        func has(_ key: String) -> Bool { keys.contains { $0?.contains(key) == true } }
    }

    private func eventually(_ holds: () async throws -> Bool) async throws -> Bool {
        for _ in 1...1_200 {
            if try await holds() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    @Test("Every node receives a write's wake-up after the commit, and none after a rollback")
    func wakes() async throws {
        let nodes = [try await open(), try await open()]
        try await nodes[0].migrate(Self.schema)
        let heard = Heard()
        let (stream, feed) = AsyncStream.makeStream(of: Set<String>?.self)
        let listening = nodes[1].wakes.listen("test") { feed.yield($0) }
        let collecting = Task { for await keys in stream { await heard.add(keys) } }
        // Wake-ups may be lost until the node listens.
        #expect(
            try await eventually {
                try await nodes[0].write { tx in tx.wake(Wake("test", "ready")) }
                return await heard.has("ready")
            })
        struct Undone: Error {}
        await #expect(throws: Undone.self) {
            try await nodes[0].write { tx in
                tx.wake(Wake("test", "undone"))
                throw Undone()
            }
        }
        try await nodes[0].write { tx in
            try tx.run("INSERT INTO mark (id) VALUES (1)")
            tx.wake(Wake("test", "done"))
        }
        #expect(try await eventually { await heard.has("done") })
        #expect(await heard.has("undone") == false)

        // The listening connection is lost. When it is restored, it reports nil, which means that anything may have changed.
        let before = await heard.keys.count
        try await endOthers(nodes[0])
        #expect(try await eventually { await heard.keys.dropFirst(before).contains { $0 == nil } })
        try await nodes[0].write { tx in tx.wake(Wake("test", "later")) }
        #expect(try await eventually { await heard.has("later") })

        // More keys than one notification can carry.
        try await nodes[0].write { tx in for number in 1...500 { tx.wake(Wake("test", "a rather long key, number \(number)")) } }
        #expect(try await eventually { await heard.keys.last == .some(nil) })
        listening.cancel()
        feed.finish()
        await collecting.value
        for node in nodes { try await node.close() }
    }

    @Test("A node that starts while another migrates waits longer than the lock timeout")
    func slowMigration() async throws {
        let slow = Self.schema + [Migration("test/002", ["SELECT pg_sleep(1)", "INSERT INTO mark (id) VALUES (1)"])]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...3 {
                let node = try await open {
                    $0.lockTimeout = .milliseconds(200)
                    $0.statementTimeout = .milliseconds(300)
                }
                group.addTask {
                    try await node.migrate(slow)
                    try await node.close()
                }
            }
            try await group.waitForAll()
        }
        let database = try await open()
        #expect(try await marks(database) == [1])
        try await database.close()
    }

    @Test("A node that hangs in a transaction does not hold its locks for long, and its write runs again when it continues")
    func pausedNode() async throws {
        let paused = try await open { $0.idleTransaction = .seconds(1) }
        let other = try await open()
        try await paused.migrate(Self.schema)
        let (held, onHold) = AsyncStream.makeStream(of: Void.self)
        let runs = Mutex(0)
        let hanging = Task {
            try await paused.write { tx in
                // The first run hangs, as a process does that gets SIGSTOP.
                let isFirst = runs.withLock { runs in
                    runs += 1
                    return runs == 1
                }
                try tx.run("INSERT INTO mark (id) VALUES (1)")
                guard isFirst else { return }
                onHold.finish()
                usleep(9_000_000)
                // The connection is lost by now.
                _ = try tx.rows("SELECT id FROM mark")
            }
        }
        for await _ in held {}
        // The same key: this write waits for the lock of the row, then finds that nobody holds it.
        let start = ContinuousClock.now
        try await other.write { tx in try tx.run("INSERT INTO mark (id) VALUES (1) ON CONFLICT (id) DO NOTHING") }
        #expect(ContinuousClock.now - start < .seconds(6))
        // The row exists now, so the second run is refused: nothing is doubled.
        let outcome = await hanging.result
        #expect(throws: DatabaseError.self) { try outcome.get() }
        #expect(runs.withLock { $0 } == 2, "\(outcome)")
        #expect(try await marks(other) == [1])
        try await paused.close()
        try await other.close()
    }

    @Test("A migration that waits for a table does not hold up other requests to it, and runs when the table is free")
    func migrationBesideReads() async throws {
        let database = try await open { $0.lockTimeout = .seconds(60) }
        try await database.migrate(Self.schema)
        let (started, onStart) = AsyncStream.makeStream(of: Void.self)
        // A transaction that uses the table for seven seconds.
        let slow = Task {
            try await database.read { tx in
                _ = try tx.rows("SELECT id FROM mark")
                onStart.finish()
                return try tx.rows("SELECT 1 AS one FROM pg_sleep(7)").count
            }
        }
        for await _ in started {}
        let migration = Task {
            try await database.migrate(Self.schema + [Migration("test/002", ["ALTER TABLE mark ADD COLUMN more BIGINT"])])
        }
        var slowest = Duration.zero
        for _ in 0..<12 {
            let start = ContinuousClock.now
            _ = try await database.read { tx in try tx.rows("SELECT id FROM mark") }
            slowest = max(slowest, ContinuousClock.now - start)
            try await Task.sleep(for: .milliseconds(250))
        }
        #expect(try await slow.value == 1)
        try await migration.value
        _ = try await database.read { tx in try tx.rows("SELECT more FROM mark") }
        // The migration waits two seconds at a time.
        #expect(slowest < .seconds(5), "\(slowest)")
        try await database.close()
    }

    @Test("A server that acknowledges commits before they are durable is refused")
    func notDurable() async throws {
        let service = try PostgresService(port: 15_433)
        try service.configure(["fsync = off"])
        await #expect(throws: DatabaseError.notDurable("fsync is off, not on")) {
            _ = try await PostgresDatabase.open(PostgresAddress(Secret(service.address)))
        }
    }

    @Test("libpq verifies TLS: a server with a trusted certificate gets an encrypted connection, any other is refused")
    func tls() async throws {
        let folder = try TemporaryFolder()
        let service = try PostgresService(port: 15_435)
        for name in ["server", "stranger"] {
            let made = try ServerProcess.run(
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", folder.path + "/\(name).key", "-out", folder.path + "/\(name).crt",
                ], binary: "/usr/bin/openssl")
            #expect(made.status == 0, "\(made.errors)")
        }
        try service.encrypt(certificate: folder.path + "/server.crt", key: folder.path + "/server.key")
        func open(_ query: String) async throws -> PostgresDatabase {
            try await PostgresDatabase.open(PostgresAddress(Secret(service.address + "?" + query)))
        }
        let database = try await open("sslmode=verify-full&sslrootcert=\(folder.path)/server.crt")
        let isEncrypted: Bool? = try await database.read { tx in
            try tx.row("SELECT ssl::int AS ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")?.get("ssl")
        }
        #expect(isEncrypted == true)
        try await database.close()
        let error = await #expect(throws: DatabaseError.self) {
            try await open("sslmode=verify-full&sslrootcert=\(folder.path)/stranger.crt").close()
        }
        #expect("\(String(describing: error))".contains("certificate verify failed"))
        withExtendedLifetime(folder) {}
    }

    @Test("A connection error never shows the password")
    func password() async throws {
        let address = "postgres://nobody:canary-secret@127.0.0.1:\(TestSchema.port)/nowhere"
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await PostgresDatabase.open(PostgresAddress(Secret(address)))
        }
        #expect(!"\(String(describing: error))".contains("canary"))
        #expect(!"\(PostgresAddress(Secret(address)))".contains("canary"))
    }
}
