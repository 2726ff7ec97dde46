internal import Database
internal import Foundation
internal import SQLiteEngine

/// The speedup of group commit: durable rows per second with 64 concurrent writers, compared with one row per commit on the same engine,
/// writers, rows and disk (`synchronous` FULL for both). Rounds alternate, so that other load on the machine affects both.
package struct GroupCommitMeasurement: Sendable, CustomStringConvertible {
    package var writers: Int
    /// Rows per second in each round.
    package var grouped: [Double] = []
    package var single: [Double] = []
    /// Mean over all grouped rounds.
    package var rowsPerCommit = 0.0

    package var ratio: Double { Self.median(grouped) / Self.median(single) }

    package var description: String {
        "group commit: \(writers) writers, \(grouped.count) rounds: \(Int(Self.median(grouped))) rows/s together, "
            + "\(Int(Self.median(single))) rows/s one by one, ratio \((ratio * 10).rounded() / 10), "
            + "\((rowsPerCommit * 10).rounded() / 10) rows a commit"
    }

    /// - Parameter folder: on the disk to measure; two databases are created in a new folder within it, which is removed afterwards.
    package static func run(
        in folder: String, writers: Int = 64, rounds: Int = 5, roundTime: Duration = .milliseconds(400)
    ) async throws -> GroupCommitMeasurement {
        let folder = folder + "/group-commit-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var oneByOne = SQLiteDatabase.Options()
        oneByOne.batchLimit = 1
        let together = try await SQLiteDatabase.open(path: folder + "/together.sqlite")
        let single = try await SQLiteDatabase.open(path: folder + "/one-by-one.sqlite", options: oneByOne)
        let migration = Migration(
            "measurement/001",
            [
                #"CREATE TABLE moment (id TEXT PRIMARY KEY NOT NULL COLLATE "C", owner BIGINT NOT NULL, at BIGINT NOT NULL, words TEXT)"#,
                "CREATE INDEX moment_by_owner ON moment (owner, at)",
            ])
        for database in [together, single] { try await database.migrate([migration]) }

        var measurement = GroupCommitMeasurement(writers: writers)
        // The first round of each warms the caches and is discarded.
        for round in 0...rounds {
            let a = try await rate(together, round, writers, roundTime)
            let b = try await rate(single, round, writers, roundTime)
            guard round > 0 else { continue }
            measurement.grouped.append(a)
            measurement.single.append(b)
        }
        let statistics = together.statistics
        measurement.rowsPerCommit = Double(statistics.closures) / Double(statistics.batches)
        try await together.close()
        try await single.close()
        return measurement
    }

    private static func rate(_ database: SQLiteDatabase, _ round: Int, _ writers: Int, _ time: Duration) async throws -> Double {
        let start = ContinuousClock.now
        let rows = try await withThrowingTaskGroup(of: Int.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    var rows = 0
                    while ContinuousClock.now - start < time {
                        // Ids made at the same time are adjacent, as those of Identifiers are.
                        let at = (ContinuousClock.now - start) / .microseconds(1)
                        let id = "\(round)-\(Int(at) + 1_000_000_000)-\(writer)"
                        try await database.write { tx in
                            try tx.run(
                                """
                                INSERT INTO moment (id, owner, at, words)
                                VALUES (\(id), \(writer), \(Int(at)), \("a quiet morning by the lake"))
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

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
