package import Core

/// A relational database. Both engines, SQLite and PostgreSQL, take the same SQL text and pass the same tests. They are separate modules,
/// `SQLiteEngine` and `PostgresEngine`; only programs and tests import them.
///
/// No requirement has a default implementation. A type that wraps another database conforms to `DatabaseDecorator`.
package protocol Database: Sendable {
    /// Runs `body` in a read-only snapshot, on a thread where it may block.
    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T

    /// Runs one statement and returns `element`'s result for each row. One statement is a snapshot by itself and needs no transaction.
    func list<Element: Sendable>(
        _ sql: SQL, _ element: @escaping @Sendable (inout RowReader) throws -> Element
    ) async throws -> [Element]

    /// The threads that reads run on, if a task can prefer them. A task that prefers them does not switch threads for a read. `nil` where
    /// the database schedules reads in another way.
    var threads: (any WorkThreads)? { get }

    /// Runs `body` in a transaction and returns once it is durable. The closure **may run twice**; its first run is then rolled back. So it
    /// uses nothing but the transaction, does no other I/O and publishes nothing. An error that it throws rolls the transaction back and is
    /// rethrown to the caller. Do not catch a statement's error inside the closure: PostgreSQL runs no further statement after it.
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T

    /// Runs one statement in a transaction of its own, and returns once it is durable. On PostgreSQL this costs one round trip, where
    /// `write` costs two. Throws as `write` does.
    /// - Returns: how many rows the statement changed.
    @discardableResult
    func run(_ sql: SQL) async throws -> Int

    /// Applies the `migrations` that have not run yet, in their order, each in its own transaction.
    ///
    /// - Parameters:
    ///   - migrations: **all** of the program's migrations, in one call. A new migration may precede some that have already run.
    ///   - release: the program's release. If the database contains migrations of the next release, nothing runs and the call succeeds:
    ///     a migration never takes away what the release before it uses.
    /// - Throws: `DatabaseError.migrationChanged`, `.migrationUnknown` and `.schemaTooNew`, all before any migration runs.
    func migrate(_ migrations: [Migration], release: Int) async throws

    /// Delivers the wakes of committed writes to listeners, from this node and from others.
    var wakes: Wakes { get }

    /// Removes deleted data from the engine's files, as far as the engine can: from full-text indexes, from unused parts of pages, and from
    /// the log. Takes time in proportion to the size of the database; writes may have to wait meanwhile.
    func scrub(_ tables: [TokenTable]) async throws

    /// Frees memory that earlier calls needed and later ones do not, such as buffers that a long value has made large.
    func releaseMemory() async

    /// The tables in the engine's catalogue, sorted by name; without the engine's own, such as those of a full-text index.
    /// - Throws: `DatabaseError.column` when a column's type is not one that both engines share, or its table has no primary key.
    func tables() async throws -> [StoredTable]

    /// The engine's query plan for `sql`, one line a step. For tests that require an index.
    func plan(_ sql: SQL) async throws -> [String]

    /// Waits for running calls, then closes. Later calls throw `DatabaseError.closed`.
    func close() async throws
}

extension Database {
    /// Applies `migrations` for a program whose release is that of its newest migration.
    package func migrate(_ migrations: [Migration]) async throws {
        try await migrate(migrations, release: migrations.map(\.release).max() ?? 1)
    }

    /// Runs one statement, like `list`, and returns `element`'s result for the first row; `nil` when there is none.
    package func first<Element: Sendable>(
        _ sql: SQL, _ element: @escaping @Sendable (inout RowReader) throws -> Element
    ) async throws -> Element? {
        try await list(sql, element).first
    }
}

/// Threads that run jobs, each one job at a time.
package protocol WorkThreads: TaskExecutor {
    /// Number of jobs that wait for a thread.
    var backlog: Int { get }
    /// An executor on these threads for a task that works on somebody's behalf: accounts and networks take turns.
    /// - Parameter source: supplies the task's requester; it is asked whenever a job of the task is enqueued.
    func executor(for source: any RequesterSource) -> any TaskExecutor
}
