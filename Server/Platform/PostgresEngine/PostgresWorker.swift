internal import Core
internal import Database

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One thread's connection, and the transactions that run on it. All methods block their thread.
///
/// A lost connection is replaced. If COMMIT was not yet sent, nothing was written, so the closure runs again on the new connection: a
/// restart of the server delays callers by some milliseconds. If COMMIT was sent, the outcome is unknown, and the caller gets `.unclear`.
final class PostgresWorker {
    private let address: PostgresAddress
    private let limits: PostgresConnection.Limits
    private let schema: String
    private let outage: PostgresOutage
    private var connection: PostgresConnection?

    /// How often a transaction that failed with a conflict runs again, after about 1 ms, 2 ms, 4 ms …, with random jitter.
    private static let mostConflicts = 10
    private static let mostLosses = 2

    init(_ address: PostgresAddress, _ limits: PostgresConnection.Limits, schema: String, outage: PostgresOutage) {
        self.address = address
        self.limits = limits
        self.schema = schema
        self.outage = outage
    }

    func read<T>(_ stop: PostgresStop, _ body: (ReadTransaction) throws -> T) throws -> T {
        try repeating { connection in
            stop.begin(connection)
            defer { stop.end() }
            let engine = PostgresTransaction(
                connection, opening: "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", schema: schema, stop: stop)
            // There is nothing to commit, so the caller does not wait for the end.
            defer { if engine.hasBegun, !connection.isLost { try? connection.executeLater("ROLLBACK") } }
            if stop.isWanted { throw CancellationError() }
            let value = try body(ReadTransaction(engine))
            if let failure = engine.failure { throw failure }
            return value
        }
    }

    func write<T>(unhurried: Bool, _ body: (WriteTransaction) throws -> T) throws -> (value: T, wakes: Set<Wake>) {
        try repeating { connection in
            connection.isUnhurried = unhurried
            defer { connection.isUnhurried = false }
            let engine = PostgresTransaction(connection, opening: "BEGIN", schema: schema)
            let tx = WriteTransaction(engine)
            let value: T
            do {
                if unhurried {
                    try tx.run("SET LOCAL statement_timeout = 0")
                    try tx.run("SET LOCAL lock_timeout = 0")
                }
                value = try body(tx)
                // The closure caught a statement's error, which is not allowed: later statements did not run, so the closure has failed.
                if let failure = engine.failure { throw failure }
                try tx.end()
            } catch {
                if engine.hasBegun, !connection.isLost { try? connection.executeLater("ROLLBACK") }
                // Throw the statement's own error, not what the closure turned it into, so that `repeating` recognizes a conflict.
                if let failure = engine.failure as? DatabaseError, failure.isConflict || connection.isLost { throw failure }
                throw error
            }
            if engine.hasBegun { try commit(connection) }
            return (value, tx.wakes)
        }
    }

    private func commit(_ connection: PostgresConnection) throws {
        do {
            guard try connection.execute("COMMIT").command == "COMMIT" else {
                throw DatabaseError.engine(code: 0, message: "the server rolled back instead of committing")
            }
        } catch {
            throw connection.isLost ? DatabaseError.unclear : error
        }
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
        connection = nil
        let new = try outage.connecting { try PostgresConnection(address, limits) }
        connection = new
        return new
    }
}
