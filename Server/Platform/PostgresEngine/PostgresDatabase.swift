internal import Core
package import Database
internal import Foundation

/// A PostgreSQL server, used through a pool of connections. Closures are synchronous and libpq blocks, so they must not run on the threads
/// of Swift's cooperative pool. They run on threads of their own, which also process requests: then a call switches no threads. A call
/// blocks its thread only while it has a connection. There are more threads than connections, so a task that needs no connection never
/// waits for a slow server.
///
/// A read is one snapshot (REPEATABLE READ, READ ONLY). A write is READ COMMITTED: code that checks and then writes calls `tx.lock`. A
/// transaction that fails with a deadlock or a serialization failure runs again; a lost connection is replaced. Cancelling a task stops its
/// read. It withdraws a write that has not started; a write that has started runs to its end.
package final class PostgresDatabase: Database {
    private let pool: PostgresPool
    private let databaseThreads: DatabaseThreads
    private let notifier: PostgresNotifier
    private let migrator: Migrator
    private let usage = Usage()
    private let lockTimeout: Duration
    package let wakes: Wakes

    /// - Parameter lockTimeout: how long a write is repeated while a lock is taken.
    init(
        pool: PostgresPool, threads: DatabaseThreads, notifier: PostgresNotifier, migrator: Migrator, wakes: Wakes, lockTimeout: Duration
    ) {
        self.pool = pool
        self.lockTimeout = lockTimeout
        databaseThreads = threads
        self.notifier = notifier
        self.migrator = migrator
        self.wakes = wakes
    }

    /// Closes the connections too: nothing else refers to the pool.
    deinit { notifier.stop() }

    package func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        try await reading { worker, stop in try worker.read(stop, body) }
    }

    package func list<Element: Sendable>(
        _ sql: SQL, _ element: @escaping @Sendable (inout RowReader) throws -> Element
    ) async throws -> [Element] {
        try await reading { worker, stop in try worker.list(stop, sql, element) }
    }

    package var threads: (any WorkThreads)? { databaseThreads }

    /// Does nothing: PostgreSQL's vacuum reclaims deleted rows by itself.
    package func scrub(_ tables: [TokenTable]) async throws {}

    /// Closes connections that have sent or received a long value and are free: libpq's buffers grow for it, and never shrink. The next
    /// call opens a new one.
    package func releaseMemory() async {
        guard (try? usage.enter()) != nil else { return }
        defer { usage.leave() }
        try? await blocking { [pool] in pool.releaseMemory() }
    }

    /// - Throws: `DatabaseError.busy` at once when 4,096 callers are waiting already.
    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        try await write(withoutTimeouts: false, body)
    }

    @discardableResult
    package func run(_ sql: SQL) async throws -> Int {
        try await repeatingTaken { attempts in try await self.withWorker(.write) { worker in try worker.run(sql, attempts: attempts) } }
    }

    fileprivate func write<T: Sendable>(
        withoutTimeouts: Bool, _ body: @escaping @Sendable (WriteTransaction) throws -> T
    ) async throws -> T {
        try await repeatingTaken { attempts in
            try await self.withWorker(.write) { [wakes, notifier] worker in
                let (value, woken) = try worker.write(withoutTimeouts: withoutTimeouts, attempts: attempts, body)
                if !woken.isEmpty {
                    wakes.post(woken)
                    notifier.notify(woken)
                }
                return value
            }
        }
    }

    /// Runs a write again while it finds a lock taken, see `LockWaits`.
    /// - Parameter write: receives how often the write has found a lock taken.
    private func repeatingTaken<T: Sendable>(_ write: (Int) async throws -> T) async throws -> T {
        let end = ContinuousClock.now + lockTimeout
        var attempts = 0
        while true {
            do {
                return try await write(attempts)
            } catch is LockWaits.LockTaken {
                guard .now < end else { throw DatabaseError.busy }
                try await Task.sleep(for: LockWaits.pause(after: attempts))
                attempts += 1
            }
        }
    }

    /// When several nodes start at the same time, one migrates and the others wait for it, without a timeout.
    package func migrate(_ migrations: [Migration], release: Int) async throws {
        try await migrator.migrate(WithoutTimeouts(postgres: self), migrations, release: release)
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
    package var waiting: Int { pool.waitingCount }

    package func close() async throws {
        guard await usage.close() else { return }
        notifier.stop()
        try await blocking { [pool, notifier] in
            pool.close()
            notifier.waitUntilStopped()
        }
    }

    private func reading<T: Sendable>(_ body: @Sendable (PostgresWorker, PostgresStop) throws -> T) async throws -> T {
        let stop = PostgresStop()
        return try await withTaskCancellationHandler {
            try await withWorker(.read) { worker in try body(worker, stop) }
        } onCancel: {
            stop.want()
        }
    }

    /// Runs `body` on one of the threads, with a connection.
    private func withWorker<T: Sendable>(
        _ use: ConnectionUse, _ body: @Sendable (PostgresWorker) throws -> T
    ) async throws -> T {
        try usage.enter()
        defer { usage.leave() }
        // Request handlers already run on these threads and need no executor switch.
        if databaseThreads.isCurrent { return try await pool.withWorker(use, body) }
        return try await withTaskExecutorPreference(databaseThreads.currentExecutor) { try await pool.withWorker(use, body) }
    }
}

/// Runs migrations without timeouts.
private struct WithoutTimeouts: DatabaseDecorator {
    let postgres: PostgresDatabase
    var base: any Database { postgres }

    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        try await postgres.write(withoutTimeouts: true, body)
    }
}
