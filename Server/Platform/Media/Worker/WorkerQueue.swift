internal import Core
internal import Foundation

/// The queue of jobs that wait for a worker.
///
/// @unchecked: everything is guarded by `condition`.
final class WorkerQueue: @unchecked Sendable {
    typealias Turns = WorkerTurns<WaitingJob>

    private let condition = NSCondition()
    private var turns: Turns
    private var isClosed = false
    /// Whether the permanent worker is idle; additional workers then leave the next job to it.
    private var isWarmIdle = false
    private var lastID: UInt64 = 0
    private var takenCount = 0

    init(_ limits: Turns.Limits) { turns = Turns(limits) }

    var count: Int { condition.withLock { turns.count } }

    /// Number of large results that exist or that running jobs may make.
    var largeResultCount: Int { condition.withLock { turns.largeResultCount } }

    /// Number of jobs that threads have taken since the start.
    var taken: Int { condition.withLock { takenCount } }

    func nextID() -> UInt64 {
        condition.withLock {
            lastID += 1
            return lastID
        }
    }

    /// - Returns: why the job was refused; `nil` when it was enqueued.
    func enter(_ job: WaitingJob) -> Problem? {
        condition.withLock {
            guard !isClosed else { return Self.shuttingDown }
            do throws(FairQueueRefusal) {
                try turns.enqueue(Self.entry(job), job.jobClass)
            } catch {
                return Self.problem(error)
            }
            condition.broadcast()
            return nil
        }
    }

    /// Whether a job that runs should be stopped and put back, see `WorkerTurns.shouldStop`.
    func shouldStop(_ job: WaitingJob) -> Bool { condition.withLock { turns.shouldStop(Self.entry(job), at: Self.now) } }

    /// Puts a job that was stopped, or that the reserve could not begin, back into the queue.
    /// - Returns: why the job was refused; the caller must then finish it. `nil` when it was enqueued.
    func putBack(_ job: WaitingJob) -> Problem? {
        job.noteStop()
        return condition.withLock {
            defer { condition.broadcast() }
            do throws(FairQueueRefusal) {
                try turns.putBack(Self.entry(job), job.jobClass, at: Self.now)
            } catch {
                return Self.problem(error)
            }
            return isClosed ? turns.withdraw(job.id).map { _ in Self.shuttingDown } : nil
        }
    }

    private static func problem(_ refusal: FairQueueRefusal) -> Problem {
        switch refusal {
        case .keyIsFull:
            Problem(
                .tooManyRequests, "Too many files of your account or network wait to be decoded. Try again shortly.",
                retryAfter: .seconds(2))
        case .full: Problem(.unavailable, "Too many files wait to be decoded. Try again shortly.", retryAfter: .seconds(2))
        }
    }

    private static var shuttingDown: Problem { Problem(.unavailable, "The server is shutting down.", retryAfter: .seconds(5)) }

    private static func entry(_ job: WaitingJob) -> Turns.Entry {
        Turns.Entry(
            id: job.id, requester: job.requester, isLong: job.work.isLong, job: job, holdsTurn: job.holdsTurn,
            product: job.product.map { AnyHashable($0) }, mayBeLarge: job.mayBeLarge, mayUseReserve: job.mayUseReserve,
            stopCount: job.stopCount, expectedTime: job.work.expectedTime, createdAt: job.createdAt)
    }

    /// - Returns: the job, if no thread has taken it yet; the caller must finish it.
    func withdraw(_ id: UInt64) -> WaitingJob? { condition.withLock { turns.withdraw(id)?.job } }

    /// Removes the waiting jobs with the same product as this one. The caller must finish them.
    func withdrawTwins(of job: WaitingJob) -> [WaitingJob] { condition.withLock { turns.withdrawTwins(of: Self.entry(job)).map(\.job) } }

    /// In milliseconds.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }

    enum Taken {
        case job(WaitingJob)
        case nothingInTime
        case closed
    }

    /// Blocks until there is a job. Call `finished` with the job when it is done.
    /// - Parameter idle: how long an additional worker waits; `nil` for the permanent one, which has precedence.
    func take(idle: Duration?) -> Taken {
        let deadline = idle.map { Date(timeIntervalSinceNow: $0 / .seconds(1)) }
        return condition.withLock {
            if idle == nil { isWarmIdle = true }
            defer { if idle == nil { isWarmIdle = false } }
            while true {
                if idle == nil || !isWarmIdle, let entry = turns.next(at: Self.now) {
                    // Wake additional workers that left the job to the idle permanent one, and the reserve, which could not know until now
                    // when it may take a waiting job.
                    if idle == nil || (turns.count > 0 && turns.reserveBegin != nil) { condition.broadcast() }
                    takenCount += 1
                    return .job(entry.job)
                }
                if isClosed { return .closed }
                guard let deadline else {
                    condition.wait()
                    continue
                }
                if !condition.wait(until: deadline) { return .nothingInTime }
            }
        }
    }

    /// Blocks until there is a job for the reserve. Call `finished` or `putBack` with the job when its worker is free.
    /// - Parameter idle: how long the reserve waits.
    func takeForReserve(idle: Duration) -> Taken {
        let deadline = Date(timeIntervalSinceNow: idle / .seconds(1))
        return condition.withLock {
            while true {
                let now = Self.now
                if let entry = turns.reserveNext(at: now) {
                    takenCount += 1
                    return .job(entry.job)
                }
                if isClosed { return .closed }
                // Only time has to pass until the reserve may take a job, so no thread wakes this one then.
                if turns.count > 0, let begin = turns.reserveBegin, begin > now {
                    _ = condition.wait(until: min(deadline, Date(timeIntervalSinceNow: Double(begin - now) / 1_000)))
                } else {
                    _ = condition.wait(until: deadline)
                }
                if Date.now >= deadline { return .nothingInTime }
            }
        }
    }

    /// If the outcome holds a large result, makes it count until nobody refers to it any more, even after `finished`. Call this before the
    /// job's caller gets the outcome.
    func counted(_ outcome: WaitingJob.Outcome, of job: WaitingJob) -> WaitingJob.Outcome {
        guard job.mayBeLarge, case .answer(let answer, let content) = outcome, content.isSealed else { return outcome }
        let id = job.id
        condition.withLock { turns.keepResult(of: id) }
        return .answer(answer, content.counted(by: ResultToken { [self] in resultIsGone(of: id) }))
    }

    private func resultIsGone(of id: UInt64) {
        condition.withLock {
            turns.resultIsGone(of: id)
            condition.broadcast()
        }
    }

    /// Frees the job's worker; jobs that were skipped may run now.
    func finished(_ job: WaitingJob) {
        condition.withLock {
            turns.finished(Self.entry(job), at: Self.now)
            condition.broadcast()
        }
    }

    /// - Returns: the jobs that were still waiting; the caller must finish them.
    func close() -> [WaitingJob] {
        condition.withLock {
            isClosed = true
            condition.broadcast()
            return turns.removeAll().map(\.job)
        }
    }
}
