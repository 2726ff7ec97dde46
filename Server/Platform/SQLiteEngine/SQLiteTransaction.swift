internal import Database
internal import GRDB
internal import GRDBSQLite

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import enum Database.DatabaseError
internal import struct Database.Row
internal import struct Database.SQL

/// Statements of one transaction, on one connection. Lives as long as the closure it was made for.
///
/// Statements are prepared by GRDB, but kept (`SQLiteStatements`), bound and stepped here: its arguments and rows cost more than SQLite's own work,
/// and what they are for, observation, has no use here.
final class SQLiteTransaction: TransactionEngine {
    private let connection: GRDB.Database
    private let statements: SQLiteStatements
    /// A read stops between statements, and within one, when its task is cancelled. Nothing stops a write.
    private let stop: ReadStop?
    private let needsTransaction: Bool
    /// The first error a statement threw. Nothing runs after it, even when the closure catches it: PostgreSQL would not
    /// go on either, and SQLite may have rolled everything back, so that the next statement would commit on its own.
    private(set) var failure: (any Error)?

    init(_ connection: GRDB.Database, _ statements: SQLiteStatements, stop: ReadStop? = nil, needsTransaction: Bool = true) {
        self.connection = connection
        self.statements = statements
        self.stop = stop
        self.needsTransaction = needsTransaction
    }

    func run(_ sql: SQL) throws -> Int {
        try guarded {
            let before = connection.totalChangesCount
            try step(sql) { _ in }
            // changesCount keeps the last statement's answer when this one was none of INSERT, UPDATE, DELETE.
            return connection.totalChangesCount == before ? 0 : connection.changesCount
        }
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

    /// One writer at a time: there is nobody to hold off.
    func lock(_ key: String) throws {}

    var skippingLocked: SQL { "" }

    var tokenSearch: any TokenSearch { SQLiteTokenSearch() }

    /// The engine's work for a query, in steps of SQLite's virtual machine.
    func work(_ sql: SQL) throws -> Int {
        try guarded {
            var steps = 0
            // Not a kept statement: SQLite adds up over a statement's life.
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
            if let stop, stop.isWanted { throw CancellationError() }
            guard connection.isInsideTransaction || !needsTransaction else {
                throw DatabaseError.engine(code: Int(SQLITE_ABORT), message: "the transaction is over")
            }
            return try body()
        } catch {
            failure = error
            throw error
        }
    }

    private func step(
        _ sql: SQL, keeps: Bool = true, _ row: (Statement) throws -> Void, done: (Statement) -> Void = { _ in }
    ) throws {
        // Nothing is bound yet, so the engine can only quote the statement's own text.
        let statement = try mappingEngineErrors { try statements.statement(for: sql, on: connection, keeps: keeps) }
        defer {
            // Gives back the bound values, and the snapshot when the statement was left in the middle.
            sqlite3_reset(statement.sqliteStatement)
            sqlite3_clear_bindings(statement.sqliteStatement)
        }
        try statement.bind(sql.values)
        while true {
            switch sqlite3_step(statement.sqliteStatement) {
            case SQLITE_ROW: try row(statement)
            case SQLITE_DONE: return done(statement)
            case let code:
                if stop != nil, code & 0xFF == SQLITE_INTERRUPT { throw CancellationError() }
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
                        // Without an address SQLite would bind NULL.
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
                // It would be cut there without a word by whatever takes it for C's; PostgreSQL refuses it too.
                throw DatabaseError.engine(code: Int(SQLITE_MISMATCH), message: "a text holds U+0000")
            }
            return bytes.withMemoryRebound(to: CChar.self) { bytes in
                guard let start = bytes.baseAddress else { return sqlite3_bind_text(sqliteStatement, index, "", 0, Self.copied) }
                return sqlite3_bind_text64(sqliteStatement, index, start, UInt64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
            }
        }
    }

    /// SQLITE_TRANSIENT: SQLite copies the bytes before it returns.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// The columns of the row the statement stands on, straight from SQLite: GRDB's own row would copy each value twice.
    fileprivate func values(_ count: Int) -> [SQLValue] {
        (0..<CInt(count)).map { index in
            switch sqlite3_column_type(sqliteStatement, index) {
            case SQLITE_INTEGER: return .integer(sqlite3_column_int64(sqliteStatement, index))
            case SQLITE_FLOAT: return .real(sqlite3_column_double(sqliteStatement, index))
            case SQLITE_TEXT:
                // The text first, then its length: the other order could count another encoding's bytes.
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
