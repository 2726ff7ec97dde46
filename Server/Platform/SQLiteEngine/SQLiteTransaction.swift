internal import Database
internal import GRDB
internal import GRDBSQLite

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import enum Database.DatabaseError
internal import struct Database.Row
internal import struct Database.SQL

/// Runs the statements of one transaction on one connection. Lives as long as the closure it was created for.
///
/// GRDB prepares the statements; `SQLiteStatements` caches them, and this type binds and steps them. GRDB's arguments and rows cost more
/// than SQLite's own work, and their purpose, observation, is not needed here.
final class SQLiteTransaction: TransactionEngine {
    private let connection: GRDB.Database
    private let statements: SQLiteStatements
    /// Stops a read, between statements and within one. `nil` for a write, which is never stopped.
    private let stop: ReadStop?
    private let needsTransaction: Bool
    private let hasOthers: () -> Bool
    /// The first error that a statement threw. After it, no further statement runs, even if the closure catches the error: PostgreSQL would
    /// not run one either, and SQLite may have rolled everything back, so that the next statement would commit on its own.
    private(set) var failure: (any Error)?

    /// - Parameter hasOthers: whether other requesters use the writer too.
    init(
        _ connection: GRDB.Database, _ statements: SQLiteStatements, stop: ReadStop? = nil, needsTransaction: Bool = true,
        hasOthers: @escaping () -> Bool = { false }
    ) {
        self.connection = connection
        self.statements = statements
        self.stop = stop
        self.needsTransaction = needsTransaction
        self.hasOthers = hasOthers
    }

    func run(_ sql: SQL) throws -> Int {
        try guarded {
            let before = connection.totalChangesCount
            try step(sql) { _ in }
            // changesCount still holds an earlier statement's result if this one was not INSERT, UPDATE or DELETE.
            return connection.totalChangesCount == before ? 0 : connection.changesCount
        }
    }

    /// Runs the statement at once: SQLite has no round trips to save.
    func send(_ sql: SQL, _ expected: ExpectedCount?) throws {
        let count = try run(sql)
        try guarded { try expected?.check(count) }
    }

    func rows(_ sql: SQL) throws -> [Row] {
        try guarded {
            var columns: [String] = []
            var rows: [Row] = []
            try step(sql) { statement in
                if rows.isEmpty { columns = statement.columnNames }
                rows.append(Row(columns: columns, values: statement.values(columns.count)))
            }
            return rows
        }
    }

    func row(_ sql: SQL) throws -> Row? {
        try guarded {
            var first: Row?
            try step(sql, stopsAfterFirst: true) { statement in
                if first != nil { return }
                let columns = statement.columnNames
                first = Row(columns: columns, values: statement.values(columns.count))
            }
            return first
        }
    }

    func each(_ sql: SQL, _ body: (inout RowReader) throws -> Void) throws {
        try guarded {
            var source: SQLiteRow?
            try step(sql) { statement in
                let row = source ?? SQLiteRow(statement)
                source = row
                var reader = RowReader(row)
                try body(&reader)
            }
        }
    }

    /// SQLite has one writer at a time, so there is nothing to lock.
    func lock(_ key: String) throws {}

    func tryLock(_ keys: [String]) throws -> Set<String> { [] }

    var skippingLocked: SQL { "" }

    var lockingRows: SQL { "" }

    var delaysOthers: Bool { hasOthers() }

    var tokenSearch: any TokenSearch { SQLiteTokenSearch() }

    /// The cost of a query in steps of SQLite's virtual machine.
    func work(_ sql: SQL) throws -> Int {
        try guarded {
            var steps = 0
            // The statement is not cached: SQLite's counter accumulates over a statement's life.
            try step(sql, keeps: false, { _ in }) { steps = Int(sqlite3_stmt_status($0.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 0)) }
            return steps
        }
    }

    func pages(_ sql: SQL) throws -> Int {
        try guarded {
            func looked() -> Int {
                [SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS].reduce(0) { sum, counter in
                    var (current, highest): (CInt, CInt) = (0, 0)
                    sqlite3_db_status(connection.sqliteConnection, counter, &current, &highest, 0)
                    return sum + Int(current)
                }
            }
            let before = looked()
            try step(sql) { _ in }
            return looked() - before
        }
    }

