internal import Core
package import Database
internal import Dispatch
internal import Foundation

/// A PostgreSQL server, used through a pool of connections with a thread each. Closures are synchronous and libpq blocks, so they must not
/// run on the threads of Swift's cooperative pool.
///
/// A read is one snapshot (REPEATABLE READ, READ ONLY). A write is READ COMMITTED: code that checks and then writes calls `tx.lock`. A
/// transaction that fails with a deadlock or a serialization failure runs again; a lost connection is replaced. Cancelling a task stops its
/// read. It withdraws a write that has not started; a write that has started runs to its end.
package final class PostgresDatabase: Database {
    private let queue: PostgresQueue
    private let pool: PostgresThreads
    private let bell: PostgresBell
    private let migrator: Migrator
    private let usage = Usage()
    package let wakes: Wakes

    init(queue: PostgresQueue, threads: PostgresThreads, bell: PostgresBell, migrator: Migrator, wakes: Wakes) {
        self.queue = queue
        pool = threads
        self.bell = bell
        self.migrator = migrator
        self.wakes = wakes
    }

    /// Ends the threads, and with them their connections.
    deinit {
        queue.close()
        bell.stop()
    }

    package func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        let stop = PostgresStop()
        return try await usage.run {
            try await withTaskCancellationHandler {
                try await transaction { worker in try worker.read(stop, body) }
            } onCancel: {
                // Sending the cancel request blocks.
                DispatchQueue.global().async { stop.want() }
            }
        }
    }

    package func list<Element: Sendable>(
        _ sql: SQL, _ element: @escaping @Sendable (inout RowReader) throws -> Element
    ) async throws -> [Element] {
        try await read { tx in try tx.list(sql, element) }
    }

    /// `nil`: calls run on the pool's own threads.
    package var threads: (any WorkThreads)? { nil }

    /// Does nothing: PostgreSQL's vacuum reclaims deleted rows by itself.
    package func scrub(_ tables: [TokenTable]) async throws {}

    /// - Throws: `DatabaseError.busy` at once when 4,096 callers are waiting already.
    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        try await write(unhurried: false, body)
    }

    fileprivate func write<T: Sendable>(
        unhurried: Bool, _ body: @escaping @Sendable (WriteTransaction) throws -> T
    ) async throws -> T {
        try await usage.run {
            try await transaction { [wakes, bell] worker in
                let (value, woken) = try worker.write(unhurried: unhurried, body)
                if !woken.isEmpty {
                    wakes.post(woken)
                    bell.ring(woken)
                }
                return value
            }
        }
    }

    /// When several nodes start at once, one migrates and the others wait for it, without a timeout.
    package func migrate(_ migrations: [Migration]) async throws {
        try await migrator.migrate(Unhurried(postgres: self), migrations)
    }

    /// The plan when sequential scans and sorts are avoided wherever possible, whatever the number of rows. A `Seq Scan` or a `Sort` in it
    /// means that there is no suitable index.
    package func plan(_ sql: SQL) async throws -> [String] {
        try await write { tx in
            try tx.run("SET LOCAL enable_seqscan = off")
            try tx.run("SET LOCAL enable_sort = off")
            try tx.run("SET LOCAL enable_bitmapscan = off")
            return try tx.rows("EXPLAIN (COSTS OFF) \(sql: sql)").map { try $0.get("QUERY PLAN") }
        }
    }

    /// Number of calls that wait for a connection, 0...4,096.
    package var waiting: Int { queue.count }

    package func close() async throws {
        guard await usage.close() else { return }
        queue.close()
        bell.stop()
        try await blocking { [pool, bell] in
            pool.join()
            bell.waitUntilStopped()
        }
    }

    private func transaction<T: Sendable>(_ transaction: @escaping @Sendable (PostgresWorker) throws -> T) async throws -> T {
        let waiting = PostgresWaiting<T>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let call = PostgresTransactionCall(continuation, transaction)
                guard waiting.begin(call) else { return call.cancel(CancellationError()) }
                if !queue.enter(call) { call.cancel(DatabaseError.busy) }
            }
        } onCancel: {
            waiting.cancel()
        }
    }
}

/// Runs migrations without timeouts.
private struct Unhurried: DatabaseDecorator {
    let postgres: PostgresDatabase
    var base: any Database { postgres }

    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        try await postgres.write(unhurried: true, body)
    }
}
