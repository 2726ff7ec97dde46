internal import Core
internal import Crypto
internal import Database

/// Statements of one transaction. Lives as long as the closure it was made for.
final class PostgresTransaction: TransactionEngine {
    private let connection: PostgresConnection
    private let stop: PostgresStop?
    /// BEGIN, until it travels with the first statement. A closure that asks nothing begins nothing.
    private var opening: PostgresStatement?
    /// Keeps two installations in one database apart.
    private let schema: String
    /// The first error a statement threw. Nothing runs after it, even when the closure catches it: the server would not go on.
    private(set) var failure: (any Error)?

    init(_ connection: PostgresConnection, opening: PostgresStatement, schema: String, stop: PostgresStop? = nil) {
        self.connection = connection
        self.opening = opening
        self.schema = schema
        self.stop = stop
    }

    /// Whether BEGIN was sent.
    var hasBegun: Bool { opening == nil }

    func run(_ sql: SQL) throws -> Int { try execute(PostgresStatement(sql)).changedCount }

    func rows(_ sql: SQL) throws -> [Row] {
        let result = try execute(PostgresStatement(sql))
        do {
            return try result.rows()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    func each(_ sql: SQL, _ body: (inout RowReader) throws -> Void) throws {
        let rows = PostgresRows(try execute(PostgresStatement(sql)))
        do {
            while rows.advance() {
                var row = RowReader(rows)
                try body(&row)
            }
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    func lock(_ key: String) throws {
        _ = try execute(
            PostgresStatement(
                text: "SELECT pg_advisory_xact_lock($1)", values: [.integer(Self.lockNumber(schema + "\u{1F}" + key))]))
    }

    var skippingLocked: SQL { "FOR UPDATE SKIP LOCKED" }

    var tokenSearch: any TokenSearch { PostgresTokenSearch() }

    private func execute(_ statement: PostgresStatement) throws -> PostgresResult {
        if let failure { throw failure }
        do {
            if let stop, stop.isWanted { throw CancellationError() }
            let first = opening
            opening = nil
            return try connection.execute(statement, after: first)
        } catch {
            // The server says that the statement was cancelled, not why.
            let cause = stop?.isWanted == true && !connection.isLost ? CancellationError() : error
            failure = cause
            throw cause
        }
    }

    /// An advisory lock's name is a number: the first 64 bits of the key's SHA-256, so that unequal keys practically never meet.
    private static func lockNumber(_ key: String) -> Int64 {
        SHA256.hash(data: Array(key.utf8)).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}
