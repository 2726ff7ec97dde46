internal import Core
internal import Database
internal import GRDB
internal import GRDBSQLite
internal import NIOConcurrencyHelpers
internal import Synchronization

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import enum Database.DatabaseError

/// Commits the writes of many callers together: up to 64 writes share one fsync.
///
/// A batch is BEGIN IMMEDIATE, each closure in its own savepoint, COMMIT. No caller receives a result or an error before COMMIT has
/// returned: an error may depend on another closure's row, which a failed COMMIT would undo. If the batch cannot be committed (full disk,
/// I/O error, deferred foreign key), it is rolled back. Then each closure runs once more, in its own transaction, and that run determines
/// its caller's result.
///
/// **Guarantees.** Success means durable. An error means that nothing was written, for as long as this process runs. After a COMMIT whose
/// fsync failed, the frames may still be in the WAL; if the process ends before the next commit overwrites them, recovery can find them
/// complete. The second run after a failed fsync is safe, because it writes every byte that it relies on again before it syncs again:
/// SQLite publishes neither frames nor checkpoints whose sync failed.
///
/// Foreign keys that are checked immediately (the default) fail in the statement that violates them, and so in the right closure. A
/// deferred one fails at COMMIT; the second run, with each closure in its own transaction, finds the closure that violates it.
final class GroupCommit: Sendable {
    struct Limits {
        /// Maximum number of closures in one transaction.
        var closures = 64
        /// Once this time has passed since the batch began, no further closure starts. It bounds how long the first closure waits for the
        /// others.
        var time = Duration.milliseconds(5)
        /// Maximum number of waiting callers; the next one gets `.busy`.
        var waiting = 4096
        /// False skips the second run, so that a failed batch fails for all. Only for the test that must fail without the second run.
        var retriesAlone = true
    }

    private let pool: DatabasePool
    /// Kept alive by this reference, because the writer's connection calls it after each commit.
    private let log: LogCopying
    private let statements = WriterStatements()
    private let limits: Limits
    private let wakes: Wakes
    private let queue: NIOLockedValueBox<WriteQueue>
    private let counted = Mutex(WriteStatistics())

    init(_ pool: DatabasePool, _ log: LogCopying, _ limits: Limits, wakes: Wakes) {
        self.pool = pool
        self.log = log
        self.limits = limits
        self.wakes = wakes
        queue = NIOLockedValueBox(WriteQueue(capacity: limits.waiting))
    }

    var statistics: WriteStatistics { counted.withLock { $0 } }

