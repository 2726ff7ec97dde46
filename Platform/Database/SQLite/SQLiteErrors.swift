internal import GRDB
internal import GRDBSQLite

extension DatabaseError {
    /// What SQLite said, in our words.
    ///
    /// - Parameter trusted: the engine's text is made of the schema's names only. It is not when a statement with bound values
    ///   failed while it ran: full-text search, for one, quotes what it was asked.
    init(_ error: GRDB.DatabaseError, trusted: Bool) {
        let code = error.extendedResultCode
        let named = error.message.map(Self.subject) ?? ""
        switch code {
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID:
            self = .uniqueViolation(constraint: named)
        case .SQLITE_CONSTRAINT_FOREIGNKEY:
            self = .foreignKeyViolation
        case .SQLITE_CONSTRAINT_CHECK:
            self = .checkViolation(constraint: named)
        default:
            switch code.primaryResultCode {
            case .SQLITE_FULL: self = .full
            // PROTOCOL: SQLite gave up after ten seconds of losing the race for the log's locks.
            case .SQLITE_BUSY, .SQLITE_PROTOCOL: self = .busy
            case .SQLITE_CONSTRAINT:
                self = .engine(code: Int(code.rawValue), message: error.message ?? code.words)
            default:
                self = .engine(code: Int(code.rawValue), message: trusted ? error.message ?? code.words : code.words)
            }
        }
    }

    /// `UNIQUE constraint failed: user.email` → `user.email`.
    private static func subject(_ message: String) -> String {
        guard let colon = message.firstRange(of: ": ") else { return message }
        return String(message[colon.upperBound...])
    }
}

extension ResultCode {
    /// SQLite's constant text for the code.
    fileprivate var words: String { String(cString: sqlite3_errstr(rawValue)) }
}

/// Runs `body`; what GRDB throws leaves as a `DatabaseError`, everything else as it is.
func mappingEngineErrors<T>(trusted: Bool = true, _ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch let error as GRDB.DatabaseError {
        throw DatabaseError(error, trusted: trusted)
    }
}
