internal import Core
internal import Foundation

/// Who waits for a worker, in the order they came.
///
/// @unchecked: everything is guarded by `condition`.
final class WorkerQueue: @unchecked Sendable {
    private let capacity: Int
    private let condition = NSCondition()
    private var waiting: [WaitingJob] = []
    private var isClosed = false
    /// Whether the warm worker waits for work: then the spare ones leave it to it.
    private var isWarmIdle = false
    private var lastID: UInt64 = 0
    private var takenCount = 0

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { condition.withLock { waiting.count } }

    /// Jobs that a thread has taken, since the start.
    var taken: Int { condition.withLock { takenCount } }

    func nextID() -> UInt64 {
        condition.withLock {
            lastID += 1
            return lastID
        }
    }

    /// - Returns: why it may not wait; `nil` when it does.
    func enter(_ job: WaitingJob) -> Problem? {
        condition.withLock {
            guard !isClosed else { return Problem(.unavailable, "The server is shutting down.", retryAfter: .seconds(5)) }
            guard waiting.count < capacity else {
                return Problem(.unavailable, "Too many pictures are waiting to be looked at.", retryAfter: .seconds(2))
            }
            waiting.append(job)
            condition.broadcast()
            return nil
        }
    }

    /// - Returns: the job, when nobody has taken it yet; the caller's to finish.
    func withdraw(_ id: UInt64) -> WaitingJob? {
        condition.withLock {
            guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return waiting.remove(at: index)
        }
    }

    enum Taken {
        case job(WaitingJob)
        case nothingInTime
        case closed
    }

    /// Blocks until there is something to do.
    /// - Parameter idle: for a spare worker: how long to wait; `nil` for the warm one, which goes first.
    func take(idle: Duration?) -> Taken {
        let deadline = idle.map { Date(timeIntervalSinceNow: $0 / .seconds(1)) }
        return condition.withLock {
            if idle == nil { isWarmIdle = true }
            defer { if idle == nil { isWarmIdle = false } }
            // The queue is short: moving what remains costs less than a ring would.
            while waiting.isEmpty || (idle != nil && isWarmIdle && waiting.count < 2) {
                if isClosed { return .closed }
                guard let deadline else {
                    condition.wait()
                    continue
                }
                if !condition.wait(until: deadline) { return .nothingInTime }
            }
            // Spare workers held back by an idle warm one look again.
            if idle == nil { condition.broadcast() }
            takenCount += 1
            return .job(waiting.removeFirst())
        }
    }

    /// - Returns: who waited in vain; the caller's to finish.
    func close() -> [WaitingJob] {
        condition.withLock {
            isClosed = true
            condition.broadcast()
            defer { waiting = [] }
            return waiting
        }
    }
}
