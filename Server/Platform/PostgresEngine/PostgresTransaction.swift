internal import Core
internal import Crypto
internal import Database

/// Runs the statements of one transaction. Lives as long as the closure it was created for.
final class PostgresTransaction: TransactionEngine {
    private let connection: PostgresConnection
    private let stop: PostgresStop?
    /// BEGIN, until it is sent together with the first statement. A closure without statements begins no transaction.
    private var opening: PostgresStatement?
    /// Part of the lock keys, so that two installations in one database do not block each other.
    private let schema: String
    /// The first error that a statement threw. No statement runs after it, even if the closure catches it: the server would reject it.
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
            // The server reports that the statement was cancelled, but not why.
            let cause = stop?.isWanted == true && !connection.isLost ? CancellationError() : error
            failure = cause
            throw cause
        }
    }

    /// The number of an advisory lock: the first 64 bits of the key's SHA-256, so that different keys practically never collide.
    private static func lockNumber(_ key: String) -> Int64 {
        SHA256.hash(data: Array(key.utf8)).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}
