internal import Database
internal import GRDB
internal import GRDBSQLite

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import enum Database.DatabaseError

// Swift does not import these C macros: SQLITE_CONSTRAINT with a number in the second byte (rescode.html).
private let brokenCheck = SQLITE_CONSTRAINT | 1 << 8
private let brokenForeignKey = SQLITE_CONSTRAINT | 3 << 8
private let brokenPrimaryKey = SQLITE_CONSTRAINT | 6 << 8
private let brokenUnique = SQLITE_CONSTRAINT | 8 << 8
private let brokenRowID = SQLITE_CONSTRAINT | 10 << 8
private let failedIndexGrowth = SQLITE_IOERR | 19 << 8

extension DatabaseError {
    /// Maps an SQLite result code.
    ///
    /// - Parameter trusted: whether SQLite's message contains only names of the schema. It may contain values when a statement with bound
    ///   values fails while it runs: full-text search, for example, quotes its query.
    init(code: CInt, message: String?, trusted: Bool) {
        let words = String(cString: sqlite3_errstr(code))
        switch (code, code & 0xFF) {
        case (brokenUnique, _), (brokenPrimaryKey, _), (brokenRowID, _):
            self = .uniqueViolation(constraint: Self.subject(message ?? words))
        case (brokenForeignKey, _):
            self = .foreignKeyViolation
        case (brokenCheck, _):
            self = .checkViolation(constraint: Self.subject(message ?? words))
        // IOERR_SHMSIZE: SQLite could not write the file that indexes its log. It reports a full disk as FULL when other writes fail, but not
        // for this file, which the first connection creates. Other I/O errors have many causes.
        case (_, SQLITE_FULL), (failedIndexGrowth, _):
            self = .full
        // PROTOCOL: SQLite failed for ten seconds to get the log's locks.
        case (_, SQLITE_BUSY), (_, SQLITE_PROTOCOL):
            self = .busy
        case (_, SQLITE_CONSTRAINT):
            self = .engine(code: Int(code), message: message ?? words)
        default:
            self = .engine(code: Int(code), message: trusted ? message ?? words : words)
        }
    }

    /// The error of a database that cannot be opened, with the file's path: SQLite's own message names no file.
    static func cannotOpen(_ path: String, code: Int, message: String) -> DatabaseError {
        let meaning =
            switch CInt(truncatingIfNeeded: code) & 0xFF {
            case SQLITE_NOTADB: "is no SQLite database; correct the path, or restore a backup"
            case SQLITE_CORRUPT: "is damaged; restore a backup"
            case SQLITE_READONLY: "cannot be written; check its permissions and its disk"
            case SQLITE_IOERR: "cannot be read or written; check its disk"
            default: "cannot be opened; check its permissions and its disk"
            }
        return .engine(code: code, message: "\(path) \(meaning) (\(message))")
    }

    /// `UNIQUE constraint failed: user.email` → `user.email`.
    private static func subject(_ message: String) -> String {
        guard let colon = message.firstRange(of: ": ") else { return message }
        return String(message[colon.upperBound...])
    }
}

/// Runs `body`. Converts GRDB's errors to `DatabaseError` and rethrows all others unchanged.
func mappingEngineErrors<T>(_ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch let error as GRDB.DatabaseError {
        throw DatabaseError(code: error.extendedResultCode.rawValue, message: error.message, trusted: true)
    }
}
