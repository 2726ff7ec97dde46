internal import Core
internal import Database

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One connection, and the transactions that run on it. All methods block their thread.
///
/// A lost connection is replaced. If COMMIT was not yet sent, nothing was written, so the closure runs again on the new connection: a
/// restart of PostgreSQL delays callers by some milliseconds. If COMMIT was sent, the outcome is unknown, and the caller gets `.unclear`.
///
/// @unchecked: only the call that took it from the pool uses it.
final class PostgresWorker: @unchecked Sendable {
    private let address: PostgresAddress
    private let limits: PostgresConnection.Limits
    private let schema: String
    private let outage: PostgresOutage
    private let lockWaits: LockWaits
    private var connection: PostgresConnection?

    /// How often a transaction that failed with a conflict runs again, after about 1 ms, 2 ms, 4 ms …, with random jitter.
    private static let mostConflicts = 10
    private static let mostLosses = 2

    init(_ address: PostgresAddress, _ limits: PostgresConnection.Limits, schema: String, outage: PostgresOutage, lockWaits: LockWaits) {
        self.address = address
        self.limits = limits
        self.schema = schema
        self.outage = outage
        self.lockWaits = lockWaits
    }

    /// Closes the connection. The next call opens a new one.
    func close() { connection = nil }

    var hasLargeBuffers: Bool { connection?.hasLargeBuffers ?? false }

    /// Runs one statement without a transaction: it is a snapshot by itself.
    func list<Element>(
        _ stop: PostgresStop, _ sql: SQL, _ element: (inout RowReader) throws -> Element
    ) throws -> [Element] {
        // Any other statement might write. Only a transaction can be read-only.
        guard sql.isSelect else { return try read(stop) { tx in try tx.list(sql, element) } }
        return try repeating { connection in
            stop.begin(connection)
            defer { stop.end() }
            let engine = PostgresTransaction(connection, opening: [], schema: schema, stop: stop)
            return try ReadTransaction(engine).list(sql, element)
        }
    }

    func read<T>(_ stop: PostgresStop, _ body: (ReadTransaction) throws -> T) throws -> T {
        try repeating { connection in
            stop.begin(connection)
            let engine = PostgresTransaction(
                connection, opening: ["BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"], schema: schema, stop: stop)
            defer {
                // The stop ends first, so that a cancel request cannot meet ROLLBACK: the transaction would go on, and the next caller's
                // BEGIN would fail.
                stop.end()
                // There is nothing to commit, so the caller does not wait for the end.
                if engine.hasBegun, !connection.isLost { try? connection.executeLater("ROLLBACK") }
            }
            if stop.isWanted { throw CancellationError() }
            let value = try body(ReadTransaction(engine))
            if let failure = engine.failure { throw failure }
            return value
        }
    }

    /// - Parameter attempts: how often the write has found a lock taken.
    /// - Throws: `LockWaits.LockTaken`: nothing was written, and the write may run again when the connection was returned.
    func write<T>(withoutTimeouts: Bool, attempts: Int, _ body: (WriteTransaction) throws -> T) throws -> (value: T, wakes: Set<Wake>) {
        guard !withoutTimeouts else {
            let settings: [SQL] = ["SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = 0"]
            return try repeating { connection in
                connection.hasNoTimeouts = true
                defer { connection.hasNoTimeouts = false }
                return try write(PostgresTransaction(connection, opening: ["BEGIN"] + settings, schema: schema), connection, body)
            }
        }
        return try lockWaits.counting(attempts: attempts) { brief in
            try repeating { connection in
                let opening = brief?.opening ?? ["BEGIN"]
                return try write(
                    PostgresTransaction(connection, opening: opening, schema: schema, isBrief: brief != nil), connection, body)
            }
        }
    }

    private func write<T>(
        _ engine: PostgresTransaction, _ connection: PostgresConnection, _ body: (WriteTransaction) throws -> T
    ) throws -> (value: T, wakes: Set<Wake>) {
        let tx = WriteTransaction(engine)
        let value: T
        do {
            value = try body(tx)
            // The closure caught a statement's error, which is not allowed: later statements did not run, so the closure has failed.
            if let failure = engine.failure { throw failure }
            try tx.end()
            try engine.commit()
        } catch {
            if engine.hasBegun, !connection.isLost { try? connection.executeLater("ROLLBACK") }
            if engine.failure is LockWaits.LockTaken { throw LockWaits.LockTaken() }
            // Throw the statement's own error, not what the closure turned it into, so that `repeating` recognizes a conflict.
            if let failure = engine.failure as? DatabaseError, failure.isConflict || connection.isLost { throw failure }
            throw error
        }
        return (value, tx.wakes)
    }

    /// Runs one statement in a transaction of its own, in one round trip: its result is read after COMMIT was sent.
    /// - Returns: how many rows the statement changed.
    /// - Throws: `LockWaits.LockTaken`, as `write` does.
    func run(_ sql: SQL, attempts: Int) throws -> Int {
        try lockWaits.counting(attempts: attempts) { brief in
            let opening = brief?.opening ?? ["BEGIN"]
            return try repeating { connection in try run(sql, opening, connection) }
        }
    }

    private func run(_ sql: SQL, _ opening: [SQL], _ connection: PostgresConnection) throws -> Int {
        // A connection lost while it was idle must not make the outcome unclear.
        try connection.checkOpen()
        let answer: PostgresConnection.Results
        do {
            answer = try connection.execute(opening + [sql, "COMMIT"])
        } catch {
            throw connection.isLost ? DatabaseError.unclear : error
        }
        if let failure = answer.failure {
            if !connection.isLost { try? connection.executeLater("ROLLBACK") }
            throw answer.isLockTaken && opening.count > 1 ? LockWaits.LockTaken() : failure
        }
        guard answer.results.count == opening.count + 2, answer.results.last?.command == "COMMIT" else {
            throw DatabaseError.engine(code: 0, message: "the server rolled back instead of committing")
        }
        return answer.results[opening.count].changedCount
    }

    private func repeating<T>(_ attempt: (PostgresConnection) throws -> T) throws -> T {
        var conflicts = 0
        var losses = 0
        while true {
            let connection = try connected()
            do {
                return try attempt(connection)
            } catch let error as DatabaseError where error.isConflict && conflicts < Self.mostConflicts {
                conflicts += 1
                usleep(UInt32.random(in: 500...1_500) << UInt32(min(conflicts - 1, 6)))
            } catch let error as DatabaseError where connection.isLost && error != .unclear && losses < Self.mostLosses {
                losses += 1
            } catch let error as DatabaseError where error.isConflict {
                throw DatabaseError.busy
            }
        }
    }

    private func connected() throws -> PostgresConnection {
        if let connection, !connection.isLost { return connection }
        let isAfterLoss = connection != nil
        connection = nil
        let new = try outage.connecting(afterLoss: isAfterLoss) { try PostgresConnection(address, limits) }
        connection = new
        return new
    }
}
