internal import Database
internal import Foundation
internal import SQLiteEngine

/// What committing together is worth: rows a second that 64 callers make durable, against the same engine, callers, rows and disk
/// with one row a commit (`synchronous` FULL for both). Rounds of the two take turns, so that a busy minute hits both.
package struct GroupCommitMeasurement: Sendable, CustomStringConvertible {
    package var writers: Int
    /// Rows a second in each round.
    package var grouped: [Double] = []
    package var single: [Double] = []
    /// Over all grouped rounds.
    package var rowsPerCommit = 0.0

    package var ratio: Double { Self.median(grouped) / Self.median(single) }

    package var description: String {
        "group commit: \(writers) writers, \(grouped.count) rounds: \(Int(Self.median(grouped))) rows/s together, "
            + "\(Int(Self.median(single))) rows/s one by one, ratio \((ratio * 10).rounded() / 10), "
            + "\((rowsPerCommit * 10).rounded() / 10) rows a commit"
    }

    /// - Parameter folder: on the disk to be measured; a folder with two databases is made in it, and removed.
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
        // The first round of each warms caches and is thrown away.
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
                        // Ids of one moment lie together, as those of Identifiers do.
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
