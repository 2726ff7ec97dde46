import Core
import NIOCore
package import NIOPosix
import Synchronization

/// Runs reads or writes of files on the threads of a pool. Accounts and networks for which the threads have worked for a shorter time
/// go first. A download has at most one such call at a time, but the clients of a few networks can have a thousand downloads of files that
/// are not in the page cache. If calls ran in the order in which they came, each read of others would wait for all of these.
///
/// The caller's requester is that of the current task. If it holds a turn for which others wait (`HeldTurns`), such as one of the few turns
/// in which the pieces of archives are made, its call does not wait behind other calls. Otherwise everybody who needs the turn would wait,
/// too. Only one thread at a time serves such calls first, so they do not keep all other calls waiting.
package final class DiskTurns: Sendable {
    private struct Call: Sendable {
        let requester: Requester
        /// Whether the requester holds a turn for which others wait.
        let holdsTurn: Bool
        let work: NIOThreadPool.WorkItem
    }

    private struct State {
        // The limits on requests and on responses in flight already bound how many calls wait.
        var waiting = FairQueue<Requester.Share, Call>(limit: .max, limitPerKey: .max)
        /// The calls for which `Call.holdsTurn` is set.
        var waitingOfHolders = FairQueue<Requester.Share, Call>(limit: .max, limitPerKey: .max)
        var runningCount = 0
        var runningCountOfHolders = 0
        /// The head start is a few times as long as a short read takes.
        var usage = RequesterUsage(headStart: 20_000)

        /// The most time that counts as use for one call. After a call that waited for a broken disk, the requester's next call then still
        /// starts within seconds.
        private static let mostTime = Duration.seconds(1)

        var isIdle: Bool { waiting.isEmpty && waitingOfHolders.isEmpty && runningCount == 0 }

        mutating func enter(_ call: Call) throws(FairQueueRefusal) {
            if call.holdsTurn {
                try waitingOfHolders.enqueue(call, for: call.requester.share)
            } else {
                try waiting.enqueue(call, for: call.requester.share)
            }
        }

        mutating func next() -> Call? {
            let rank: (Call) -> UInt64 = { [usage] call in usage.rank(of: call.requester.share, in: call.requester.networkShare) }
            var found: Call?
            if runningCountOfHolders == 0 { found = waitingOfHolders.dequeue(whereNext: { _, _ in true }, rank: rank)?.element }
            if found == nil { found = waiting.dequeue(whereNext: { _, _ in true }, rank: rank)?.element }
            if found == nil { found = waitingOfHolders.dequeue(whereNext: { _, _ in true }, rank: rank)?.element }
            guard let call = found else { return nil }
            runningCount += 1
            if call.holdsTurn { runningCountOfHolders += 1 }
            return call
        }

        mutating func ended(_ call: Call, after time: Duration) {
            runningCount -= 1
            if call.holdsTurn { runningCountOfHolders -= 1 }
            usage.used(min(time, Self.mostTime), by: call.requester.share, in: call.requester.networkShare)
            // No call waits or runs, so nobody is delayed by what was used: forget it.
            if isIdle { usage.reset() }
        }
    }

    private let pool: NIOThreadPool
    private let state = Mutex(State())

    package init(_ pool: NIOThreadPool) { self.pool = pool }

    /// The number of calls that wait for a thread.
    package var waitingCount: Int { state.withLock { $0.waiting.count + $0.waitingOfHolders.count } }

    /// Runs `work` on one of the threads. Its argument says whether the pool still runs.
    func start(_ work: @escaping NIOThreadPool.WorkItem) {
        let requester = Requester.current
        // The server's own work has a share of its own.
        let call = Call(requester: requester, holdsTurn: Requester.holdsTurn && requester != .server, work: work)
        let isWaiting = state.withLock { (try? $0.enter(call)) != nil }
        precondition(isWaiting, "the queue has no limit")
        // The thread runs the call that is next at that time, which may be another one. There is one submission for each call, so all of
        // them run.
        pool.submit { [self] poolState in
            guard let next = state.withLock({ $0.next() }) else { return }
            let begin = ContinuousClock.now
            next.work(poolState)
            let time = begin.duration(to: .now)
            state.withLock { $0.ended(next, after: time) }
        }
    }

    /// Runs `body` on one of the threads, where it may block. Like `NIOThreadPool.perform`, it does not end when the task is cancelled.
    package func perform<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            start { state in
                switch state {
                case .active: continuation.resume(with: Result(catching: body))
                case .cancelled: continuation.resume(throwing: BlobError.closed)
                }
            }
        }
    }

    /// Runs `body` on one of the threads, where it may block.
    func run<T: Sendable>(on eventLoop: any EventLoop, _ body: @escaping @Sendable () throws -> T) -> EventLoopFuture<T> {
        let promise = eventLoop.makePromise(of: T.self)
        start { state in
            switch state {
            case .active: promise.completeWith(Result(catching: body))
            case .cancelled: promise.fail(BlobError.closed)
            }
        }
        return promise.futureResult
    }
}
