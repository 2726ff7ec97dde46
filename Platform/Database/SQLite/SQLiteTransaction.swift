internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Statements of one transaction, on one connection. Lives as long as the closure it was made for.
final class SQLiteTransaction: TransactionEngine {
    private let connection: GRDB.Database
    private let texts: StatementTexts
    /// The first error a statement threw. Nothing runs after it, even when the closure catches it: PostgreSQL would not
    /// go on either, and SQLite may have rolled everything back, so that the next statement would commit on its own.
    private(set) var failure: (any Error)?

    init(_ connection: GRDB.Database, _ texts: StatementTexts) {
        self.connection = connection
        self.texts = texts
    }

    func run(_ sql: SQL) throws -> Int {
        try guarded {
            let statement = try prepare(sql)
            let before = connection.totalChangesCount
            try mappingEngineErrors(trusted: sql.values.isEmpty) { try statement.execute() }
            // changesCount keeps the last statement's answer when this one was none of INSERT, UPDATE, DELETE.
            return connection.totalChangesCount == before ? 0 : connection.changesCount
        }
    }

    func rows(_ sql: SQL) throws -> [Row] {
        try guarded {
            let statement = try prepare(sql)
            return try mappingEngineErrors(trusted: sql.values.isEmpty) {
                let cursor = try GRDB.Row.fetchCursor(statement)
                var columns: [String] = []
                var rows: [Row] = []
                while try cursor.next() != nil {
                    if rows.isEmpty { columns = statement.columnNames }
                    rows.append(Row(columns: columns, values: statement.values(columns.count)))
                }
                return rows
            }
        }
    }

    /// One writer at a time: there is nobody to hold off.
    func lock(_ key: String) throws {}

    private func guarded<T>(_ body: () throws -> T) throws -> T {
        if let failure { throw failure }
        do {
            guard connection.isInsideTransaction else {
                throw DatabaseError.engine(code: Int(SQLITE_ABORT), message: "the transaction is over")
            }
            return try body()
        } catch {
            failure = error
            throw error
        }
    }

    private func prepare(_ sql: SQL) throws -> Statement {
        for case .text(let value) in sql.values where value.utf8.contains(0) {
            // It would be cut there without a word; PostgreSQL refuses it too.
            throw DatabaseError.engine(code: Int(SQLITE_MISMATCH), message: "a text holds U+0000")
        }
        let text = sql.text { _ in "?" }
        // Nothing is bound yet, so the engine can only quote the statement's own text.
        return try mappingEngineErrors {
            let statement = texts.mayKeep(text) ? try connection.cachedStatement(sql: text) : try connection.makeStatement(sql: text)
            try statement.setArguments(sql.arguments)
            return statement
        }
    }
}

/// Which statements are kept prepared. GRDB's cache has no bound, and a list of placeholders of ever new length would fill it.
final class StatementTexts: Sendable {
    /// Texts, not bytes; a page of a prepared statement is about 2 KB, a connection.
    static let limit = 512
    private let known = Mutex<Set<String>>([])

    /// True for the first 512 texts. Later ones are prepared at each use.
    func mayKeep(_ text: String) -> Bool {
        known.withLock { known in
            if known.contains(text) { return true }
            guard known.count < Self.limit else { return false }
            known.insert(text)
            return true
        }
    }
}

extension SQL {
    /// As GRDB binds them.
    var arguments: StatementArguments { StatementArguments(values.map(\.databaseValue)) }
}

extension SQLValue {
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .real(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .bytes(let value): Data(value).databaseValue
        }
    }
}

extension Statement {
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
