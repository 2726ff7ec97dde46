internal import Core
package import Database
internal import GRDB

// GRDB has types of the same names; an import of one declaration takes precedence.
package import protocol Database.Database
package import enum Database.DatabaseError
package import struct Database.SQL

/// One SQLite file: many readers, each with its own snapshot, and one writer that commits the writes of many callers together
/// (`GroupCommit`).
///
/// Cancelling a task stops its read. It withdraws a write that has not started; a write that has started runs to its end. A read of about a
/// second or more fails with `DatabaseError.busy` if the log is very long and cannot start over because of the read (`LogCopying`).
package final class SQLiteDatabase: Database {
    let pool: DatabasePool
    private let readers: SQLiteReaders
    private let readThreads: DatabaseThreads
    private let commits: GroupCommit
    private let migrator: Migrator
    let usage: Usage
    let upkeep: SQLiteUpkeep
    package let wakes = Wakes()

    init(
        _ pool: DatabasePool, _ readers: SQLiteReaders, _ threads: DatabaseThreads, _ limits: GroupCommit.Limits, _ upkeep: SQLiteUpkeep,
        _ log: LogCopying, _ usage: Usage, clock: WallClock
    ) {
        self.pool = pool
        self.upkeep = upkeep
        self.usage = usage
        self.readers = readers
        readThreads = threads
        commits = GroupCommit(pool, log, limits, wakes: wakes)
        // SQLite's name for comparing text by bytes is BINARY.
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

    @discardableResult
    package func run(_ sql: SQL) async throws -> Int {
        try await write { tx in try tx.run(sql) }
    }

    /// - Throws: `DatabaseError.busy` at once when 4,096 callers are waiting already.
    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        try await usage.run { try await commits.write(body) }
    }

    package func migrate(_ migrations: [Migration], release: Int) async throws {
        try await migrator.migrate(self, migrations, release: release)
    }

    /// Does nothing: each connection's cache has a fixed limit.
    package func releaseMemory() async {}

    package func plan(_ sql: SQL) async throws -> [String] {
        try await read { tx in try tx.rows("EXPLAIN QUERY PLAN \(sql: sql)").map { try $0.get("detail") } }
    }

    /// The cost of a query in steps of SQLite's virtual machine, which do not depend on the computer or its load.
    package func work(_ sql: SQL) async throws -> Int {
        try await reading { try $0.work(sql) }
    }

    /// The number of pages a query reads, cached or not. It covers work outside of the virtual machine, above all full-text search.
    package func pages(_ sql: SQL) async throws -> Int {
        try await reading { try $0.pages(sql) }
    }

    /// Counts since the database was opened.
    package var statistics: WriteStatistics { commits.statistics }

    /// Number of waiting writes, 0...4,096.
    package var waiting: Int { commits.waiting }

    package func close() async throws {
        guard await usage.close() else { return }
        try await blocking { [pool, readers, commits] in
            try mappingEngineErrors { try readers.close() }
            commits.forgetStatements()
            // This checkpoint is optional: it shortens the next start. Commits in the log are already durable. The log is not truncated
            // here, because a server may use it beside this process and has reserved its space. The last process that closes the database
            // deletes the log.
            try? pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
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
                // Request handlers already run on these threads and need no executor switch.
                if readThreads.isCurrent { return try read(stop, isOneStatement, body) }
                return try await withTaskExecutorPreference(readThreads.currentExecutor) { try read(stop, isOneStatement, body) }
            } onCancel: {
                stop.cancel()
            }
        } catch let error as GRDB.DatabaseError {
            throw DatabaseError(code: error.extendedResultCode.rawValue, message: error.message, trusted: true)
        }
    }

    /// Called on a reading thread.
    private func read<T>(_ stop: ReadStop, _ isOneStatement: Bool, _ body: (SQLiteTransaction) throws -> T) throws -> T {
        try readers.read(stop, isOneStatement: isOneStatement) { connection, statements in
            try stop.watching(connection) {
                try body(SQLiteTransaction(connection, statements, stop: stop, needsTransaction: !isOneStatement))
            }
        }
    }
}
