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

@Suite("PostgreSQL", .blocksThreads, .runsBesideFew)
struct PostgresDatabaseTests {
    let stores: TestStores

    init() throws { stores = try TestStores(.postgres) }

    func open(_ change: (inout PostgresDatabase.Options) -> Void = { _ in }, port: Int? = nil) async throws -> PostgresDatabase {
        var address = try stores.address()
        if let port { address = address.replacing(":\(TestSchema.port)", with: ":\(port)") }
        var options = PostgresDatabase.Options()
        options.connections = 4
        change(&options)
        return try await PostgresDatabase.open(PostgresAddress(Secret(address)), options: options)
    }

    static let schema = [Migration("test/001", ["CREATE TABLE mark (id BIGINT PRIMARY KEY NOT NULL, n BIGINT NOT NULL DEFAULT 0)"])]

    func marks(_ database: any Database) async throws -> [Int] {
        try await database.read { tx in try tx.rows("SELECT id FROM mark ORDER BY id").map { try $0.get("id") } }
    }

    final class Runs: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }

        /// Blocks the thread for at most eight seconds, which is less than the lock timeout.
        func wait(for count: Int) {
            for _ in 0..<1_600 where self.count < count { usleep(5_000) }
        }
    }

    func eventually(_ holds: () async throws -> Bool) async throws -> Bool {
        for _ in 1...1_200 {
            if try await holds() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    // MARK: Conflicts

    @Test(
        "Two writes that deadlock both succeed: PostgreSQL aborts one, and it runs again, also after a statement sent without waiting",
        arguments: [false, true])
    func deadlock(isSent: Bool) async throws {
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
                        let update: SQL = "UPDATE mark SET n = n + 1 WHERE id = \(second)"
                        // If the last statement is sent with `send`, it goes out together with COMMIT.
                        if isSent { try tx.send(update) } else { try tx.run(update) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.list("SELECT n FROM mark") { try $0.next("n") as Int64 } == [2, 2])
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

    @Test("Writes that wait for one lock leave connections to others, and all run when the lock is free")
    func lockWaits() async throws {
        let database = try await open { $0.connections = 8 }
        try await database.migrate(Self.schema)
        let (holding, letting, waiting) = (Runs(), Runs(), Runs())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await database.write { tx in
                    try tx.lock("one")
                    try tx.run("INSERT INTO mark (id) VALUES (0)")
                    holding.add()
                    letting.wait(for: 1)
                }
            }
            #expect(try await eventually { holding.count == 1 })
            for number in 1...12 {
                group.addTask {
                    try await Requester(account: "a\(number)", network: Network(ipv4: UInt32(number))).run {
                        try await database.write { tx in
                            waiting.add()
                            try tx.lock("one")
                            try tx.run("INSERT INTO mark (id) VALUES (\(number))")
                        }
                    }
                }
            }
            // Each of the twelve writes has begun, and most of them more than once.
            #expect(try await eventually { waiting.count > 24 })
            #expect(letting.count == 0)
            #expect(try await marks(database).isEmpty)
            _ = try await database.write { tx in try tx.run("INSERT INTO mark (id) VALUES (100)") }
            letting.add()
            try await group.waitForAll()
        }
        #expect(try await marks(database) == Array(0...12) + [100])
        try await database.close()
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

    @Test("A read that is cancelled at any moment leaves no transaction open for the next caller", .timeLimit(.minutes(2)))
    func cancelledAtAnyMoment() async throws {
        let database = try await open { $0.connections = 1 }
        for _ in 0..<1_500 {
            let read = Task {
                try await database.read { tx in
                    _ = try tx.rows("SELECT 1 AS n")
                    return try tx.rows("SELECT 2 AS n").count
                }
            }
            try await Task.sleep(for: .microseconds(Int.random(in: 0...600)))
            read.cancel()
            _ = await read.result
            #expect(try await database.write { tx in try tx.row("SELECT 7 AS n")?.get("n", as: Int.self) } == 7)
        }
        try await database.close()
    }
}
