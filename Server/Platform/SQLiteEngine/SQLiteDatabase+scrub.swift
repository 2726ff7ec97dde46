internal import Core
package import Database
internal import Foundation
internal import GRDB

// GRDB has types of the same names; an import of one declaration takes precedence.
package import enum Database.DatabaseError

extension SQLiteDatabase {
    /// The most pages of an index that one write merges. It keeps the write short, so that others do not wait long.
    private static let mergedPages = 200
    /// How long the writer waits for readers of an old snapshot while it empties the log. Other writes wait during this time.
    private static let readerPatience = Duration.milliseconds(100)
    /// The number of attempts to empty the log, a quarter of a second apart.
    private static let logTries = 60

    /// Removes what is left of deleted rows: their words in full-text indexes, pages that an older version did not clear, and the log.
    /// Everything else was cleared when it was written: `secure_delete` overwrites deleted rows, and `CPageClearing` clears copies of rows
    /// that SQLite moved to other pages.
    ///
    /// The scrub delays another write at most by one merge of 200 pages of an index, or by 100 ms while it waits for readers of the log.
    package func scrub(_ tables: [TokenTable]) async throws {
        for table in tables { try await merge(table) }
        try await usage.run { [upkeep] in try await upkeep.sweep() }
        try await emptyLog()
    }

    /// FTS5 only marks deleted rows; their words are removed when the segments that hold them are merged.
    private func merge(_ table: TokenTable) async throws {
        let old = try await segments(table)
        // A single segment holds no deleted words: merging into the oldest segment drops the markers.
        guard old.count > 1 else { return }
        let pages: Int64 = try await read { tx in try tx.row("SELECT COUNT(*) AS n FROM \(sql: table.index)_idx")?.get("n") ?? 0 }
        try await upkeep.removeEmptyLevels()
        // The negative number begins a merge of all segments. With each further negative number, FTS5 would start the merge again and add
        // two levels.
        _ = try await merge(-Self.mergedPages, table)
        // Other writes add segments meanwhile and reuse the ids of merged segments, so the ids alone do not show when the merge has ended.
        for _ in 0..<2 * pages / Int64(Self.mergedPages) + 20 {
            try Task.checkCancellation()
            let left = try await segments(table)
            guard left.count > 1, !left.isDisjoint(with: old), try await merge(Self.mergedPages, table) else { break }
        }
        try await upkeep.removeEmptyLevels()
    }

    /// - Returns: whether there was something to merge.
    private func merge(_ pages: Int, _ table: TokenTable) async throws -> Bool {
        try await write { tx in
            func changes() throws -> Int64 { try tx.row("SELECT total_changes() AS n")?.get("n") ?? 0 }
            let before = try changes()
            try tx.run("INSERT INTO \(sql: table.index) (\(sql: table.index), rank) VALUES ('merge', \(pages))")
            // The command itself counts as one change.
            return try changes() - before > 1
        }
    }

    private func segments(_ table: TokenTable) async throws -> Set<Int64> {
        try await read { tx in
            // FTS5 keeps a list of its pages by segment in this table.
            Set(try tx.rows("SELECT DISTINCT segid FROM \(sql: table.index)_idx").map { try $0.get("segid") })
        }
    }

    /// - Throws: `DatabaseError.busy` when readers of an old snapshot blocked every attempt.
    private func emptyLog() async throws {
        for _ in 0..<Self.logTries {
            // Copy most of the log without blocking the writer, so that little is left to do while writes wait.
            try await usage.run { [upkeep] in try await upkeep.copyLog() }
            if try await usage.run({ try await truncateLog() }) { return }
            try await Task.sleep(for: .milliseconds(250))
        }
        throw DatabaseError.busy
    }

    /// - Returns: `false` when a reader uses an old snapshot.
    private func truncateLog() async throws -> Bool {
        try await blocking { [pool, upkeep] in
            try mappingEngineErrors {
                try pool.writeWithoutTransaction { connection in
                    // SQLite blocks all writers while it waits for readers.
                    try connection.execute(sql: "PRAGMA busy_timeout = \(Self.readerPatience.wholeMilliseconds)")
                    defer { try? connection.execute(sql: "PRAGMA busy_timeout = \(upkeep.busyTimeout.wholeMilliseconds)") }
                    let answer = try GRDB.Row.fetchOne(connection, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                    guard let answer, answer[0] as Int == 0 else { return false }
                    // Cached pages still hold deleted data, and the next change would write it back.
                    try connection.execute(sql: "PRAGMA shrink_memory")
                    upkeep.reserve?.take()
                    return true
                }
            }
        }
    }
}
