internal import Core
package import Database
internal import Foundation
internal import GRDB

// GRDB has types of the same names; an import of one declaration takes precedence.
package import enum Database.DatabaseError

extension SQLiteDatabase {
    /// Pages of an index merged in one write, so that no other waits long.
    private static let mergedPages = 200
    /// How long the writer waits at a time for readers of an old state, while it empties the log; other writes wait as long.
    private static let readerPatience = Duration.milliseconds(100)
    /// How often it tries, a quarter of a second apart.
    private static let logTries = 60

    /// `secure_delete` overwrites rows where they lay, and the file system in front of SQLite's clears what pages keep of rows that were
    /// moved to others (`CPageClearing`). What is left to do is small: the marks in the index of words, and the log.
    ///
    /// No write waits for any of it longer than a merge of 200 pages, or 100 ms for readers, takes.
    package func scrub(_ tables: [TokenTable]) async throws {
        for table in tables { try await merge(table) }
        try await usage.run { [upkeep] in try await upkeep.sweep() }
        try await emptyLog()
    }

    /// FTS5 only marks what is deleted; the words go when the segments that hold them are merged.
    private func merge(_ table: TokenTable) async throws {
        let old = try await segments(table)
        // One alone holds nothing deleted: merging into the oldest drops the marks.
        while try await segments(table).count > 1, try await !segments(table).isDisjoint(with: old) {
            try Task.checkCancellation()
            try await write { tx in
                try tx.run("INSERT INTO \(sql: table.index) (\(sql: table.index), rank) VALUES ('merge', \(-Self.mergedPages))")
            }
        }
    }

    private func segments(_ table: TokenTable) async throws -> Set<Int64> {
        try await read { tx in
            // FTS5's own list of its pages, by segment.
            Set(try tx.rows("SELECT DISTINCT segid FROM \(sql: table.index)_idx").map { try $0.get("segid") })
        }
    }

    /// - Throws: `DatabaseError.busy` when somebody reads an old state all the while.
    private func emptyLog() async throws {
        for _ in 0..<Self.logTries {
            // Most of it beside the writer, so that little is left to do while writes wait.
            try await usage.run { [upkeep] in try await upkeep.copyLog() }
            if try await usage.run({ try await truncateLog() }) { return }
            try await Task.sleep(for: .milliseconds(250))
        }
        throw DatabaseError.busy
    }

    /// - Returns: `false` when somebody reads an old state.
    private func truncateLog() async throws -> Bool {
        try await blocking { [pool, upkeep] in
            try mappingEngineErrors {
                try pool.writeWithoutTransaction { connection in
                    // SQLite waits for readers while it holds off all writers.
                    try connection.execute(sql: "PRAGMA busy_timeout = \(Self.readerPatience.wholeMilliseconds)")
                    defer { try? connection.execute(sql: "PRAGMA busy_timeout = \(upkeep.busyTimeout.wholeMilliseconds)") }
                    let answer = try GRDB.Row.fetchOne(connection, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                    guard let answer, answer[0] as Int == 0 else { return false }
                    // Pages in memory still have what the file has no more, and would bring it back with their next change.
                    try connection.execute(sql: "PRAGMA shrink_memory")
                    return true
                }
            }
        }
    }
}
