internal import Core
package import Database
internal import GRDB

// GRDB has types of the same names; an import of one declaration takes precedence.
package import protocol Database.Database
package import enum Database.DatabaseError
package import struct Database.SQL

/// One SQLite file: many readers, each in its snapshot, and one writer that commits for many callers at once (`GroupCommit`).
///
/// A cancelled task stops its own read; its write is withdrawn when it has not started, and otherwise runs to its end.
package final class SQLiteDatabase: Database {
    let pool: DatabasePool
    private let readers: SQLiteReaders
    private let readThreads: ReadThreads
    private let commits: GroupCommit
    private let migrator: Migrator
    let usage = Usage()
    let upkeep: SQLiteUpkeep
    package let wakes = Wakes()

    init(
        _ pool: DatabasePool, _ readers: SQLiteReaders, _ threads: ReadThreads, _ limits: GroupCommit.Limits, _ upkeep: SQLiteUpkeep,
        clock: WallClock
    ) {
        self.pool = pool
        self.upkeep = upkeep
        self.readers = readers
        readThreads = threads
        commits = GroupCommit(pool, limits, wakes: wakes)
        // SQLite compares text by its bytes unless told otherwise, and calls that BINARY.
        migrator = Migrator(clock: clock) { migration in
            (migration.statements + migration.sqlite).map { $0.replacing(#"COLLATE "C""#, with: "COLLATE BINARY") }
        }
    }

    package var threads: (any WorkThreads)? { readThreads }

    package func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        try await reading { try body(ReadTransaction($0)) }
    }

    package func list<Element: Sendable>(
        _ sql: SQL, _ element: @escaping @Sendable (inout RowReader) throws -> Element
    ) async throws -> [Element] {
        try await reading(isOneStatement: true) { try ReadTransaction($0).list(sql, element) }
    }

    /// - Throws: `DatabaseError.busy` at once when 4,096 callers are waiting already.
    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        try await usage.run { try await commits.write(body) }
    }

    package func migrate(_ migrations: [Migration]) async throws {
        try await migrator.migrate(self, migrations)
    }

    package func plan(_ sql: SQL) async throws -> [String] {
        try await read { tx in try tx.rows("EXPLAIN QUERY PLAN \(sql: sql)").map { try $0.get("detail") } }
    }

    /// The engine's work for a query: steps of SQLite's virtual machine, which do not depend on the machine or its load.
    package func work(_ sql: SQL) async throws -> Int {
        try await reading { try $0.work(sql) }
    }

    /// The pages a query looks at, found in memory or not: for what SQLite does outside its virtual machine, full text above all.
    package func pages(_ sql: SQL) async throws -> Int {
        try await reading { try $0.pages(sql) }
    }

    /// Since the database was opened.
    package var statistics: WriteStatistics { commits.statistics }

    /// Writes that wait for their turn, 0...4,096.
    package var waiting: Int { commits.waiting }

    package func close() async throws {
        guard await usage.close() else { return }
        try await blocking { [pool, readers, commits] in
            try mappingEngineErrors { try readers.close() }
            commits.forgetStatements()
            // Only a courtesy, which shortens the next start: what is in the WAL is as safe as what is not.
            try? pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            try mappingEngineErrors { try pool.close() }
        }
    }

    private func reading<T: Sendable>(
        isOneStatement: Bool = false, _ body: @escaping @Sendable (SQLiteTransaction) throws -> T
    ) async throws -> T {
        let stop = ReadStop()
        try usage.enter()
        defer { usage.leave() }
        do {
            return try await withTaskCancellationHandler {
                // Requests are there already, and go on without being asked where they would rather be.
                if readThreads.isCurrent { return try read(stop, isOneStatement, body) }
                return try await withTaskExecutorPreference(readThreads) { try read(stop, isOneStatement, body) }
            } onCancel: {
                stop.want()
            }
        } catch let error as GRDB.DatabaseError {
            throw DatabaseError(code: error.extendedResultCode.rawValue, message: error.message, trusted: true)
        }
    }

    /// On a thread that reads.
    private func read<T>(_ stop: ReadStop, _ isOneStatement: Bool, _ body: (SQLiteTransaction) throws -> T) throws -> T {
        try readers.read(isOneStatement: isOneStatement) { connection, statements in
            try stop.watching(connection) {
                try body(SQLiteTransaction(connection, statements, stop: stop, needsTransaction: !isOneStatement))
            }
        }
    }
}