    private func guarded<T>(_ body: () throws -> T) throws -> T {
        if let failure { throw failure }
        do {
            if let error = stop?.error { throw error }
            guard connection.isInsideTransaction || !needsTransaction else {
                throw DatabaseError.engine(code: Int(SQLITE_ABORT), message: "the transaction is over")
            }
            return try body()
        } catch {
            failure = error
            throw error
        }
    }

    /// - Parameter stopsAfterFirst: whether to read no row after the first. A statement that writes still runs to its end, where SQLite
    ///   checks foreign keys.
    private func step(
        _ sql: SQL, keeps: Bool = true, stopsAfterFirst: Bool = false, _ row: (Statement) throws -> Void,
        done: (Statement) -> Void = { _ in }
    ) throws {
        // No values are bound yet, so an error message can quote only the statement's own text.
        let statement = try mappingEngineErrors { try statements.statement(for: sql, on: connection, keeps: keeps) }
        defer {
            // Releases the bound values, and the snapshot if the statement did not run to its end.
            sqlite3_reset(statement.sqliteStatement)
            sqlite3_clear_bindings(statement.sqliteStatement)
        }
        try statement.bind(sql.values)
        while true {
            switch sqlite3_step(statement.sqliteStatement) {
            case SQLITE_ROW:
                try row(statement)
                if stopsAfterFirst, statement.isReadonly { return }
            case SQLITE_DONE: return done(statement)
            case let code:
                if code & 0xFF == SQLITE_INTERRUPT, let error = stop?.error { throw error }
                throw DatabaseError(code: code, message: connection.lastErrorMessage, trusted: sql.values.isEmpty)
            }
        }
    }
}

extension Statement {
    fileprivate func bind(_ values: [SQLValue]) throws {
        guard Int(sqlite3_bind_parameter_count(sqliteStatement)) == values.count else {
            throw DatabaseError.engine(code: Int(SQLITE_RANGE), message: "the statement's own text has a placeholder")
        }
        for (index, value) in zip(CInt(1)..., values) {
            let code =
                switch value {
                case .null: sqlite3_bind_null(sqliteStatement, index)
                case .integer(let value): sqlite3_bind_int64(sqliteStatement, index, value)
                case .real(let value): sqlite3_bind_double(sqliteStatement, index, value)
                case .text(let value): try bind(value, index)
                case .bytes(let value):
                    value.withUnsafeBytes { bytes in
                        // For an empty array there is no address, and SQLite would bind NULL.
                        bytes.isEmpty
                            ? sqlite3_bind_zeroblob(sqliteStatement, index, 0)
                            : sqlite3_bind_blob64(sqliteStatement, index, bytes.baseAddress, UInt64(bytes.count), Self.copied)
                    }
                }
            guard code == SQLITE_OK else { throw DatabaseError(code: code, message: nil, trusted: false) }
        }
    }

    private func bind(_ value: String, _ index: CInt) throws -> CInt {
        var value = value
        return try value.withUTF8 { bytes in
            guard !bytes.contains(0) else {
                // C code would silently cut the text at the NUL; PostgreSQL rejects it too.
                throw DatabaseError.nulInText
            }
            return bytes.withMemoryRebound(to: CChar.self) { bytes in
                guard let start = bytes.baseAddress else { return sqlite3_bind_text(sqliteStatement, index, "", 0, Self.copied) }
                return sqlite3_bind_text64(sqliteStatement, index, start, UInt64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
            }
        }
    }

    /// SQLITE_TRANSIENT: SQLite copies the bytes before it returns.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// The values of the statement's current row, read directly from SQLite: GRDB's row would copy each value twice.
    fileprivate func values(_ count: Int) -> [SQLValue] {
        (0..<CInt(count)).map { index in
            switch sqlite3_column_type(sqliteStatement, index) {
            case SQLITE_INTEGER: return .integer(sqlite3_column_int64(sqliteStatement, index))
            case SQLITE_FLOAT: return .real(sqlite3_column_double(sqliteStatement, index))
            case SQLITE_TEXT:
                // Read the text before its length: the other order could return the length in another encoding.
                guard let start = sqlite3_column_text(sqliteStatement, index) else { return .text("") }
                let count = Int(sqlite3_column_bytes(sqliteStatement, index))
                return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
            case SQLITE_BLOB:
                guard let start = sqlite3_column_blob(sqliteStatement, index) else { return .bytes([]) }
                let count = Int(sqlite3_column_bytes(sqliteStatement, index))
                return .bytes(Array(UnsafeRawBufferPointer(start: start, count: count)))
            default: return .null
            }
        }
    }
}
