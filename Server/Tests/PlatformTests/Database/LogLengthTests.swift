import Core
import Database
import Foundation
import SQLiteEngine
import TestKit
import TestThreads
import Testing

// The suite runs alone: beside other tests, reads could begin late and no longer overlap.
@Suite("The length of SQLite's log", .runsAlone)
struct LogLengthTests {
    @Test("reads that overlap without a gap keep the log from starting over only up to a limit", arguments: [true, false])
    func overlappingReads(_ isLimited: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/log.sqlite"
        var options = SQLiteDatabase.Options()
        // 68 MB. As by default, this is more than the length from which commits copy the log as far as readers allow.
        if isLimited { options.heldLogPages = 17_000 }
        let database = try await SQLiteDatabase.open(path: path, options: options)
        try await database.migrate([Migration("test/001", ["CREATE TABLE mark (id BIGINT PRIMARY KEY NOT NULL, text TEXT NOT NULL)"])])
        try await database.write { tx in
            for id in 1...50 { try tx.run("INSERT INTO mark (id, text) VALUES (\(id), \(String(repeating: "a", count: 20_000)))") }
        }
        let length = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<2 {
                group.addTask {
                    // Each task begins its read while the other task's read runs.
                    try await Task.sleep(for: .milliseconds(15 * number))
                    while !Task.isCancelled {
                        do {
                            try await database.read { tx in
                                _ = try tx.rows("SELECT id FROM mark WHERE id = 1")
                                usleep(30_000)
                            }
                        } catch is CancellationError {
                            // This read was still waiting when the test ended.
                        }
                    }
                    return 0
                }
            }
            group.addTask {
                for round in 0..<140 {
                    let text = String(repeating: Character(Unicode.Scalar(UInt8(97 + round % 26))), count: 20_000)
                    try await database.write { tx in try tx.run("UPDATE mark SET text = \(text)") }
                    try await Task.sleep(for: .milliseconds(5))
                }
                return try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
            }
            var longest = 0
            while let length = try await group.next() {
                longest = max(longest, length)
                group.cancelAll()
            }
            return longest
        }
        // The writer wrote 1 MB 140 times. When the log starts over, its file keeps its length up to 64 MB.
        #expect(isLimited ? length < 100 << 20 : length > 125 << 20, "\(length)")
        try await database.close()
    }

    @Test("reads that never end are stopped when the log is too long, so it starts over at the first attempt")
    func endlessReads() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/log.sqlite"
        var options = SQLiteDatabase.Options()
        // 32 MB
        options.heldLogPages = 8_000
        let database = try await SQLiteDatabase.open(path: path, options: options)
        try await database.migrate([Migration("test/001", ["CREATE TABLE mark (id BIGINT PRIMARY KEY NOT NULL, text TEXT NOT NULL)"])])
        try await database.write { tx in
            for id in 1...50 { try tx.run("INSERT INTO mark (id, text) VALUES (\(id), \(String(repeating: "a", count: 20_000)))") }
        }
        let stopped = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var ended = 0
                    while !Task.isCancelled {
                        do {
                            try await database.read { tx in
                                _ = try tx.rows("SELECT id FROM mark WHERE id = 1")
                                _ = try tx.rows("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n")
                            }
                        } catch DatabaseError.busy {
                            ended += 1
                        } catch is CancellationError {
                            // This read was still running when the test ended.
                        }
                    }
                    return ended
                }
            }
            group.addTask {
                for round in 0..<100 {
                    let text = String(repeating: Character(Unicode.Scalar(UInt8(97 + round % 26))), count: 20_000)
                    try await database.write { tx in try tx.run("UPDATE mark SET text = \(text)") }
                    try await Task.sleep(for: .milliseconds(5))
                }
                return 0
            }
            var sum = 0
            // The writer is the first task to end.
            while let ended = try await group.next() {
                sum += ended
                group.cancelAll()
            }
            return sum
        }
        let length = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
        // The writer wrote 1 MB 100 times.
        #expect(stopped >= 2 && length < 85 << 20, "\(stopped) reads were stopped, and the log has \(length) bytes")
        try await database.close()
    }
}
