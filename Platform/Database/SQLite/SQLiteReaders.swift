internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Connections that only read, one for each of the threads that do (`ReadThreads`), opened when first needed.
final class SQLiteReaders: Sendable {
    private let free = Mutex<[DatabaseQueue]>([])
    private let make: @Sendable () throws -> DatabaseQueue

    init(path: String, _ configuration: Configuration) {
        var configuration = configuration
        configuration.readonly = true
        make = { [configuration] in try DatabaseQueue(path: path, configuration: configuration) }
    }

    /// Runs `body` in one snapshot, here.
    func read<T>(_ body: (GRDB.Database) throws -> T) throws -> T {
        let reader = try free.withLock { $0.popLast() } ?? make()
        defer { free.withLock { $0.append(reader) } }
        // GRDB's `read` would set and unset two pragmas and prepare two statements each time.
        return try reader.unsafeRead { connection in
            try Self.step("BEGIN DEFERRED TRANSACTION", connection)
            defer {
                // Fails only where SQLite has rolled back by itself.
                if connection.isInsideTransaction { try? Self.step("ROLLBACK", connection) }
            }
            return try body(connection)
        }
    }

    /// Nothing reads any more.
    func close() throws {
        for reader in free.withLock({ $0 }) { try reader.close() }
    }

    private static func step(_ sql: String, _ connection: GRDB.Database) throws {
        let statement = try connection.cachedStatement(sql: sql)
        defer { sqlite3_reset(statement.sqliteStatement) }
        let code = sqlite3_step(statement.sqliteStatement)
        guard code == SQLITE_DONE else { throw DatabaseError(code: code, message: connection.lastErrorMessage, trusted: true) }
    }
}
