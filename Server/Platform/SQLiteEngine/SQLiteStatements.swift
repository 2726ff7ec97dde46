internal import Database
internal import GRDB
internal import GRDBSQLite

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import struct Database.SQL

/// One connection's prepared statements, looked up by the pieces of their text. GRDB's own cache has no limit, and its key is the whole
/// text, which would have to be assembled and hashed for every query. GRDB's cache also tells SQLite which statements are long-lived, which
/// GRDB's public methods cannot do. So the first statements of this cache occupy the connection's lookaside memory, and other allocations
/// cannot use it.
///
/// Only the code that currently holds the connection uses it.
final class SQLiteStatements {
    private struct Kept: KeptStatement {
        let statement: Statement
        var lastUse: UInt64
    }

    private let limit: Int
    private var kept: [[SQL.Piece]: Kept] = [:]
    private var uses: UInt64 = 0

    /// - Parameter limit: maximum number of cached statements, 1 or more. A new one replaces the one whose last use is the longest ago. A
    ///   prepared statement takes about 2 KB.
    init(limit: Int = 512) { self.limit = limit }

    func statement(for sql: SQL, on connection: GRDB.Database, keeps: Bool = true) throws -> Statement {
        guard keeps else { return try Self.prepare(sql, connection) }
        uses += 1
        if let index = kept.index(forKey: sql.pieces) {
            kept.values[index].lastUse = uses
            let known = kept.values[index].statement
            // A cached statement is busy if the code that reads its rows runs the same statement again.
            return sqlite3_stmt_busy(known.sqliteStatement) == 0 ? known : try Self.prepare(sql, connection)
        }
        let statement = try Self.prepare(sql, connection)
        guard !sql.isVerbatim else { return statement }
        // The code that reads the rows of a replaced statement refers to it, so the statement is finalized only after that code has ended.
        _ = kept.makeRoom(limit: limit)
        kept[sql.pieces] = Kept(statement: statement, lastUse: uses)
        return statement
    }

    private static func prepare(_ sql: SQL, _ connection: GRDB.Database) throws -> Statement {
        try connection.makeStatement(sql: sql.text { _ in "?" })
    }

    /// Call it before the connection is closed, which fails while one of its statements is kept.
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
