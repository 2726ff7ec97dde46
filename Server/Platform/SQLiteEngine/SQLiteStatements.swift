internal import Database
internal import GRDB
internal import GRDBSQLite

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import struct Database.SQL

/// One connection's prepared statements, found by the shape of what is asked. GRDB's own cache has no bound, and is asked by the whole
/// text, which had to be put together and hashed for every question. (It also tells SQLite which statements stay, which its public
/// methods cannot: the first to be kept lie in the connection's small memory, which nobody else then has.)
///
/// Used by whoever has the connection, and by nobody else meanwhile.
final class SQLiteStatements {
    /// Later ones are prepared at each use: a prepared statement is some 2 KB.
    static let limit = 512
    private var kept: [[SQL.Piece]: Statement] = [:]

    func statement(for sql: SQL, on connection: GRDB.Database, keeps: Bool = true) throws -> Statement {
        // In the middle of its rows when whoever reads them asks the same again.
        if keeps, let known = kept[sql.pieces], sqlite3_stmt_busy(known.sqliteStatement) == 0 { return known }
        let statement = try connection.makeStatement(sql: sql.text { _ in "?" })
        if keeps, kept.count < Self.limit, kept[sql.pieces] == nil, !sql.isVerbatim { kept[sql.pieces] = statement }
        return statement
    }

    /// A connection cannot be closed while one of its statements is kept.
    func forget() { kept = [:] }
}

extension SQL {
    /// A migration's, which runs once.
    fileprivate var isVerbatim: Bool {
        pieces.contains { piece in
            if case .verbatim = piece { true } else { false }
        }
    }
}

/// The row a statement stands on, straight from SQLite.
final class SQLiteRow: RowSource {
    private let statement: OpaquePointer

    init(_ statement: Statement) { self.statement = statement.sqliteStatement }

    func name(_ column: Int) -> String { sqlite3_column_name(statement, CInt(column)).map { String(cString: $0) } ?? "" }

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, CInt(column)) == SQLITE_NULL }

    func text(_ column: Int) -> String? {
        let column = CInt(column)
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT, let start = sqlite3_column_text(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func withText(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows -> Bool {
        let column = CInt(column)
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT, let start = sqlite3_column_text(statement, column) else {
            return false
        }
        try body(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
        return true
    }

    func integer(_ column: Int) -> Int64? {
        let column = CInt(column)
        return sqlite3_column_type(statement, column) == SQLITE_INTEGER ? sqlite3_column_int64(statement, column) : nil
    }

    func data(_ column: Int) -> [UInt8]? {
        let column = CInt(column)
        guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { return nil }
        // SQLite has no address for an empty one.
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }
}
