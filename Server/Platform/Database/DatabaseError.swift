/// The errors of both engines.
package enum DatabaseError: Error, Sendable, Equatable {
    /// The statement would violate a UNIQUE or primary key. `constraint` is the engine's name for it (SQLite: `table.column,
    /// table.column`).
    case uniqueViolation(constraint: String)
    case foreignKeyViolation
    case checkViolation(constraint: String)
    /// The disk of the database is full.
    case full
    /// Another transaction held the database or the row longer than the timeout, or too many callers wait. Nothing was written.
    case busy
    /// The database could not be reached, or the connection was lost before COMMIT was sent. Nothing was written.
    case unavailable(String)
    /// The database was not opened, because its address is wrong: no name server knows the host, or the server refuses the user, the
    /// password or the name of the database. The text is for the operator.
    case wrongAddress(String)
    /// The connection was lost between COMMIT and its response: the write may or may not have happened. A caller that staged a file for it
    /// leaves the file to the sweep and reads the rows to find out.
    case unclear
    /// The migration `name` has already run here with another text, so this program does not match this database.
    case migrationChanged(name: String)
    /// The database has a migration that this program does not know, although it is not of a later release: another build of the same
    /// release wrote it.
    case migrationUnknown(name: String)
    /// The database has migrations of release `schema`, which is more than one release after that of the program.
    case schemaTooNew(schema: Int, program: Int)
    /// A durability setting did not take effect. The text contains its name, the value that the engine reports, and the required value.
    case notDurable(String)
    /// No SQLite database can be created at this path. The reason is one phrase for the operator.
    case cannotCreate(path: String, reason: String)
    /// A column is missing, null or of another type than the code expects.
    case column(String)
    case closed
    /// A bound text contains U+0000, which neither engine stores. Nothing was written.
    case nulInText
    /// Any other failure: the engine's code and message, never the bound values.
    case engine(code: Int, message: String)
}
