internal import Database
internal import GRDB
internal import GRDBSQLite

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import struct Database.SQL

/// One connection's prepared statements, looked up by the pieces of their text. GRDB's own cache has no limit, and its key is the whole
/// text, which would have to be assembled and hashed for every query. GRDB's cache also tells SQLite which statements are long-lived; its
/// public methods cannot. Here the first statements occupy the connection's lookaside memory, which others then cannot use.
///
/// Only the code that currently holds the connection uses it.
final class SQLiteStatements {
    /// Maximum number of cached statements; further ones are prepared at each use. A prepared statement takes about 2 KB.
    static let limit = 512
    private var kept: [[SQL.Piece]: Statement] = [:]

    func statement(for sql: SQL, on connection: GRDB.Database, keeps: Bool = true) throws -> Statement {
        // A cached statement is busy if the code that reads its rows runs the same statement again.
        if keeps, let known = kept[sql.pieces], sqlite3_stmt_busy(known.sqliteStatement) == 0 { return known }
        let statement = try connection.makeStatement(sql: sql.text { _ in "?" })
        if keeps, kept.count < Self.limit, kept[sql.pieces] == nil, !sql.isVerbatim { kept[sql.pieces] = statement }
        return statement
    }

    /// A connection cannot be closed while one of its statements is kept.
    func forget() { kept = [:] }
}

extension SQL {
    /// Whether this is a migration's statement, which runs once.
    fileprivate var isVerbatim: Bool {
        pieces.contains { piece in
            if case .verbatim = piece { true } else { false }
        }
    }
}

/// A statement's current row, read directly from SQLite.
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
        // SQLite returns no address for an empty blob.
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }
}
