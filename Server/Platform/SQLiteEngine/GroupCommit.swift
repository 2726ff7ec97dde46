internal import Core
internal import Database
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

// GRDB has types of the same names; an import of one declaration takes precedence.
internal import enum Database.DatabaseError

/// Commits the writes of many callers together: one fsync pays for up to 64 of them.
///
/// A batch is BEGIN IMMEDIATE, each closure in a savepoint of its own, COMMIT. Nobody hears anything before that COMMIT has
/// returned, neither a result nor an error: an error may have been decided on a neighbour's row that then never came to be.
/// When the batch cannot be committed (a full disk, an I/O error, a deferred foreign key), it is rolled back and each closure
/// runs once more, in a transaction of its own, which decides what its caller hears.
///
/// **What is promised.** "Heard success" means durable. "Heard an error" means absent for as long as this process runs; after a
/// COMMIT whose fsync failed, the frames may lie in the WAL all the same, and if the process ends before the next commit
/// overwrites them, recovery can find them whole. The second run after a failed fsync is sound, because it writes every byte
/// it relies on again before it syncs again: SQLite publishes neither frames nor checkpoints whose sync failed.
///
/// Foreign keys that are checked at once (the default) fail in the statement that breaks them, hence in the right closure.
/// A deferred one fails at COMMIT; the second, lonely run finds out whose it was.
final class GroupCommit: Sendable {
    struct Limits {
        /// Closures in one transaction.
        var closures = 64
        /// No closure starts later than this after its batch began: it bounds what the first one waits for the others.
        var time = Duration.milliseconds(5)
        /// Callers waiting; the next hears `.busy`.
        var waiting = 4096
        /// False leaves out the second run, so that a failed batch fails for all. Only for the test that must then fail.
        var retriesAlone = true
    }

    private let pool: DatabasePool
    private let statements = WriterStatements()
    private let limits: Limits
    private let wakes: Wakes
    private let queue: Mutex<WriteQueue>
    private let counted = Mutex(WriteStatistics())

    init(_ pool: DatabasePool, _ limits: Limits, wakes: Wakes) {
        self.pool = pool
        self.limits = limits
        self.wakes = wakes
        queue = Mutex(WriteQueue(capacity: limits.waiting))
    }

    var statistics: WriteStatistics { counted.withLock { $0 } }

