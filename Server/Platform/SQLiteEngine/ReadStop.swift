internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Ends one read when its task is cancelled, whenever that is.
///
/// `sqlite3_interrupt`, which GRDB calls, is lost when it comes just before a statement starts, and an endless query then is just
/// that. A progress handler asks again and again.
final class ReadStop: Sendable {
    private let wanted = Atomic(false)

    var isWanted: Bool { wanted.load(ordering: .acquiring) }

    func want() { wanted.store(true, ordering: .releasing) }

    /// Runs `body`, whose statements fail with SQLITE_INTERRUPT within 1,000 steps of SQLite's machine, some microseconds, after
    /// `want`.
    func watching<T>(_ connection: GRDB.Database, _ body: () throws -> T) rethrows -> T {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            connection.sqliteConnection, 1_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<ReadStop>.fromOpaque(context).takeUnretainedValue().isWanted ? 1 : 0
            }, context)
        // The connection goes on to serve others; this object does not live as long.
        defer { sqlite3_progress_handler(connection.sqliteConnection, 0, nil, nil) }
        return try withExtendedLifetime(self) { try body() }
    }
}
