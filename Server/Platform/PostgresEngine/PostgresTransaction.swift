internal import Core
internal import Crypto
internal import Database

/// Runs the statements of one transaction. Lives as long as the closure it was created for.
///
/// BEGIN and statements without a needed result are kept here, and sent with the next statement whose result is needed, or with COMMIT.
/// When the closure fails, they are discarded.
final class PostgresTransaction: TransactionEngine {
    private let connection: PostgresConnection
    private let stop: PostgresStop?
    /// BEGIN and settings of the transaction, until they are sent together with the first statement. A closure without statements begins no
    /// transaction. Empty from the start for a single statement, which needs no transaction.
    private var opening: [SQL]
    private var isBegun = false
    /// Statements that are not sent yet.
    private var deferred: [(sql: SQL, expected: ExpectedCount?)] = []
    /// The most statements that are kept. When this number is reached, all of them are sent. This bounds the memory for them and for their
    /// results.
    private static let mostDeferred = 64
    /// Part of the lock keys, so that two installations in one database do not block each other.
    private let schema: String
    /// The first error that a statement threw. After it, no further statement runs, even if the closure catches the error: PostgreSQL would
    /// reject the statement.
    private(set) var failure: (any Error)?
    /// Whether the transaction waits only briefly for locks, see `LockWaits`.
    private let isBrief: Bool

    init(_ connection: PostgresConnection, opening: [SQL], schema: String, stop: PostgresStop? = nil, isBrief: Bool = false) {
        self.connection = connection
        self.isBrief = isBrief
        self.opening = opening
        self.schema = schema
        self.stop = stop
    }

    /// Whether BEGIN was sent, so that the transaction must be ended.
    var hasBegun: Bool { isBegun }

    func run(_ sql: SQL) throws -> Int { try execute(sql).changedCount }

    func send(_ sql: SQL, _ expected: ExpectedCount?) throws {
        if let failure { throw failure }
        deferred.append((sql, expected))
        if deferred.count >= Self.mostDeferred { _ = try perform(nil) }
    }

    func rows(_ sql: SQL) throws -> [Row] {
        let result = try execute(sql)
        do {
            return try result.rows()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    func row(_ sql: SQL) throws -> Row? { try rows(sql).first }

    func each(_ sql: SQL, _ body: (inout RowReader) throws -> Void) throws {
        let rows = PostgresRows(try execute(sql))
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

    /// PostgreSQL runs the statements of a pipeline one by one, so those that follow see what was committed before the lock was free.
    /// - Throws: `LockWaits.LockTaken`.
    func lock(_ key: String) throws {
        try send("SELECT pg_advisory_xact_lock(\(lockNumber(key)))", nil)
        // If a brief wait ends without the lock, the closure runs again soon. So this finds out now, before the closure computes what
        // follows.
        if isBrief { _ = try perform(nil) }
    }

    func tryLock(_ keys: [String]) throws -> Set<String> {
        let keys = Dictionary(keys.map { (lockNumber($0), $0) }) { first, _ in first }
        let statement: SQL = """
            SELECT number FROM unnest(CAST(ARRAY[\(sql: .list(keys.keys.sorted()))] AS BIGINT[])) AS number
            WHERE NOT pg_try_advisory_xact_lock(number)
            """
        return Set(try rows(statement).compactMap { row -> String? in keys[try row.get("number")] })
    }

    var skippingLocked: SQL { "FOR UPDATE SKIP LOCKED" }

    var lockingRows: SQL { "FOR UPDATE" }

    /// Writes run side by side.
    var delaysOthers: Bool { false }

    var tokenSearch: any TokenSearch { PostgresTokenSearch() }

    /// Sends the deferred statements and COMMIT. Does nothing if the closure ran no statement.
    /// - Throws: `DatabaseError.unclear` when the connection was lost after COMMIT was sent. With any other error, PostgreSQL did not
    ///   commit.
    func commit() throws {
        if let failure { throw failure }
        // Their counts must be known before COMMIT is sent.
        if deferred.contains(where: { $0.expected != nil }) { _ = try perform(nil) }
        guard isBegun || !deferred.isEmpty else { return }
        // A connection lost while it was idle must not make the outcome unclear.
        if !isBegun { try connection.checkOpen() }
        let statements = takePending() + ["COMMIT"]
        let answer: PostgresConnection.Results
        do {
            answer = try connection.execute(statements)
        } catch {
            throw connection.isLost ? DatabaseError.unclear : error
        }
        // PostgreSQL has answered everything, so the outcome is known.
        if let failure = cause(of: answer) {
            self.failure = failure
            throw failure
        }
        guard answer.results.last?.command == "COMMIT" else {
            throw DatabaseError.engine(code: 0, message: "the server rolled back instead of committing")
        }
        isBegun = false
    }

    private func execute(_ statement: SQL) throws -> PostgresResult {
        guard let result = try perform(statement) else { throw DatabaseError.engine(code: 0, message: "no result") }
        return result
    }

    /// Sends what is deferred, then `last`, in one round trip, and waits for the results.
    /// - Returns: the result of the last statement.
    private func perform(_ last: SQL?) throws -> PostgresResult? {
        if let failure { throw failure }
        do {
            if let stop, stop.isWanted { throw CancellationError() }
            if opening.isEmpty, deferred.isEmpty, !isBrief, let last { return try connection.execute(last) }
            let expected = deferred.map(\.expected)
            let offset = opening.count
            var statements = takePending()
            if let last { statements.append(last) }
            let answer = try connection.execute(statements)
            for (expected, result) in zip(expected, answer.results.dropFirst(offset)) { try expected?.check(result.changedCount) }
            if let failure = cause(of: answer) { throw failure }
            return answer.results.last
        } catch {
            // PostgreSQL reports that the statement was cancelled, but not why.
            let cause = stop?.isWanted == true && !connection.isLost ? CancellationError() : error
            failure = cause
            throw cause
        }
    }

    /// Why statements failed; `nil` when none did.
    private func cause(of answer: PostgresConnection.Results) -> (any Error)? {
        isBrief && answer.isLockTaken ? LockWaits.LockTaken() : answer.failure
    }

    /// BEGIN and the settings, if they were not sent, and the deferred statements.
    private func takePending() -> [SQL] {
        var statements: [SQL] = []
        statements.reserveCapacity(deferred.count + 2)
        if !opening.isEmpty {
            statements += opening
            opening = []
            isBegun = true
        }
        statements += deferred.map(\.sql)
        deferred = []
        return statements
    }

    /// The number of an advisory lock: the first 64 bits of the key's SHA-256, so that different keys practically never collide.
    private func lockNumber(_ key: String) -> Int64 {
        SHA256.hash(data: Array((schema + "\u{1F}" + key).utf8)).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}
