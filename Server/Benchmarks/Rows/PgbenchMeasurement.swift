import Core
import Database
import DatabaseEngines
import Foundation
import TestKit

/// Durable rows per second of many concurrent writers on PostgreSQL. Each row has its own transaction (BEGIN, INSERT, COMMIT). It is
/// compared with pgbench, which runs the same three statements, prepared, on the same server, table and disk. Rounds of the two alternate.
struct PgbenchMeasurement: CustomStringConvertible {
    let writers: Int
    let connections: Int
    var ours: [Double] = []
    /// pgbench's rows per second. `pgbench` has as many clients as Keepsake has connections; `pgbenchCrowd` as many as Keepsake has
    /// writers.
    var pgbench: [Double] = []
    var pgbenchCrowd: [Double] = []

    var description: String {
        func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        func ratio(_ peer: [Double]) -> Double { (median(zip(ours, peer).map { $0 / $1 }) * 100).rounded() / 100 }
        return "PostgreSQL: \(writers) writers over \(connections) connections, \(ours.count) rounds: \(Int(median(ours))) rows/s; "
            + "pgbench with \(connections) clients \(Int(median(pgbench))), ratio \(ratio(pgbench)); "
            + "with \(writers) clients \(Int(median(pgbenchCrowd))), ratio \(ratio(pgbenchCrowd))"
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    private static let schema = Migration(
        "measurement/001",
        [
            #"CREATE TABLE moment (id TEXT PRIMARY KEY NOT NULL COLLATE "C", owner BIGINT NOT NULL, at BIGINT NOT NULL, words TEXT)"#,
            "CREATE INDEX moment_by_owner ON moment (owner, at)",
        ])

    static func run(
        on server: String, writers: Int = 64, connections: Int = 16, rounds: Int, roundTime: Duration = .seconds(3)
    ) async throws -> PgbenchMeasurement {
        let schema = try await BlockingThreads.run { try TestSchema() }
        guard let address = DatabaseAddress(schema.address) else { throw Failure(description: "no address") }
        let database = try await address.open(connections: connections)
        try await database.migrate([Self.schema])
        let script = FileManager.default.temporaryDirectory.appending(path: "moment-\(UUID().uuidString).sql")
        try Data(
            """
            \\set id random(1, 9000000000000000000)
            \\set owner random(0, 63)
            \\set at random(1, 1000000000)
            BEGIN;
            INSERT INTO moment (id, owner, at, words) VALUES (:id::text, :owner, :at, 'a quiet morning by the lake');
            COMMIT;

            """.utf8
        ).write(to: script)
        defer { try? FileManager.default.removeItem(at: script) }
        var measurement = PgbenchMeasurement(writers: writers, connections: connections)
        // The first round of each program warms the caches and is discarded.
        for round in 0...rounds {
            let ours = try await rate(database, writers, roundTime)
            let few = try await pgbench(schema.address, script.path, clients: connections)
            let many = try await pgbench(schema.address, script.path, clients: writers)
            guard round > 0 else { continue }
            measurement.ours.append(ours)
            measurement.pgbench.append(few)
            measurement.pgbenchCrowd.append(many)
        }
        try await database.close()
        withExtendedLifetime(schema) {}
        return measurement
    }

    private static func rate(_ database: any Database, _ writers: Int, _ time: Duration) async throws -> Double {
        let start = ContinuousClock.now
        let rows = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<writers {
                // The task prefers the engine's threads, as a request's handler does.
                group.addTask(executorPreference: database.threads) {
                    var rows = 0
                    while ContinuousClock.now - start < time {
                        let id = String(Int.random(in: 1...9_000_000_000_000_000_000))
                        let (owner, at) = (Int.random(in: 0..<64), Int.random(in: 1...1_000_000_000))
                        try await database.write { tx in
                            try tx.run(
                                """
                                INSERT INTO moment (id, owner, at, words)
                                VALUES (\(id), \(owner), \(at), \("a quiet morning by the lake"))
                                """)
                        }
                        rows += 1
                    }
                    return rows
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(rows) / ((ContinuousClock.now - start) / .seconds(1))
    }

    /// Runs pgbench. It inserts enough rows to take some seconds. The option `-T`, which sets a time, does not work: it needs a signal that
    /// child processes of this program never receive.
    private static func pgbench(_ address: String, _ script: String, clients: Int, rows: Int = 48_000) async throws -> Double {
        let run = try await BlockingThreads.run {
            try ServerProcess.run(
                [
                    "pgbench", "-n", "-M", "prepared", "-c", "\(clients)", "-j", "2", "-t", "\(rows / clients)", "-f", script, address,
                ], binary: "/usr/bin/env")
        }
        guard let line = run.output.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let number = line.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) })
        else { throw Failure(description: "pgbench: \(run.errors)") }
        return number
    }
}
