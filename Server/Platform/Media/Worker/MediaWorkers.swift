internal import CMedia
package import Core
internal import Foundation
package import Logging
package import MediaFrames
internal import ServiceLifecycle
internal import Synchronization

/// The worker processes that decode untrusted files. A file that crashes its decoder or takes too long affects no other file: the next one
/// gets a new worker.
///
/// Methods accept any readable file descriptor, whatever its offset. It still belongs to the caller.
///
/// A sandboxed decoder that a hostile file has taken over can still return wrong results for later files, until it is replaced after
/// `jobsPerWorker` jobs. From these results, the server uses only a picture's size, format, date, measures and copies, and whether it
/// may hold a position; the properties of a film; how much sound a file has; and a document's kind and text.
package final class MediaWorkers: Service {
    let options: MediaWorkerOptions
    let queue: WorkerQueue
    let running = RunningWorkers()
    let slowWork = SlowWork()
    private let logger: Logger

    package init(_ options: MediaWorkerOptions, logger: Logger) {
        self.options = options
        self.logger = logger
        queue = WorkerQueue(
            .init(
                waiting: options.queue, perRequester: options.queuePerRequester, perNetwork: options.queuePerNetwork,
                workers: max(1, options.workers), longSlice: UInt64(options.longSlice / .milliseconds(1)),
                reserveDelay: UInt64(options.reserveDelay / .milliseconds(1))))
    }

    /// Determines a picture's format and properties from its content.
    /// - Parameter file: as for `variant`.
    /// - Throws: `MediaFailure`; `Problem` `.unavailable` when too many jobs wait, no worker starts, or the server shuts down;
    ///   `.tooManyRequests` when too many jobs of this requester wait; `CancellationError` when the caller was cancelled.
    package func inspect(_ fileDescriptor: CInt, of file: OwnedFile? = nil) async throws -> ImageFacts {
        guard case .answer(.facts(let facts), _) = try await shortFirst(.inspect, fileDescriptor, .inspection, of: file) else {
            throw MediaFailure.crashed
        }
        return facts
    }

    /// Measures what a picture shows.
    /// - Parameter pixelCount: as for `variant`.
    /// - Throws: as `inspect`.
    package func measure(_ fileDescriptor: CInt, pixelCount: Int = 0) async throws -> PictureMeasures {
        guard case .answer(.measures(let measures), _) = try await shortFirst(.measure, fileDescriptor, size: pixelCount) else {
            throw MediaFailure.crashed
        }
        return measures
    }

    /// Makes a smaller copy of a picture.
    /// - Parameters:
    ///   - pixelCount: the picture's width times its height; 0 when it is unknown.
    ///   - mayBeLarge: whether the copy may be larger than `MediaResult.copiedByteCount` and the caller stores it. Such a copy stays in
    ///     sealed memory until it is stored. If this is `true`, the job begins only while there are not too many such results. `false` for
    ///     a caller that copies the bytes at once.
    ///   - file: the stored file, if other requesters may wait for the same copy; `nil` if the picture belongs to the requester and nobody
    ///     else waits for the result.
    /// - Throws: as `inspect`; `Problem` `.invalid` when the request is out of range.
    package func variant(
        _ fileDescriptor: CInt, _ request: VariantRequest, pixelCount: Int = 0, mayBeLarge: Bool = false, of file: OwnedFile? = nil
    ) async throws -> ImageVariant {
        try Self.check(request)
        guard
            case .answer(.variant(let width, let height), let content) = try await shortFirst(
                .variant(request), fileDescriptor, size: pixelCount, mayBeLarge: mayBeLarge, of: file)
        else { throw MediaFailure.crashed }
        return ImageVariant(content: content, format: request.format, width: width, height: height)
    }

    static func check(_ request: VariantRequest) throws {
        guard request.isValid else { throw Problem(.invalid, "A variant is 1 to 8192 pixels wide and high, of quality 1 to 100.") }
    }

    /// Reads or decodes a file as short work, unless it is known to take long. If the short attempt takes too long, or the file's header
    /// says that it would, the file is read or decoded again as long work, because neither its size nor its number of pixels says how long
    /// it takes.
    /// - Parameter size: as for `WaitingJob.Work.picture`.
    func shortFirst(
        _ job: MediaJob, _ fileDescriptor: CInt, _ jobClass: WorkerQueue.Turns.Class = .later, size: Int = 0, mayBeLarge: Bool = false,
        of file: OwnedFile? = nil
    ) async throws -> WaitingJob.Outcome {
        let work = WaitingJob.Work.picture(job, size: size)
        let requester = Requester.current
        if work.isQuick, !slowWork.contains(requester, for: job, file: file, at: .now) {
            do {
                return try await perform(work, fileDescriptor, jobClass, mayBeLarge: mayBeLarge, of: file)
            } catch MediaFailure.refused(.notQuick) {
                // The refusal took no time, so the requester's other files stay short work.
            } catch MediaFailure.timedOut {
                // If the worker hung without using processor time, only decoding is repeated.
                guard job.decodesPicture || slowWork.contains(requester, for: job, file: file, at: .now) else {
                    throw MediaFailure.timedOut
                }
                slowWork.add(requester, of: SlowWork.Kind(job), file: file, at: .now)
            }
        }
        return try await perform(.picture(job, size: size, isSlow: true), fileDescriptor, jobClass, mayBeLarge: mayBeLarge, of: file)
    }

    /// Whether copies of the picture are long work for a while for the current requester, because earlier ones took long.
    package func copiesAreLong(of file: OwnedFile) -> Bool { slowWork.contains(.current, of: .copies, file: file, at: .now) }

    /// Whether inspections of the picture, and copies without metadata, are long work for a while for the current requester.
    package func inspectionsAreLong(of file: OwnedFile) -> Bool { slowWork.contains(.current, of: .pictureHeaders, file: file, at: .now) }

    /// Whether inspections of a requester's own pictures are long work for a while.
    package func inspectionsAreLong(of requester: Requester) -> Bool { slowWork.contains(requester, of: .pictureHeaders, at: .now) }

    /// Whether making a copy of a picture is long work: it may take seconds, and waits while the workers do other long work.
    /// - Parameter pixelCount: as for `variant`.
    package static func isLong(_ format: VariantRequest.Format, pixelCount: Int) -> Bool {
        let request = VariantRequest(width: 1, height: 1, format: format)
        return WaitingJob.Work.picture(.variant(request), size: pixelCount).isLong
    }

    /// Copies a picture without its metadata. Only the orientation and the colour profile stay; no pixel is decoded or changed.
    /// - Parameters:
    ///   - mayBeLarge: as for `variant`.
    ///   - file: as for `variant`.
    /// - Returns: a file of the same format.
    /// - Throws: as `inspect`; `.refused(.unreadable)` also for a file from which it is not certain that all metadata can be removed.
    package func strip(_ fileDescriptor: CInt, mayBeLarge: Bool = false, of file: OwnedFile? = nil) async throws -> MediaResult {
        guard
            case .answer(.stripped, let content) = try await shortFirst(.strip, fileDescriptor, mayBeLarge: mayBeLarge, of: file)
        else { throw MediaFailure.crashed }
        return content
    }

    /// Number of jobs that wait for a worker.
    package var waiting: Int { queue.count }

    /// Number of large results that exist or that running jobs may make, see `variant`; for tests.
    package var largeResults: Int { queue.largeResultCount }

    /// Number of jobs taken from the queue since the start, finished or not; for tests.
    package var taken: Int { queue.taken }

    /// Process ids of the workers, for gauges and tests.
    package var processes: [Int32] { running.all.sorted() }

    /// Keeps a worker running until the server shuts down, then ends all workers: waiting jobs are refused, running jobs have `drain` to
    /// finish.
    package func run() async throws {
        let ended = DispatchGroup()
        let roles =
            [.permanent] + Array(repeating: WorkerThread.Role.additional, count: max(1, options.workers) - 1)
            + (options.hasReserve ? [.reserve] : [])
        for (number, role) in roles.enumerated() {
            let work = WorkerThread(options: options, role: role, queue: queue, running: running, slowWork: slowWork, logger: logger)
            ended.enter()
            let thread = Thread {
                work.serve()
                ended.leave()
            }
            thread.name = "media-\(number + 1)"
            thread.start()
        }
        try? await gracefulShutdown()
        for job in queue.close() {
            job.finish(.failure(Problem(.unavailable, "The server is shutting down.", retryAfter: .seconds(5))))
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [running, options] in
                // If this task is cancelled, the workers are killed at once.
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
        _ work: WaitingJob.Work, _ fileDescriptor: CInt, _ jobClass: WorkerQueue.Turns.Class, mayBeLarge: Bool = false,
        of file: OwnedFile? = nil
    ) async throws -> WaitingJob.Outcome {
        // Reopen the file read-only: the caller may close its descriptor at any time, and a worker must never get a writable one.
        let copy = media_reopen_read_only(fileDescriptor)
        guard copy >= 0 else { throw FrameError.system(-copy) }
        let id = queue.nextID()
        let entered = EnqueuedJob()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = WaitingJob(
                    id: id, work: work, jobClass, of: file, mayBeLarge: mayBeLarge, requester: .current, holdsTurn: Requester.holdsTurn,
                    descriptor: copy, continuation: continuation)
                entered.job.withLock { $0 = job }
                if let problem = queue.enter(job) { return job.finish(.failure(problem)) }
                // If the task was cancelled before the job was enqueued, `onCancel` found no job.
                if Task.isCancelled { abandon(job) }
            }
        } onCancel: {
            if let job = entered.job.withLock({ $0 }) { abandon(job) }
        }
    }

    /// Cancels a job whose caller has gone. A running job gets a moment to finish, which costs less than a new worker; then its process is
    /// killed.
    private func abandon(_ job: WaitingJob) {
        if let job = queue.withdraw(job.id) { return job.finish(.failure(CancellationError())) }
        job.abandon()
        DispatchQueue.global().asyncAfter(deadline: .now() + options.abandonedGrace / .seconds(1)) { [running] in job.kill(running) }
    }
}

/// The job that `onCancel` cancels; `nil` until it exists.
private final class EnqueuedJob: Sendable {
    let job = Mutex<WaitingJob?>(nil)
}
