import Core
import Database
import Foundation
import PostgresEngine
import Synchronization
import TestKit
import TestThreads
import Testing

/// How many round trips statements take, and how accounts and networks share the connections.
extension PostgresDatabaseTests {
    @Test("A read of one statement takes one round trip; statements whose result is not needed take none of their own")
    func turns() async throws {
        let proxy = try Proxy(toPort: TestSchema.port)
        let database = try await open({ $0.connections = 1 }, port: proxy.port)
        try await database.migrate(Self.schema)
        func turns(_ call: () async throws -> Void) async throws -> Int {
            // The first call also prepares its statements, in the same round trip.
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
            // The number of changed rows must be known before COMMIT is sent.
            let counted = try await turns {
                try await database.write { tx in try tx.send("UPDATE mark SET n = 4", expecting: 1, otherwise: DatabaseError.busy) }
            }
            #expect(counted == 2)
            #expect(try await turns { try await database.write { _ in } } == 0)
        }
        try await database.close()
        proxy.close()
    }

    @Test("A connection keeps the statements that it used last prepared, however many forms came before")
    func replacedStatements() async throws {
        let database = try await open { $0.connections = 1 }
        try await database.migrate(Self.schema)
        func run(_ sql: SQL) async throws -> [Int64] { try await database.list(sql) { try $0.next("n") } }
        for left in 1...24 {
            for right in 1...24 {
                let first: [SQL] = (1...left).map { "\($0)" }
                let second: [SQL] = (1...right).map { "\($0)" }
                _ = try await run("SELECT n FROM mark WHERE id IN (\(sql: .series(first))) OR n IN (\(sql: .series(second)))")
            }
        }
        _ = try await run("SELECT n FROM mark WHERE id = \(7)")
        let late = try await run("SELECT count(*) AS n FROM pg_prepared_statements WHERE statement = \("SELECT n FROM mark WHERE id = $1")")
        #expect(late == [1])
        // The counting statement was prepared before the statement that it replaces was released.
        let all = try await run("SELECT count(*) AS n FROM pg_prepared_statements")
        #expect((500...513).contains(all.first ?? 0), "\(all)")
        try await database.close()
    }

    @Test("NULL in place of a value makes no further prepared statement, and statements with many values are not prepared")
    func fewPreparedStatements() async throws {
        let database = try await open { $0.connections = 1 }
        let table = "CREATE TABLE form (id BIGINT PRIMARY KEY NOT NULL, word TEXT, n BIGINT, part DOUBLE PRECISION, raw BYTEA)"
        try await database.migrate([Migration("test/001", [table])])
        func values(_ form: Int) -> SQL {
            let word: String? = form & 1 == 0 ? nil : "a"
            let n: Int? = form & 2 == 0 ? nil : 7
            let part: Double? = form & 4 == 0 ? nil : 0.5
            let raw: [UInt8]? = form & 8 == 0 ? nil : [1, 2]
            return "(\(form), \(word), \(n), \(part), \(raw))"
        }
        for form in 0..<16 { try await database.run("INSERT INTO form (id, word, n, part, raw) VALUES \(sql: values(form))") }
        for start in [16, 80] {
            let rows = (start..<start + 64).map(values)
            try await database.run("INSERT INTO form (id, word, n, part, raw) VALUES \(sql: .series(rows))")
        }
        func count(_ sql: SQL) async throws -> [Int64] { try await database.list(sql) { try $0.next("n") } }
        #expect(try await count("SELECT count(*) AS n FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO form%'") == [1])
        // Each value is in its column: the id says which of them are NULL.
        let stored = try await count(
            """
            SELECT count(*) AS n FROM form WHERE (word IS NOT NULL) = (id & 1 <> 0) AND (n IS NOT NULL) = (id & 2 <> 0)
                AND (part IS NOT NULL) = (id & 4 <> 0) AND (raw IS NOT NULL) = (id & 8 <> 0)
                AND coalesce(word, 'a') = 'a' AND coalesce(n, 7) = 7 AND coalesce(part, 0.5) = 0.5
            """)
        #expect(stored == [144])
        try await database.close()
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
            // Two tasks hold the connections, and six wait for a connection without occupying a thread.
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

    /// Locks a row, then starts eight writes of that row. The requesters of `greedy` make them in turn.
    /// - Parameter body: runs while the writes wait. Afterwards the lock is released.
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
            // One write waits for the row on the account's only connection for writes. The others wait without a connection.
            let areWaiting = try await eventually { database.waiting == 7 }
            #expect(areWaiting)
            _ = try await other.run { try await database.run("UPDATE mark SET n = n + 1 WHERE id = 2") }
            let read = try await greedy.run { try await marks(database) }
            #expect(read == [1, 2])
            #expect(database.waiting == 7)
        }
    }

    @Test("A call of a request that holds a scarce turn does not wait for its account's other calls")
    func callOfAHolder() async throws {
        let database = try await open()
        let greedy = Requester(account: "greedy", network: Network(ipv4: 1))
        let work = FairWork(FairSemaphore.Limits(permits: 1, permitsPerKey: 1, waiting: 1, waitingPerKey: 1))
        try await withWaitingWrites(of: [greedy], database) { _ in
            // One write waits for the row on the account's only connection for writes.
            let areWaiting = try await eventually { database.waiting == 7 }
            #expect(areWaiting)
            try await greedy.run {
                let turn = try await work.turn()
                defer { turn.release() }
                try await database.run("UPDATE mark SET n = n + 1 WHERE id = 2")
            }
            #expect(database.waiting == 7)
        }
    }

    @Test("Writes of many accounts of one network that wait for a row leave connections to other networks and to the server's own work")
    func shareOfWritesOfNetwork() async throws {
        let database = try await open()
        let greedy = (1...8).map { Requester(account: "greedy\($0)", network: Network(ipv4: 1)) }
        let other = Requester(account: "other", network: Network(ipv4: 2))
        try await withWaitingWrites(of: greedy, database) { _ in
            // Two writes wait for the row on the network's two connections for writes. The others wait without a connection.
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
        let database = try await open {
            $0.writesPerAccount = 4
            $0.patientWrites = 4
            $0.reservedConnections = 0
        }
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
}
