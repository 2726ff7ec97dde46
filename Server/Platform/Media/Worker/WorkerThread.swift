internal import Core
internal import Foundation
internal import Logging
internal import MediaFrames

/// A thread that keeps one worker and hands it one job at a time. It waits for the worker instead of a Swift concurrency thread, and
/// it must be the one that starts it: a worker dies with the thread that started it.
struct WorkerThread: Sendable {
    let options: MediaWorkerOptions
    /// The warm one starts its worker at once and keeps it; a spare one when there is work.
    let isWarm: Bool
    let queue: WorkerQueue
    let running: RunningWorkers
    let logger: Logger

    /// Returns when the queue is closed.
    func serve() {
        var worker: WorkerProcess?
        // A program that does not start is not tried again for every job.
        var isHopelessUntil = ContinuousClock.Instant.now
        func start() -> WorkerProcess? {
            guard ContinuousClock.Instant.now >= isHopelessUntil else { return nil }
            do {
                // Once more: what killed it while it started may have been an accident. What takes too long does so again.
                do { return try WorkerProcess(options, running) } catch FrameError.ended { return try WorkerProcess(options, running) }
            } catch {
                isHopelessUntil = .now + .seconds(1)
                logger.error("a media worker did not start", metadata: ["error": "\(error)"])
                return nil
            }
        }
        defer { worker?.end() }

        if isWarm, options.isKeptWarm { worker = start() }
        while true {
            switch queue.take(idle: isWarm ? nil : options.spareIdle) {
            case .closed: return
            case .nothingInTime:
                worker?.end()
                worker = nil
            case .job(let job):
                defer { queue.finished(job) }
                guard case .picture(let work) = job.work else {
                    runTool(job)
                    continue
                }
                if let idle = worker, idle.isDisturbed {
                    logger.warning("a media worker died while it was idle")
                    idle.end()
                    worker = nil
                }
                worker = worker ?? start()
                guard let current = worker else {
                    job.finish(.failure(Problem(.unavailable, "Pictures cannot be looked at just now.", retryAfter: .seconds(2))))
                    continue
                }
                worker = perform(work, job, current)
                if isWarm, worker == nil { worker = start() }
            }
        }
    }

    /// - Returns: the worker, unless it is done for.
    private func perform(_ work: MediaJob, _ job: WaitingJob, _ worker: WorkerProcess) -> WorkerProcess? {
        guard job.begin(in: worker.process) else {
            job.finish(.failure(CancellationError()))
            return worker
        }
        let result = Result { () throws(MediaFailure) in try worker.perform(work, job.descriptor) }
        job.end()
        var isDone = false
        switch result {
        case .success, .failure(.refused): isDone = worker.isUsedUp
        case .failure where job.isAbandoned:
            logger.debug("a media worker was replaced: nobody waited for its job any more")
            isDone = true
        case .failure(let failure):
            logger.warning("a media worker was replaced", metadata: ["failure": "\(failure)"])
            isDone = true
        }
        // First the end, then the answer: who has it finds the worker gone.
        if isDone { worker.end() }
        job.finish(result.mapError { $0 })
        return isDone ? nil : worker
    }

    private func runTool(_ job: WaitingJob) {
        guard case .tool(let command, let outputByteCount, let timeout) = job.work else { return }
        var options = options
        options.jobTimeout = timeout ?? options.jobTimeout
        job.finish(
            Result { () throws(MediaFailure) in
                try ToolProcess(options, running).run(command, input: job.descriptor, outputByteCount: outputByteCount, for: job)
            }
            .mapError { $0 })
    }
}
