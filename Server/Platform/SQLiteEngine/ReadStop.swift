internal import Database
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import enum Database.DatabaseError

/// Stops one read when its task is cancelled, or when its snapshot has kept the log from starting over for too long.
///
/// `sqlite3_interrupt`, which GRDB calls, has no effect if it is called just before a statement starts; an endless query would then never
/// stop. So this type uses a progress handler, which checks repeatedly.
final class ReadStop: Sendable {
    private let isCancelled = Atomic(false)
    private let keepsLog = Atomic(false)

    /// Why the read must end; `nil` when it may continue. `DatabaseError.busy` asks the client to try again.
    var error: (any Error)? {
        if isCancelled.load(ordering: .acquiring) { return CancellationError() }
        if keepsLog.load(ordering: .acquiring) { return DatabaseError.busy }
        return nil
    }

    func cancel() { isCancelled.store(true, ordering: .releasing) }

    /// Call it for a read whose snapshot keeps the log from starting over.
    func freeLog() { keepsLog.store(true, ordering: .releasing) }

    /// Runs `body`. When there is an `error`, its statements fail with SQLITE_INTERRUPT within 1,000 steps of SQLite's virtual machine. This
    /// takes some microseconds, or about 40 ms while FTS5 collects the postings of a prefix.
    func watching<T>(_ connection: GRDB.Database, _ body: () throws -> T) rethrows -> T {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            connection.sqliteConnection, 1_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<ReadStop>.fromOpaque(context).takeUnretainedValue().error == nil ? 0 : 1
            }, context)
        // Later reads reuse the connection, and this object does not live that long.
        defer { sqlite3_progress_handler(connection.sqliteConnection, 0, nil, nil) }
        return try withExtendedLifetime(self) { try body() }
    }
}
