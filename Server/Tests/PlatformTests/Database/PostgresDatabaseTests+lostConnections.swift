import Core
import Database
import Foundation
import PostgresEngine
import Synchronization
import TestKit
import TestThreads
import Testing

/// Connections that are lost, and servers that are away or silent.
extension PostgresDatabaseTests {
    func endOthers(_ database: PostgresDatabase) async throws {
        try await database.write { tx in
            _ = try tx.rows(
                """
                SELECT pg_terminate_backend(pid)::text AS ended FROM pg_stat_activity
                WHERE application_name = left('keepsake:' || current_schema(), 63) AND pid <> pg_backend_pid()
                    AND datname = current_database()
                """)
        }
    }

    @Test("Released memory: connections that sent or received a long value are closed when they are free, and others stay open")
    func releasedMemory() async throws {
        let database = try await open { $0.connections = 1 }
        func process() async throws -> Int {
            try await database.read { tx in try tx.row("SELECT pg_backend_pid() AS pid")?.get("pid") ?? 0 }
        }
        let long = String(repeating: "x", count: 262_144)
        let uses: [(isLong: Bool, sql: SQL)] = [
            (false, "SELECT 1 AS n"), (true, "SELECT length(\(long)) AS n"), (true, "SELECT repeat('x', 262144) AS n"),
            (false, "SELECT 2 AS n"),
        ]
        for use in uses {
            let before = try await process()
            _ = try await database.read { tx in try tx.rows(use.sql).count }
            await database.releaseMemory()
            #expect((try await process() != before) == use.isLong, "\(use.sql)")
        }
        try await database.close()
    }

    @Test("A connection lost while idle causes no error")
    func lostWhileIdle() async throws {
        let database = try await open { $0.connections = 1 }
        try await database.migrate(Self.schema)
        let other = try await open()
        try await endOthers(other)
        try await database.write { tx in try tx.run("INSERT INTO mark (id) VALUES (1)") }
        // COMMIT is sent together with the only statement. PostgreSQL has closed the connection before that.
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
            // COMMIT is sent together with the statement.
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

    private static func setShortTimeouts(_ options: inout PostgresDatabase.Options) {
        options.connections = 1
        options.statementTimeout = .seconds(1)
        options.silence = .seconds(1)
    }

    @Test("A server that does not respond counts as lost after the statement timeout")
    func silence() async throws {
        let proxy = try Proxy(toPort: TestSchema.port)
        let database = try await open(Self.setShortTimeouts, port: proxy.port)
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

    @Test("A database whose server hangs closes soon, also while a cancelled read waits for the server")
    func closesWhileServerHangs() async throws {
        let proxy = try Proxy(toPort: TestSchema.port)
        let database = try await open(Self.setShortTimeouts, port: proxy.port)
        let cancelRequest: [UInt8] = [0, 0, 0, 16, 4, 210, 22, 46]
        proxy.set { bytes, direction in
            let text = String(decoding: bytes, as: UTF8.self)
            let isHeld = bytes.starts(with: cancelRequest) || text.contains("AS held") || text.contains("pg_notify")
            return direction == .toServer && isHeld ? .delay(.seconds(60)) : .pass
        }
        // The listening connection waits for the response to its notification.
        try await database.write { tx in tx.wake(Wake("test", "held")) }
        let read = Task { try await database.read { tx in try tx.rows("SELECT 1 AS held") } }
        try await Task.sleep(for: .milliseconds(200))
        read.cancel()
        let began = ContinuousClock.now
        _ = await read.result
        try await database.close()
        // Two seconds for the statement, and one each for the cancel request, the listening connection and the next connection.
        #expect(ContinuousClock.now - began < .seconds(15))
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
}
