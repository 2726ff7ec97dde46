internal import Database
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import NIOConcurrencyHelpers
internal import Synchronization

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import enum Database.DatabaseError
internal import struct Database.SQL

/// Read-only connections, one for each of `DatabaseThreads`, opened when first needed.
final class SQLiteReaders: Sendable {
    /// @unchecked: only the thread that took it from `free` uses it.
    private final class Reader: @unchecked Sendable {
        let queue: DatabaseQueue
        let statements = SQLiteStatements()

        init(_ queue: DatabaseQueue) { self.queue = queue }
    }

    private struct Run: Sendable {
        let stop: ReadStop
        let begin: ContinuousClock.Instant
    }

    private struct State: Sendable {
        var free: [Reader] = []
        var running: [Run] = []
    }

    private let state = NIOLockedValueBox(State())
    private let make: @Sendable () throws -> DatabaseQueue
    private let isHolding = Atomic(false)

    /// How long `holding` waits for reads that run, and the most time that a new read waits until `holding` ends.
    private static let mostHeld = Duration.seconds(1)
    /// `holding` stops a read that runs for this long. So all reads that it waits for are stopped before it gives up.
    private static let longestHolding = Duration.milliseconds(800)

    init(path: String, _ configuration: Configuration) {
        var configuration = configuration
        configuration.readonly = true
        make = { [configuration] in try DatabaseQueue(path: path, configuration: configuration) }
    }

    /// Runs `body` in one snapshot, on the current thread.
    /// - Parameters:
    ///   - stop: once it has an error, the statements of `body` fail.
    ///   - isOneStatement: whether `body` runs one statement only, which SQLite runs in a snapshot by itself.
    func read<T>(_ stop: ReadStop, isOneStatement: Bool, _ body: (GRDB.Database, SQLiteStatements) throws -> T) throws -> T {
        Self.wait { self.isHolding.load(ordering: .relaxed) }
        var taken = begin(stop)
        defer { end(stop, taken) }
        let reader = try taken ?? Reader(make())
        taken = reader
        // GRDB's `read` would set and unset two pragmas and prepare two statements on every call.
        return try reader.queue.unsafeRead { connection in
            if isOneStatement { return try body(connection, reader.statements) }
            try Self.step("BEGIN DEFERRED TRANSACTION", connection, reader.statements)
            defer {
                // Fails only if SQLite has already rolled back.
                if connection.isInsideTransaction { try? Self.step("ROLLBACK", connection, reader.statements) }
            }
            return try body(connection, reader.statements)
        }
    }

    private func begin(_ stop: ReadStop) -> Reader? {
        state.withLockedValue { state in
            state.running.append(Run(stop: stop, begin: .now))
            return state.free.popLast()
        }
    }

    private func end(_ stop: ReadStop, _ reader: Reader?) {
        state.withLockedValue { state in
            state.running.removeAll { $0.stop === stop }
            if let reader { state.free.append(reader) }
        }
    }

    /// Runs `body` as soon as no read runs, or after a second. New reads wait meanwhile. Reads that take about a second or more fail with
    /// `DatabaseError.busy`: otherwise the new reads would wait in vain, and again when the log has grown.
    func holding<T>(_ body: () throws -> T) rethrows -> T {
        isHolding.store(true, ordering: .relaxed)
        defer { isHolding.store(false, ordering: .relaxed) }
        Self.wait { self.stopLongReads() > 0 }
        return try body()
    }

    /// - Returns: the number of reads that still run.
    private func stopLongReads() -> Int {
        state.withLockedValue { state in
            let latest = ContinuousClock.now - Self.longestHolding
            for run in state.running where run.begin <= latest { run.stop.freeLog() }
            return state.running.count
        }
    }

    private static func wait(while holds: () -> Bool) {
        guard holds() else { return }
        let end = ContinuousClock.now + mostHeld
        while holds(), .now < end { usleep(1_000) }
    }

    /// Closes the connections. No read may be running.
    func close() throws {
        for reader in state.withLockedValue({ $0.free }) {
            reader.statements.forget()
            try reader.queue.close()
        }
    }

    private static func step(_ sql: SQL, _ connection: GRDB.Database, _ statements: SQLiteStatements) throws {
        let statement = try statements.statement(for: sql, on: connection)
        defer { sqlite3_reset(statement.sqliteStatement) }
        let code = sqlite3_step(statement.sqliteStatement)
        guard code == SQLITE_DONE else { throw DatabaseError(code: code, message: connection.lastErrorMessage, trusted: true) }
    }
}
