internal import Foundation
internal import GRDB

extension SQLiteDatabase {
    /// Bytes; a larger database is not rewritten while it serves: every write would wait for longer than some seconds.
    static let rewritingLimit = 1 << 30
    /// Pages of an index merged in one write, so that no other waits long.
    private static let mergedPages = 200

    /// `secure_delete` overwrites rows where they lay. It does not reach what a page keeps of rows that were moved to another when a tree
    /// was balanced: measured, one database in two had some after a third of its rows was deleted. So the file is written anew.
    package func scrub(_ tables: [TokenTable]) async throws {
        for table in tables { try await merge(table) }
        try await rewrite()
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

    private func rewrite() async throws {
        try await usage.run {
            try await blocking { [pool] in
                try mappingEngineErrors {
                    try pool.writeWithoutTransaction { connection in
                        let pages = try Int.fetchOne(connection, sql: "PRAGMA page_count") ?? 0
                        let size = try Int.fetchOne(connection, sql: "PRAGMA page_size") ?? 0
                        guard pages * size <= Self.rewritingLimit else { return }
                        try connection.execute(sql: "VACUUM")
                    }
                }
            }
        }
    }

    /// - Throws: `DatabaseError.busy` when somebody reads an old state all the while.
    private func emptyLog() async throws {
        for _ in 0..<20 {
            let isBusy = try await usage.run {
                try await blocking { [pool] in
                    try mappingEngineErrors {
                        try pool.writeWithoutTransaction { connection in
                            try GRDB.Row.fetchOne(connection, sql: "PRAGMA wal_checkpoint(TRUNCATE)").map { $0[0] as Int != 0 } ?? true
                        }
                    }
                }
            }
            if !isBusy { return }
            try await Task.sleep(for: .milliseconds(250))
        }
        throw DatabaseError.busy
    }
}
