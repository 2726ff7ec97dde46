internal import CMedia
internal import Core
internal import Foundation
internal import Logging
internal import MediaFrames
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A thread that owns one worker and gives it one job at a time. It blocks instead of a thread of Swift's cooperative pool. It must also
/// start the worker itself, because a worker is killed when the thread that started it ends.
struct WorkerThread: Sendable {
    enum Role {
        /// Starts its worker at once and keeps it.
        case permanent
        /// Starts a worker when there is work, and ends it when there is none.
        case additional
        /// As `additional`, but runs only jobs that take little time (`MediaWorkerOptions.hasReserve`).
        case reserve
    }

    let options: MediaWorkerOptions
    let role: Role
    let queue: WorkerQueue
    let running: RunningWorkers
    let slowWork: SlowWork
    let logger: Logger

    /// Returns when the queue is closed.
    func serve() {
        var worker: WorkerProcess?
        // If the program does not start, do not try again for every job.
        var isHopelessUntil = ContinuousClock.Instant.now
        func start() -> WorkerProcess? {
            guard ContinuousClock.Instant.now >= isHopelessUntil else { return nil }
            do {
                // Retry once if the worker ended while it started, which may be a coincidence. Do not retry after a timeout.
                do { return try WorkerProcess(options, running) } catch FrameError.ended { return try WorkerProcess(options, running) }
            } catch {
                isHopelessUntil = .now + .seconds(1)
                logger.error("a media worker did not start", metadata: ["error": "\(error)"])
                return nil
            }
        }
        defer { worker?.end() }

        if role == .permanent, options.isKeptWarm { worker = start() }
        while true {
            switch take() {
            case .closed: return
            case .nothingInTime:
                worker?.end()
                worker = nil
            case .job(let job):
                var isPutBack = false
                defer { if !isPutBack { queue.finished(job) } }
                let work: MediaJob
                let stop = LongJobStop(job, queue)
                var frame: CInt?
                defer { if let frame { _ = close(frame) } }
                switch job.work {
                case .tool:
                    isPutBack = runTool(job, stop)
                    continue
                case .picture(let picture, _, _): work = picture
                case .film(let command, let outputByteCount, let request):
                    do throws(MediaFailure) {
                        frame = try firstFrame(command, outputByteCount: outputByteCount, for: job, stop)
                    } catch {
                        isPutBack = stop.wasStopped && !job.isAbandoned
                        if isPutBack { putBack(job) } else { finish(job, .failure(error)) }
                        continue
                    }
                    work = .variant(request)
                }
                if let idle = worker, idle.isDisturbed {
                    logger.warning("a media worker died while it was idle")
                    idle.end()
                    worker = nil
                }
                worker = worker ?? start()
                guard let current = worker else {
                    // The other workers run, so they can do the job.
                    guard role != .reserve else {
                        isPutBack = true
                        putBack(job)
                        continue
                    }
                    job.finish(.failure(Problem(.unavailable, "Pictures cannot be processed right now.", retryAfter: .seconds(2))))
                    continue
                }
                worker = perform(work, frame ?? job.descriptor, job, current, stop, isPutBack: &isPutBack)
                if role == .permanent, worker == nil { worker = start() }
            }
        }
    }

    private func take() -> WorkerQueue.Taken {
        switch role {
        case .permanent: queue.take(idle: nil)
        case .additional: queue.take(idle: options.spareIdle)
        case .reserve: queue.takeForReserve(idle: options.spareIdle)
        }
    }

