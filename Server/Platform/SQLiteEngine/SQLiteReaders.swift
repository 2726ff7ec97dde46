internal import Database
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import NIOConcurrencyHelpers
internal import Synchronization

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import enum Database.DatabaseError
internal import struct Database.SQL

/// Read-only connections, one for each of `DatabaseThreads`, opened when first needed.
final class SQLiteReaders: Sendable {
    /// @unchecked: only the thread that took it from `free` uses it.
    private final class Reader: @unchecked Sendable {
        let queue: DatabaseQueue
        let statements = SQLiteStatements()

        init(_ queue: DatabaseQueue) { self.queue = queue }
    }

    private let free = NIOLockedValueBox<[Reader]>([])
    private let make: @Sendable () throws -> DatabaseQueue
    private let isHolding = Atomic(false)
    private let runningCount = Atomic(0)

    /// How long `holding` waits for reads that run, and the most time that a new read waits until `holding` ends.
    private static let mostHeld = Duration.seconds(1)

    init(path: String, _ configuration: Configuration) {
        var configuration = configuration
        configuration.readonly = true
        make = { [configuration] in try DatabaseQueue(path: path, configuration: configuration) }
    }

    /// Runs `body` in one snapshot, on the current thread.
    /// - Parameter isOneStatement: `body` runs one statement only, which SQLite runs in a snapshot by itself.
    func read<T>(isOneStatement: Bool, _ body: (GRDB.Database, SQLiteStatements) throws -> T) throws -> T {
        Self.wait { self.isHolding.load(ordering: .relaxed) }
        runningCount.add(1, ordering: .relaxed)
        defer { runningCount.subtract(1, ordering: .relaxed) }
        let reader = try free.withLockedValue { $0.popLast() } ?? Reader(make())
        defer { free.withLockedValue { $0.append(reader) } }
        // GRDB's `read` would set and unset two pragmas and prepare two statements on every call.
        return try reader.queue.unsafeRead { connection in
            if isOneStatement { return try body(connection, reader.statements) }
            try Self.step("BEGIN DEFERRED TRANSACTION", connection, reader.statements)
            defer {
                // Fails only if SQLite has already rolled back.
                if connection.isInsideTransaction { try? Self.step("ROLLBACK", connection, reader.statements) }
            }
            return try body(connection, reader.statements)
        }
    }

    /// Runs `body` while no read runs, if those that run end within a second. New reads wait meanwhile.
    func holding<T>(_ body: () throws -> T) rethrows -> T {
        isHolding.store(true, ordering: .relaxed)
        defer { isHolding.store(false, ordering: .relaxed) }
        Self.wait { self.runningCount.load(ordering: .relaxed) > 0 }
        return try body()
    }

    private static func wait(while holds: () -> Bool) {
        guard holds() else { return }
        let end = ContinuousClock.now + mostHeld
        while holds(), .now < end { usleep(1_000) }
    }

    /// No read may be running.
    func close() throws {
        for reader in free.withLockedValue({ $0 }) {
            reader.statements.forget()
            try reader.queue.close()
        }
    }

    private static func step(_ sql: SQL, _ connection: GRDB.Database, _ statements: SQLiteStatements) throws {
        let statement = try statements.statement(for: sql, on: connection)
        defer { sqlite3_reset(statement.sqliteStatement) }
        let code = sqlite3_step(statement.sqliteStatement)
        guard code == SQLITE_DONE else { throw DatabaseError(code: code, message: connection.lastErrorMessage, trusted: true) }
    }
}