    var waiting: Int { queue.withLockedValue { $0.count } }

    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        let job = Job(body, of: .current, holdsTurn: Requester.holdsTurn)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                job.continuation = continuation
                switch queue.withLockedValue({ $0.enter(job) }) {
                case .waiting(startDrain: true): scheduleDrain()
                case .waiting(startDrain: false): break
                case .cancelled: job.finish(CancellationError())
                case .overflow: job.finish(DatabaseError.busy)
                }
            }
        } onCancel: {
            if queue.withLockedValue({ $0.cancel(job) }) { job.finish(CancellationError()) }
        }
    }

    /// Call this before the connection is closed: a connection that has statements cannot be closed. No write may be running.
    func forgetStatements() {
        pool.writeWithoutTransaction { _ in statements.own.forget() }
    }

    /// Only one drain is scheduled at a time, and each drain runs one batch, so that others can use the writer in between.
    private func scheduleDrain() {
        // GRDB's async `write` is not used: with it, one cancelled task would interrupt the whole batch.
        pool.asyncWriteWithoutTransaction { [self] connection in
            drain(connection)
            if queue.withLockedValue({ $0.continueDraining() }) { scheduleDrain() }
        }
    }

    // MARK: - On the writer's thread

    private func drain(_ connection: GRDB.Database) {
        // All jobs may have been cancelled in the meantime.
        guard queue.withLockedValue({ $0.count > 0 }) else { return }
        let youngest = queue.withLockedValue { $0.youngest }
        do {
            try connection.perform("BEGIN IMMEDIATE")
        } catch DatabaseError.busy {
            // Jobs that were queued before BEGIN have waited for the whole busy timeout. Later ones keep waiting.
            return finish(queue.withLockedValue { $0.takeAll(through: youngest) }, DatabaseError.busy)
        } catch {
            var jobs: [any WriteJob] = []
            while jobs.count < limits.closures, let job = queue.withLockedValue({ $0.next() }) { jobs.append(job) }
            return runAlone(jobs, after: error, connection)
        }

        let (jobs, failure) = runBatch(connection)
        guard let failure else {
            counted.withLock { $0.count(batch: jobs.count) }
            wakes.post(jobs.reduce(into: []) { $0.formUnion($1.wakes) })
            for job in jobs { job.finish(nil) }
            return
        }
        try? connection.rollback()
        runAlone(jobs, after: failure, connection)
    }

    /// - Returns: the closures that ran, and the error that prevented their commit, if any.
    private func runBatch(_ connection: GRDB.Database) -> ([any WriteJob], failure: (any Error)?) {
        var jobs: [any WriteJob] = []
        var now = ContinuousClock.now
        let end = now + limits.time
        do {
            while jobs.count < limits.closures, let job = queue.withLockedValue({ $0.next() }) {
                jobs.append(job)
                try runInSavepoint(job, connection)
                let start = now
                now = .now
                queue.withLockedValue { $0.ran(job, for: now - start, until: now) }
                if now >= end { break }
            }
            try connection.perform("COMMIT")
            return (jobs, nil)
        } catch {
            return (jobs, error)
        }
    }

    /// Rolls back only the closure's own work when it throws; the job keeps the error until the batch is committed.
    /// - Throws: when the whole batch was rolled back.
    private func runInSavepoint(_ job: any WriteJob, _ connection: GRDB.Database) throws {
        try connection.step("SAVEPOINT closure")
        do {
            try job.run(transaction(of: job, connection))
        } catch {
            // On a full disk, an I/O error, lack of memory or an interrupt, SQLite may roll back the whole transaction, with the other
            // closures.
            guard connection.isInsideTransaction else { throw error }
            try connection.step("ROLLBACK TO closure")
        }
        try connection.step("RELEASE closure")
    }

    /// Runs each closure in its own transaction, and resumes its caller at once.
    private func runAlone(_ jobs: [any WriteJob], after failure: any Error, _ connection: GRDB.Database) {
        guard limits.retriesAlone else { return finish(jobs, failure) }
        for (index, job) in jobs.enumerated() {
            do {
                try connection.perform("BEGIN IMMEDIATE")
            } catch DatabaseError.busy {
                // Each remaining job would wait for the whole timeout again, one after the other.
                return finish(jobs[index...], DatabaseError.busy)
            } catch {
                job.finish(error)
                continue
            }
            do {
                try job.run(transaction(of: job, connection))
                try connection.perform("COMMIT")
                counted.withLock { $0.count(alone: true) }
                wakes.post(job.wakes)
                job.finish(nil)
            } catch {
                try? connection.rollback()
                counted.withLock { $0.count(alone: false) }
                job.finish(error)
            }
        }
    }

    private func transaction(of job: any WriteJob, _ connection: GRDB.Database) -> SQLiteTransaction {
        SQLiteTransaction(connection, statements.own) { [queue] in
            queue.withLockedValue { $0.hasOthers(than: job.share, now: .now) }
        }
    }

    private func finish(_ jobs: some Sequence<any WriteJob>, _ error: any Error) {
        for job in jobs { job.finish(error) }
    }
}

/// @unchecked: only the writer's thread accesses it.
private final class WriterStatements: @unchecked Sendable {
    let own = SQLiteStatements()
}

/// The closure of one call of `write`, and its outcome.
///
/// @unchecked: the queue's lock guards `stage`. `continuation` is set before the job enters the queue and used once after it has left.
/// Only the writer's thread accesses `outcome`.
private final class Job<T: Sendable>: WriteJob, @unchecked Sendable {
    let share: Requester.Share
    let networkShare: Requester.Share
    let holdsTurn: Bool
    var stage = WriteStage.new
    var continuation: CheckedContinuation<T, any Error>?
    private let body: @Sendable (WriteTransaction) throws -> T
    private var outcome: Result<T, any Error>?
    private(set) var wakes: Set<Wake> = []

    init(_ body: @escaping @Sendable (WriteTransaction) throws -> T, of requester: Requester, holdsTurn: Bool) {
        self.body = body
        share = requester.share
        networkShare = requester.networkShare
        self.holdsTurn = holdsTurn
    }

    func run(_ engine: SQLiteTransaction) throws {
        wakes = []
        outcome = Result {
            let tx = WriteTransaction(engine)
            let value = try body(tx)
            // The closure caught a statement's error, which is not allowed: later statements did not run, so the closure has failed.
            if let failure = engine.failure { throw failure }
            try tx.end()
            wakes = tx.wakes
            return value
        }
        _ = try outcome?.get()
    }

    func finish(_ error: (any Error)?) {
        if let error {
            continuation?.resume(throwing: error)
        } else if let outcome {
            continuation?.resume(with: outcome)
        }
        continuation = nil
    }
}

extension GRDB.Database {
    /// Runs `sql` through GRDB, which keeps track of where transactions begin and end.
    fileprivate func perform(_ sql: String) throws {
        try mappingEngineErrors { try cachedStatement(sql: sql).execute() }
    }

    /// Runs `sql` without GRDB's tracking. Savepoints do not need the tracking, and each closure would pay for it.
    fileprivate func step(_ sql: String) throws {
        let statement = try mappingEngineErrors { try cachedStatement(sql: sql).sqliteStatement }
        let code = sqlite3_step(statement)
        defer { sqlite3_reset(statement) }
        guard code == SQLITE_DONE else { throw DatabaseError(code: code, message: lastErrorMessage, trusted: true) }
    }
}