    /// - Parameters:
    ///   - input: the file that the worker gets.
    ///   - isPutBack: becomes `true` if the job was stopped and waits for a worker again.
    /// - Returns: the worker, or `nil` if it must be replaced.
    private func perform(
        _ work: MediaJob, _ input: CInt, _ job: WaitingJob, _ worker: WorkerProcess, _ stop: LongJobStop, isPutBack: inout Bool
    ) -> WorkerProcess? {
        guard job.begin(in: worker.process) else {
            job.finish(.failure(CancellationError()))
            return worker
        }
        let quickTimeout = options.quickTimeout(of: job)
        let start = worker.processorTime
        let timeout = role == .reserve ? min(options.reserveTimeout, quickTimeout ?? options.reserveTimeout) : quickTimeout
        let result = Result { () throws(MediaFailure) in
            try worker.perform(work, input, quickTimeout: timeout, shouldStop: stop.shouldStop)
        }
        job.end()
        // The time is noted before the caller continues, because the caller may repeat the job as long work.
        slowWork.note(job, used: worker.processorTime - start, limit: quickTimeout)
        if stop.wasStopped || role == .reserve, case .failure(.timedOut) = result, !job.isAbandoned {
            worker.end()
            isPutBack = true
            putBack(job)
            return nil
        }
        var isDone = false
        switch result {
        case .success, .failure(.refused): isDone = worker.isUsedUp
        case .failure where job.isAbandoned:
            logger.debug("a media worker was replaced: the caller of its job had gone")
            isDone = true
        case .failure(let failure):
            logger.warning("a media worker was replaced", metadata: ["failure": "\(failure)"])
            isDone = true
        }
        // End the worker before finishing the job, so that a caller with its result finds the worker gone.
        if isDone { worker.end() }
        finish(job, result)
        return isDone ? nil : worker
    }

    /// Leaves a stopped job to the worker that is free when its turn comes again. Do not call `finished` with it, because it may be waiting
    /// or running by then.
    private func putBack(_ job: WaitingJob) {
        // A program has read its file from the beginning.
        _ = lseek(job.descriptor, 0, SEEK_SET)
        if let problem = queue.putBack(job) { job.finish(.failure(problem)) }
    }

    /// Finishes a job, and the waiting jobs that do the same work on the same file.
    private func finish(_ job: WaitingJob, _ result: Result<WaitingJob.Outcome, MediaFailure>) {
        let outcome: Result<WaitingJob.Outcome, any Error> = result.map { queue.counted($0, of: job) }.mapError { $0 }
        let isDueToFile =
            switch result {
            case .success: true
            case .failure(.refused), .failure(.timedOut): !job.isAbandoned
            case .failure: false
            }
        if isDueToFile {
            for twin in queue.withdrawTwins(of: job) { twin.finish(outcome) }
        }
        job.finish(outcome)
    }

    /// - Returns: a picture in memory, which the caller must close.
    private func firstFrame(
        _ command: [String], outputByteCount: Int, for job: WaitingJob, _ stop: LongJobStop
    ) throws(MediaFailure) -> CInt {
        var process = ToolProcess(options, running)
        process.shouldStop = stop.shouldStop
        guard case .output(let frame) = try process.run(command, input: job.descriptor, outputByteCount: outputByteCount, for: job) else {
            throw .crashed
        }
        guard !frame.isEmpty else { throw .refused(.unreadable) }
        let memory = frame.withUnsafeBytes { media_sealed_memory($0.baseAddress!, $0.count) }
        guard memory >= 0 else { throw .crashed }
        return memory
    }

    /// - Returns: whether the job was stopped and waits for a worker again.
    private func runTool(_ job: WaitingJob, _ stop: LongJobStop) -> Bool {
        guard case .tool(let command, let outputByteCount, let timeout, let findsPeaks, _, _) = job.work else { return false }
        var options = options
        options.jobTimeout = timeout ?? options.jobTimeout
        var process = ToolProcess(options, running)
        process.shouldStop = stop.shouldStop
        let result = Result { [process] () throws(MediaFailure) -> WaitingJob.Outcome in
            guard findsPeaks else {
                return try process.run(command, input: job.descriptor, outputByteCount: outputByteCount, for: job)
            }
            return .peaks(try process.peaks(command, input: job.descriptor, outputByteCount: outputByteCount, for: job))
        }
        if stop.wasStopped, case .failure(.timedOut) = result, !job.isAbandoned {
            putBack(job)
            return true
        }
        finish(job, result)
        return false
    }
}

/// Asks the queue whether a long job should be stopped, and remembers the answer.
private final class LongJobStop: Sendable {
    private let job: WaitingJob
    private let queue: WorkerQueue
    private let stopped = Atomic(false)

    init(_ job: WaitingJob, _ queue: WorkerQueue) {
        self.job = job
        self.queue = queue
    }

    var wasStopped: Bool { stopped.load(ordering: .relaxed) }

    @Sendable func shouldStop() -> Bool {
        if !wasStopped, queue.shouldStop(job) { stopped.store(true, ordering: .relaxed) }
        return wasStopped
    }
}