    var waiting: Int { queue.withLock { $0.count } }

    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        let job = Job(body)
        let share = Requester.current.share
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                job.continuation = continuation
                switch queue.withLock({ $0.enter(job, share: share) }) {
                case .waiting(startDrain: true): scheduleDrain()
                case .waiting(startDrain: false): break
                case .cancelled: job.finish(CancellationError())
                case .overflow: job.finish(DatabaseError.busy)
                }
            }
        } onCancel: {
            if queue.withLock({ $0.cancel(job) }) { job.finish(CancellationError()) }
        }
    }

    /// Before the connection is closed, which must have none left. Nobody writes any more.
    func forgetStatements() {
        pool.writeWithoutTransaction { _ in statements.own.forget() }
    }

    /// One drain is scheduled at a time, and each is one batch, so that others get at the writer in between.
    private func scheduleDrain() {
        // Not GRDB's async write: there, one cancelled task would interrupt everybody's batch.
        pool.asyncWriteWithoutTransaction { [self] connection in
            drain(connection)
            if queue.withLock({ $0.continueDraining() }) { scheduleDrain() }
        }
    }

    // MARK: - On the writer's thread

    private func drain(_ connection: GRDB.Database) {
        // All may have been cancelled since.
        guard queue.withLock({ $0.count > 0 }) else { return }
        let youngest = queue.withLock { $0.youngest }
        do {
            try connection.perform("BEGIN IMMEDIATE")
        } catch DatabaseError.busy {
            // Whoever was there when we began to wait has waited the whole busy timeout. The others still can.
            return finish(queue.withLock { $0.takeAll(through: youngest) }, DatabaseError.busy)
        } catch {
            var jobs: [any WriteJob] = []
            while jobs.count < limits.closures, let job = queue.withLock({ $0.next() }) { jobs.append(job) }
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

    /// - Returns: the closures that ran, and why they are not committed, if they are not.
    private func runBatch(_ connection: GRDB.Database) -> ([any WriteJob], failure: (any Error)?) {
        var jobs: [any WriteJob] = []
        let end = ContinuousClock.now + limits.time
        do {
            while jobs.count < limits.closures, let job = queue.withLock({ $0.next() }) {
                jobs.append(job)
                try runInSavepoint(job, connection)
                if ContinuousClock.now >= end { break }
            }
            try connection.perform("COMMIT")
            return (jobs, nil)
        } catch {
            return (jobs, error)
        }
    }

    /// A closure that throws undoes its own work only; the job keeps the error until the batch is committed.
    /// - Throws: when the whole batch is lost.
    private func runInSavepoint(_ job: any WriteJob, _ connection: GRDB.Database) throws {
        try connection.step("SAVEPOINT closure")
        do {
            try job.run(SQLiteTransaction(connection, statements.own))
        } catch {
            // A full disk, an I/O error, no memory or an interrupt can roll back everything, the neighbours included.
            guard connection.isInsideTransaction else { throw error }
            try connection.step("ROLLBACK TO closure")
        }
        try connection.step("RELEASE closure")
    }

    /// Each closure in a transaction of its own, and its caller told at once.
    private func runAlone(_ jobs: [any WriteJob], after failure: any Error, _ connection: GRDB.Database) {
        guard limits.retriesAlone else { return finish(jobs, failure) }
        for (index, job) in jobs.enumerated() {
            do {
                try connection.perform("BEGIN IMMEDIATE")
            } catch DatabaseError.busy {
                // Each of the rest would wait the whole timeout again, one after the other.
                return finish(jobs[index...], DatabaseError.busy)
            } catch {
                job.finish(error)
                continue
            }
            do {
                try job.run(SQLiteTransaction(connection, statements.own))
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

    private func finish(_ jobs: some Sequence<any WriteJob>, _ error: any Error) {
        for job in jobs { job.finish(error) }
    }
}

/// @unchecked: only the writer's thread looks in.
private final class WriterStatements: @unchecked Sendable {
    let own = SQLiteStatements()
}

/// The closure of one caller of `write`, and what came of it.
///
/// @unchecked: `stage` is guarded by the queue's lock; `continuation` is set before the job enters the queue and used once after
/// it has left; `outcome` is touched by the writer's thread alone.
private final class Job<T: Sendable>: WriteJob, @unchecked Sendable {
    var stage = WriteStage.new
    var continuation: CheckedContinuation<T, any Error>?
    private let body: @Sendable (WriteTransaction) throws -> T
    private var outcome: Result<T, any Error>?
    private(set) var wakes: Set<Wake> = []

    init(_ body: @escaping @Sendable (WriteTransaction) throws -> T) { self.body = body }

    func run(_ engine: SQLiteTransaction) throws {
        wakes = []
        outcome = Result {
            let tx = WriteTransaction(engine)
            let value = try body(tx)
            // Caught inside the closure, against the law: what followed it did not run, so the closure has failed.
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
    /// With GRDB's bookkeeping, which follows where transactions begin and end.
    fileprivate func perform(_ sql: String) throws {
        try mappingEngineErrors { try cachedStatement(sql: sql).execute() }
    }

    /// Without it: savepoints come by the pair with every closure, and nobody asks GRDB about them.
    fileprivate func step(_ sql: String) throws {
        let statement = try mappingEngineErrors { try cachedStatement(sql: sql).sqliteStatement }
        let code = sqlite3_step(statement)
        defer { sqlite3_reset(statement) }
        guard code == SQLITE_DONE else { throw DatabaseError(code: code, message: lastErrorMessage, trusted: true) }
    }
}
