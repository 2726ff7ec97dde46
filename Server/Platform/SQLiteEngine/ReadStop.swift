internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Stops one read when its task is cancelled.
///
/// `sqlite3_interrupt`, which GRDB calls, has no effect if it is called just before a statement starts; an endless query would then never
/// stop. A progress handler checks repeatedly instead.
final class ReadStop: Sendable {
    private let wanted = Atomic(false)

    var isWanted: Bool { wanted.load(ordering: .acquiring) }

    func want() { wanted.store(true, ordering: .releasing) }

    /// Runs `body`. After `want`, its statements fail with SQLITE_INTERRUPT within 1,000 steps of SQLite's virtual machine, which is some
    /// microseconds.
    func watching<T>(_ connection: GRDB.Database, _ body: () throws -> T) rethrows -> T {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            connection.sqliteConnection, 1_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<ReadStop>.fromOpaque(context).takeUnretainedValue().isWanted ? 1 : 0
            }, context)
        // Later reads reuse the connection, and this object does not live that long.
        defer { sqlite3_progress_handler(connection.sqliteConnection, 0, nil, nil) }
        return try withExtendedLifetime(self) { try body() }
    }
}
