internal import CPageClearing
internal import Database
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import enum Database.DatabaseError

/// Maintenance of the database files, on separate connections, so that the writer is not blocked.
final class SQLiteUpkeep: Sendable {
    /// Number of pages read while checkpoints are blocked: 2 MB, some milliseconds.
    private static let sweptPages: CInt = 512

    /// The writer's busy timeout, restored after a scrub shortened it.
    let busyTimeout: Duration
    let reserve: LogReserve?
    private let clearsPages: Bool
    private let open: @Sendable () throws -> DatabaseQueue
    /// Whether the file was swept since it was opened. After that, every page is cleared when it is written.
    private let isSwept = Mutex(false)

    init(path: String, _ configuration: Configuration, _ options: SQLiteDatabase.Options) {
        busyTimeout = options.busyTimeout
        reserve = options.reservesLog ? LogReserve(path: path + "-wal", report: options.reportLogReserve) : nil
        clearsPages = options.clearsPages
        var configuration = configuration
        configuration.readonly = false
        open = { [configuration] in try DatabaseQueue(path: path, configuration: configuration) }
    }

    /// Copies the log into the file as far as readers allow, without blocking reads and writes.
    func copyLog() async throws {
        try await withConnection { connection in
            try connection.execute(sql: "PRAGMA synchronous = FULL")
            _ = try GRDB.Row.fetchOne(connection, sql: "PRAGMA wal_checkpoint(PASSIVE)")
        }
    }

    /// See `FTS5Structure`.
    func removeEmptyLevels() async throws {
        try await withConnection { connection in
            try connection.execute(sql: "PRAGMA synchronous = FULL")
            try FTS5Structure.removeEmptyLevels(connection)
        }
    }

    /// Clears pages that another program or an older version wrote, which did not clear them while writing. Reads the whole file, once
    /// after each start of the program.
    func sweep() async throws {
        guard clearsPages, !isSwept.withLock({ $0 }) else { return }
        var step = clearing_step(page: 0, count: Self.sweptPages, cleared: 0)
        while step.page >= 0 {
            try Task.checkCancellation()
            step = try await withConnection { [step] connection in
                var next = clearing_step(page: step.page, count: Self.sweptPages, cleared: 0)
                var code = clearing_sweep(connection.sqliteConnection, &next)
                // A checkpoint is running: try again shortly, from where this step stopped.
                if code == SQLITE_BUSY { return next }
                // Sync now: otherwise a commit would have to wait for all of these pages.
                if code == SQLITE_OK, next.cleared > 0 { code = clearing_sync(connection.sqliteConnection) }
                guard code == SQLITE_OK else { throw DatabaseError(code: code, message: nil, trusted: true) }
                return next
            }
            // Lets others use the disk and the lock that checkpoints need.
            try await Task.sleep(for: .milliseconds(2))
        }
        isSwept.withLock { $0 = true }
    }

    private func withConnection<T: Sendable>(_ body: @escaping @Sendable (GRDB.Database) throws -> T) async throws -> T {
        try await blocking { [open] in
            try mappingEngineErrors {
                let queue = try open()
                defer { try? queue.close() }
                return try queue.writeWithoutTransaction { connection in
                    // A read makes SQLite open the log, which `clearing_sweep` requires.
                    _ = try Int.fetchOne(connection, sql: "SELECT COUNT(*) FROM sqlite_schema")
                    return try body(connection)
                }
            }
        }
    }
}
