import Core
import Database
import Foundation
import PostgresEngine
import Synchronization
import TestKit
import TestThreads
import Testing

/// Several nodes on one database, and its connection options.
extension PostgresDatabaseTests {
    private actor ReceivedKeys {
        var keys: [Set<String>?] = []
        func add(_ new: Set<String>?) { keys.append(new) }
        func has(_ key: String) -> Bool { keys.contains { $0?.contains(key) == true } }
    }

    @Test("Every node receives a write's wake-up after the commit, and none after a rollback")
    func wakes() async throws {
        let nodes = [try await open(), try await open()]
        try await nodes[0].migrate(Self.schema)
        let received = ReceivedKeys()
        let (stream, feed) = AsyncStream.makeStream(of: Set<String>?.self)
        let listening = nodes[1].wakes.listen("test") { feed.yield($0) }
        let collecting = Task { for await keys in stream { await received.add(keys) } }
        // Wake-ups may be lost until the node listens.
        #expect(
            try await eventually {
                try await nodes[0].write { tx in tx.wake(Wake("test", "ready")) }
                return await received.has("ready")
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
        #expect(try await eventually { await received.has("done") })
        #expect(await received.has("undone") == false)

        // The listening connection is lost. When it is restored, it reports nil, which means that anything may have changed.
        let before = await received.keys.count
        try await endOthers(nodes[0])
        #expect(try await eventually { await received.keys.dropFirst(before).contains { $0 == nil } })
        try await nodes[0].write { tx in tx.wake(Wake("test", "later")) }
        #expect(try await eventually { await received.has("later") })

        // These are more keys than one notification can carry, so the node receives nil.
        try await nodes[0].write { tx in for number in 1...500 { tx.wake(Wake("test", "a rather long key, number \(number)")) } }
        #expect(try await eventually { await received.keys.last == .some(nil) })
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
                // The first run hangs, like a process that SIGSTOP has stopped.
                let isFirst = runs.withLock { runs in
                    runs += 1
                    return runs == 1
                }
                try tx.run("INSERT INTO mark (id) VALUES (1)")
                guard isFirst else { return }
                onHold.finish()
                usleep(4_000_000)
                // The connection is lost by now.
                _ = try tx.rows("SELECT id FROM mark")
            }
        }
        for await _ in held {}
        // This write inserts the same key. So it waits for the row's lock until PostgreSQL ends the hanging transaction.
        let start = ContinuousClock.now
        try await other.write { tx in try tx.run("INSERT INTO mark (id) VALUES (1) ON CONFLICT (id) DO NOTHING") }
        #expect(ContinuousClock.now - start < .seconds(3))
        // The row exists now, so the second run fails and adds no second row.
        let outcome = await hanging.result
        #expect(throws: DatabaseError.self) { try outcome.get() }
        #expect(runs.withLock { $0 } == 2, "\(outcome)")
        #expect(try await marks(other) == [1])
        try await paused.close()
        try await other.close()
    }

    @Test("Writes that wait for a row which a node that hangs has locked leave connections to everybody else")
    func writesBesideAPausedNode() async throws {
        let paused = try await open()
        let other = try await open { $0.connections = 8 }
        try await paused.migrate(Self.schema)
        try await paused.write { tx in for id in [1, 2] { try tx.run("INSERT INTO mark (id, n) VALUES (\(id), 0)") } }
        let (held, onHold) = AsyncStream.makeStream(of: Void.self)
        let hanging = Task {
            try await paused.write { tx in
                try tx.run("UPDATE mark SET n = n + 1 WHERE id = 1")
                onHold.finish()
                usleep(3_000_000)
            }
        }
        for await _ in held {}
        let crowd = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...30 {
                    group.addTask {
                        try await Requester(account: "a\(number)", network: Network(ipv4: UInt32(number))).run {
                            // Every second write is a single statement in its own transaction.
                            let add: SQL = "UPDATE mark SET n = n + 1 WHERE id = 1"
                            if number.isMultiple(of: 2) {
                                try await other.run(add)
                            } else {
                                try await other.write { tx in try tx.run(add) }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let longest = Mutex(Duration.zero)
        try await Requester(account: "victim", network: Network(ipv4: 99)).run {
            for _ in 1...20 {
                try await Task.sleep(for: .milliseconds(100))
                let start = ContinuousClock.now
                try await other.write { tx in try tx.run("UPDATE mark SET n = n + 1 WHERE id = 2") }
                #expect(try await marks(other) == [1, 2])
                longest.withLock { $0 = max($0, start.duration(to: .now)) }
            }
        }
        // Without free connections, the victim's calls would wait for as long as the node hangs.
        #expect(longest.withLock { $0 } < .seconds(2))
        try await hanging.value
        try await crowd.value
        let sums = try await other.read { tx in try tx.rows("SELECT n FROM mark ORDER BY id").map { try $0.get("n", as: Int.self) } }
        #expect(sums == [31, 20])
        try await paused.close()
        try await other.close()
    }

    @Test("A write beyond those that may wait for long gets a row that others change all the time")
    func writesOfABusyRow() async throws {
        let database = try await open {
            $0.connections = 8
            $0.patientWrites = 4
            $0.lockTimeout = .seconds(4)
        }
        let other = try await open { $0.connections = 8 }
        try await database.migrate(Self.schema)
        try await database.write { tx in for id in 0...4 { try tx.run("INSERT INTO mark (id, n) VALUES (\(id), 0)") } }
        let (holding, letting) = (Runs(), Runs())
        try await withThrowingTaskGroup(of: Void.self) { group in
            // No more than four writes of other rows may wait for a long time, so the victim's write may wait only briefly.
            for number in 1...4 {
                group.addTask {
                    try await Requester(account: "a\(number)", network: Network(ipv4: UInt32(number))).run {
                        try await database.write { tx in
                            try tx.run("UPDATE mark SET n = n + 1 WHERE id = \(number)")
                            holding.add()
                            letting.wait(for: 1)
                        }
                    }
                }
            }
            // On another node, three tasks always write the victim's row: one locks it for 30 ms while two wait for the lock.
            for number in 5...7 {
                group.addTask {
                    try await Requester(account: "a\(number)", network: Network(ipv4: UInt32(number))).run {
                        while letting.count == 0 {
                            try await other.write { tx in
                                try tx.run("UPDATE mark SET n = n + 1 WHERE id = 0")
                                usleep(30_000)
                            }
                        }
                    }
                }
            }
            #expect(try await eventually { holding.count == 4 })
            await #expect(throws: Never.self) {
                try await Requester(account: "victim", network: Network(ipv4: 99)).run {
                    for _ in 1...3 { try await database.write { tx in try tx.run("UPDATE mark SET n = n + 1 WHERE id = 0") } }
                }
            }
            letting.add()
            try await group.waitForAll()
        }
        try await database.close()
        try await other.close()
    }

    @Test("A migration that waits for a table does not hold up other requests to it, and runs when the table is free")
    func migrationBesideReads() async throws {
        let database = try await open { $0.lockTimeout = .seconds(60) }
        try await database.migrate(Self.schema)
        let (started, onStart) = AsyncStream.makeStream(of: Void.self)
        // A transaction that uses the table for five seconds.
        let slow = Task {
            try await database.read { tx in
                _ = try tx.rows("SELECT id FROM mark")
                onStart.finish()
                return try tx.rows("SELECT 1 AS one FROM pg_sleep(5)").count
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
        // The migration waits for its lock for two seconds at a time, so a read behind it waits no longer.
        #expect(slowest < .seconds(3.5), "\(slowest)")
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
