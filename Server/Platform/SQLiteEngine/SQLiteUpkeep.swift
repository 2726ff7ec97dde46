internal import CPageClearing
internal import Database
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import enum Database.DatabaseError

/// What is done to the files themselves, on a connection of its own: the writer goes on meanwhile.
final class SQLiteUpkeep: Sendable {
    /// Pages read while checkpoints are held off: 2 MB, some milliseconds.
    private static let sweptPages: CInt = 512

    /// How long the writer waits for another process; set again after it was made shorter.
    let busyTimeout: Duration
    private let clearsPages: Bool
    private let open: @Sendable () throws -> DatabaseQueue
    /// Whether the file was swept since it was opened. From then on every page is cleared when it is written.
    private let isSwept = Mutex(false)

    init(path: String, _ configuration: Configuration, _ options: SQLiteDatabase.Options) {
        busyTimeout = options.busyTimeout
        clearsPages = options.clearsPages
        var configuration = configuration
        configuration.readonly = false
        open = { [configuration] in try DatabaseQueue(path: path, configuration: configuration) }
    }

    /// Copies the log into the file as far as readers allow, while others read and write.
    func copyLog() async throws {
        try await withConnection { connection in
            try connection.execute(sql: "PRAGMA synchronous = FULL")
            _ = try GRDB.Row.fetchOne(connection, sql: "PRAGMA wal_checkpoint(PASSIVE)")
        }
    }

    /// Clears pages that were written before this program cleared them on their way, or by another one. Reads all of the file, once
    /// after each start of the program.
    func sweep() async throws {
        guard clearsPages, !isSwept.withLock({ $0 }) else { return }
        var step = clearing_step(page: 0, count: Self.sweptPages, cleared: 0)
        while step.page >= 0 {
            try Task.checkCancellation()
            step = try await withConnection { [step] connection in
                var next = clearing_step(page: step.page, count: Self.sweptPages, cleared: 0)
                var code = clearing_sweep(connection.sqliteConnection, &next)
                // A checkpoint is running: again in a moment, from where it stopped.
                if code == SQLITE_BUSY { return next }
                // At once: a commit would wait for all that was written since.
                if code == SQLITE_OK, next.cleared > 0 { code = clearing_sync(connection.sqliteConnection) }
                guard code == SQLITE_OK else { throw DatabaseError(code: code, message: nil, trusted: true) }
                return next
            }
            // Leaves the disk, and the lock that checkpoints need, to others.
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
                    // Opens the log.
                    _ = try Int.fetchOne(connection, sql: "SELECT COUNT(*) FROM sqlite_schema")
                    return try body(connection)
                }
            }
        }
    }
}
