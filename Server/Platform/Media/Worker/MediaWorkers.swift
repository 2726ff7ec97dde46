internal import CMedia
internal import Core
internal import Foundation
package import Logging
package import MediaFrames
internal import ServiceLifecycle
internal import Synchronization

/// The processes in which strangers' files are decoded. A file that kills its decoder, or keeps it too long, costs itself and nothing
/// else; the next one meets a fresh worker.
///
/// Any file descriptor that can be read will do, whatever its offset, and stays the caller's.
///
/// What a sandboxed decoder can still do once a file has taken it over: answer wrongly for the files after that one, until it is
/// replaced after `jobsPerWorker` jobs. Nothing it says is believed beyond a picture's size, kind, date, and variant.
package final class MediaWorkers: Service {
    let options: MediaWorkerOptions
    let queue: WorkerQueue
    let running = RunningWorkers()
    private let logger: Logger

    package init(_ options: MediaWorkerOptions, logger: Logger) {
        self.options = options
        self.logger = logger
        queue = WorkerQueue(
            .init(
                waiting: options.queue, perRequester: options.queuePerRequester, perNetwork: options.queuePerNetwork,
                workers: max(1, options.workers)))
    }

    /// What the file really is.
    /// - Throws: `MediaFailure`; `Problem` `.unavailable` when too many wait, when no worker starts, or the server shuts down;
    ///   `.tooManyRequests` when too many of the same requester wait; `CancellationError` when the caller gave up waiting.
    package func inspect(_ fileDescriptor: CInt) async throws -> ImageFacts {
        guard case .answer(.facts(let facts), _) = try await perform(.picture(.inspect), fileDescriptor, .inspection) else {
            throw MediaFailure.crashed
        }
        return facts
    }

    /// A smaller copy.
    /// - Throws: as `inspect`; `Problem` `.invalid` when the request is out of range.
    package func variant(_ fileDescriptor: CInt, _ request: VariantRequest) async throws -> ImageVariant {
        guard request.isValid else { throw Problem(.invalid, "A variant is 1 to 8192 pixels wide and high, of quality 1 to 100.") }
        guard
            case .answer(.variant(let width, let height), let bytes) = try await perform(
                .picture(.variant(request)), fileDescriptor, .later)
        else { throw MediaFailure.crashed }
        return ImageVariant(bytes: bytes, format: request.format, width: width, height: height)
    }

    /// Jobs that wait for a worker.
    package var waiting: Int { queue.count }

    /// Jobs that have been taken from the queue since the start, done or not; for tests.
    package var taken: Int { queue.taken }

    /// Process ids of the workers, for gauges and tests.
    package var processes: [Int32] { running.all.sorted() }

    /// Keeps a worker warm until the server shuts down; then ends all of them: jobs that wait are refused, those under way have
    /// `drain` to finish.
    package func run() async throws {
        let ended = DispatchGroup()
        for number in 1...max(1, options.workers) {
            let work = WorkerThread(options: options, isWarm: number == 1, queue: queue, running: running, logger: logger)
            ended.enter()
            let thread = Thread {
                work.serve()
                ended.leave()
            }
            thread.name = "media-\(number)"
            thread.start()
        }
        try? await gracefulShutdown()
        for job in queue.close() {
            job.finish(.failure(Problem(.unavailable, "The server is shutting down.", retryAfter: .seconds(5))))
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [running, options] in
                // Also when cancelled: then at once.
                try? await Task.sleep(for: options.drain)
                if !Task.isCancelled { running.killAll() }
            }
            if Task.isCancelled { running.killAll() }
            await withCheckedContinuation { continuation in
                ended.notify(queue: .global()) { continuation.resume() }
            }
            group.cancelAll()
        }
    }

    func perform(
        _ work: WaitingJob.Work, _ fileDescriptor: CInt, _ jobClass: WorkerQueue.Turns.Class
    ) async throws -> WaitingJob.Outcome {
        // A copy for reading only: the caller may close its own at any time, and a worker never gets one it could write to.
        let copy = media_reopen_read_only(fileDescriptor)
        guard copy >= 0 else { throw FrameError.system(-copy) }
        let id = queue.nextID()
        let entered = EnqueuedJob()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = WaitingJob(id: id, work: work, requester: .current, descriptor: copy, continuation: continuation)
                entered.job.withLock { $0 = job }
                if let problem = queue.enter(job, jobClass) { return job.finish(.failure(problem)) }
                // A cancellation that came before it was in the queue found nothing to withdraw.
                if Task.isCancelled { abandon(job) }
            }
        } onCancel: {
            if let job = entered.job.withLock({ $0 }) { abandon(job) }
        }
    }

    /// Nobody waits for it. A job that is being worked on has a moment to end by itself, which costs less than a new worker; then its
    /// process is killed.
    private func abandon(_ job: WaitingJob) {
        if let job = queue.withdraw(job.id) { return job.finish(.failure(CancellationError())) }
        job.abandon()
        DispatchQueue.global().asyncAfter(deadline: .now() + options.abandonedGrace / .seconds(1)) { [running] in job.kill(running) }
    }
}

/// The job that a cancellation is about; `nil` until there is one.
private final class EnqueuedJob: Sendable {
    let job = Mutex<WaitingJob?>(nil)
}
