/// A store of rows. Both engines, SQLite and PostgreSQL, take the same SQL text and pass the same tests. They are modules of their own,
/// `SQLiteEngine` and `PostgresEngine`; only programs and tests import them.
///
/// No requirement has a default. A type that wraps another database conforms to `DatabaseDecorator`.
package protocol Database: Sendable {
    /// Runs `body` in a read-only snapshot, on a thread where it may block.
    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T

    /// What `element` makes of each row of one statement, which is a snapshot by itself and needs no transaction around it.
    func list<Element: Sendable>(
        _ sql: SQL, _ element: @escaping @Sendable (inout RowReader) throws -> Element
    ) async throws -> [Element]

    /// Where reads run, when that is on threads tasks can prefer: a task that does changes no thread for a read. `nil` where the engine
    /// has its own way.
    var threads: (any WorkThreads)? { get }

    /// Runs `body` in a transaction and answers once it is durable. The closure **may run twice** (its first run undone),
    /// so it touches nothing but the transaction; it does no other I/O and publishes nothing. What it throws undoes
    /// what it did, and is thrown to the caller. An error is never caught inside the closure: PostgreSQL's transaction is dead by then.
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T

    /// Applies what is missing of `migrations`, in their order, each in a transaction of its own.
    ///
    /// - Parameter migrations: **all** of the program's, in one call: one that has run here and is not among them was written by a
    ///   newer program, and is refused. A new one may stand before some that have run.
    /// - Throws: `DatabaseError.migrationChanged`, `.migrationUnknown`, both before anything runs.
    func migrate(_ migrations: [Migration]) async throws

    /// Listeners for what writes wake, here and on other nodes.
    var wakes: Wakes { get }

    /// Leaves nothing of what was deleted in the engine's own files, as far as it can: what an index of words still has of rows that are
    /// gone, what lies in pages beside the rows, and the log. Costs time in proportion to the database, in which writes may wait.
    func scrub(_ tables: [TokenTable]) async throws

    /// How the engine would run `sql`: a line a step. For tests that insist on an index.
    func plan(_ sql: SQL) async throws -> [String]

    /// Waits for what is running, then closes. Later calls throw `DatabaseError.closed`.
    func close() async throws
}

/// Threads that work, one job after another.
package protocol WorkThreads: TaskExecutor {
    /// Jobs that wait for one of them.
    var backlog: Int { get }
}

/// One step of a room's schema. Append-only: what has run anywhere is never edited.
package struct Migration: Sendable {
    /// `room/NNN-what`, for example `media/001-media`.
    package let name: String
    /// One statement each, in the subset both engines share: BIGINT, SMALLINT, DOUBLE PRECISION, TEXT and BYTEA, `COLLATE "C"`,
    /// and every CHECK by name (`CONSTRAINT thing_stars CHECK (…)`), which is what its violation is known by.
    package let statements: [String]
    /// The same for each engine alone, after `statements`, where they have no text in common. Empty for most.
    package let sqlite: [String]
    package let postgres: [String]

    package init(_ name: String, _ statements: [String]) { self.init(name, statements, sqlite: [], postgres: []) }

    /// For what the engines do each in their own way, for example full text.
    package init(_ name: String, _ statements: [String] = [], sqlite: [String], postgres: [String]) {
        self.name = name
        self.statements = statements
        self.sqlite = sqlite
        self.postgres = postgres
    }
}

package enum DatabaseError: Error, Sendable, Equatable {
    /// A UNIQUE or primary key would have been broken. `constraint` as the engine names it (SQLite: `table.column, table.column`).
    case uniqueViolation(constraint: String)
    case foreignKeyViolation
    case checkViolation(constraint: String)
    /// No room left where the database lives.
    case full
    /// Somebody else held the database, or the row, longer than the timeout, or too many callers wait. Nothing was written.
    case busy
    /// The database could not be reached, or was lost before COMMIT was sent. Nothing was written.
    case unavailable(String)
    /// The connection was lost between COMMIT and its answer: what was written may be there or not. Whoever staged something for
    /// it leaves it to the sweep, and asks the rows.
    case unclear
    /// `name` has already run here with another text, so this program and this database do not belong together.
    case migrationChanged(name: String)
    /// The database has a migration this program does not know: it was written by a newer one.
    case migrationUnknown(name: String)
    /// A protection did not take hold: what was asked and what the engine answered.
    case notDurable(String)
    /// A column is missing, null or of another kind than the code reads it as.
    case column(String)
    case closed
    /// Any other failure: the engine's code and its words, never the bound values.
    case engine(code: Int, message: String)
}
