internal import CMedia
internal import MediaFrames

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One `keepsake-media` process and the server's end of its socket. It is killed when the thread that started it ends.
final class WorkerProcess {
    let process: pid_t
    private let channel: FrameChannel
    private let running: RunningWorkers
    private let options: MediaWorkerOptions
    private var jobs = 0

    /// Starts the process and waits until it is ready.
    init(_ options: MediaWorkerOptions, _ running: RunningWorkers) throws {
        var ours: CInt = -1
        var theirs: CInt = -1
        let paired = media_socket_pair(&ours, &theirs)
        guard paired == 0 else { throw FrameError.system(-paired) }
        channel = FrameChannel(socket: ours)
        self.options = options
        self.running = running
        var process: pid_t = 0
        let code = Spawning.start(options.program, options.arguments, socket: theirs, process: &process)
        _ = close(theirs)
        guard code == 0 else { throw FrameError.system(-code) }
        self.process = process
        running.add(process)
        do {
            let (frame, descriptor) = try channel.receive(until: .now + options.startTimeout)
            if let descriptor { _ = close(descriptor) }
            guard MediaAnswer(frame) == .ready else { throw FrameError.garbage }
        } catch {
            running.end(process)
            throw error
        }
    }

    func end() { running.end(process) }

    /// Whether the process ended, or sent something unrequested, since its last job.
    var isDisturbed: Bool { channel.isDisturbed }

    var isUsedUp: Bool { jobs >= options.jobsPerWorker || media_resident_bytes(process) > options.residentBytes }

    /// The processor time that the process has used.
    var processorTime: Duration { .nanoseconds(max(0, media_processor_time(process))) }

    /// How often a running job asks whether it should be stopped.
    static let stopInterval = Duration.milliseconds(100)

    /// - Parameters:
    ///   - quickTimeout: the processor time that a short job may use; `nil` for a long one.
    ///   - shouldStop: is asked often while a long job runs. When it returns `true`, this throws `.timedOut`.
    /// - Throws: `MediaFailure`; after any but `.refused`, the worker must be replaced.
    func perform(
        _ job: MediaJob, _ descriptor: CInt, quickTimeout: Duration?, shouldStop: () -> Bool = { false }
    ) throws(MediaFailure) -> WaitingJob.Outcome {
        jobs += 1
        let deadline = ContinuousClock.Instant.now + options.jobTimeout
        // This sets a second limit besides the timeout, for the case that this process is stopped while the worker keeps running.
        _ = media_allow_processor_time(process, CInt(clamping: options.jobTimeout.components.seconds + 1))
        let frame: FlatJSON
        let result: CInt?
        do {
            let start = processorTime
            try channel.send(job.frame(isQuick: quickTimeout != nil), descriptor: descriptor, until: deadline)
            if let quickTimeout {
                try waitForQuickAnswer(quickTimeout, since: start, until: deadline)
            } else {
                try waitForAnswer(until: deadline, shouldStop)
            }
            (frame, result) = try channel.receive(until: deadline)
        } catch {
            throw error == .timedOut ? .timedOut : .crashed
        }
        defer { if let result { _ = close(result) } }
        guard let answer = MediaAnswer(frame) else { throw .crashed }
        switch (job, answer) {
        case (_, .refused(let reason)): throw .refused(reason)
        case (.inspect, .facts), (.film, .film), (.sound, .sound), (.measure, .measures), (.document, .document):
            return .answer(answer, MediaResult([]))
        case (.variant(let request), .variant(let width, let height)) where width <= request.width && height <= request.height:
            guard let result, let bytes = MediaResult(sealed: result) else { throw .crashed }
            return .answer(answer, bytes)
        case (.strip, .stripped), (.text, .text):
            guard let result, let bytes = MediaResult(sealed: result) else { throw .crashed }
            return .answer(answer, bytes)
        default: throw .crashed
        }
    }

    /// Waits until an answer begins to arrive.
    /// - Throws: `.timedOut` when the job should be stopped, and at the deadline.
    private func waitForAnswer(until deadline: ContinuousClock.Instant, _ shouldStop: () -> Bool) throws(FrameError) {
        while true {
            do throws(FrameError) {
                return try channel.waitForFrame(until: min(ContinuousClock.Instant.now + Self.stopInterval, deadline))
            } catch {
                guard error == .timedOut, ContinuousClock.Instant.now < deadline, !shouldStop() else { throw error }
            }
        }
    }

    /// Waits until an answer begins to arrive. The timeout counts the process's own processor time, because on a busy machine an ordinary
    /// picture takes much longer by the clock.
    /// - Parameter start: the processor time that the process had used before the job.
    /// - Throws: `.timedOut` when the process has worked for `timeout`, and at the deadline.
    private func waitForQuickAnswer(
        _ timeout: Duration, since start: Duration, until deadline: ContinuousClock.Instant
    ) throws(FrameError) {
        var left = timeout
        while true {
            do throws(FrameError) {
                return try channel.waitForFrame(until: min(ContinuousClock.Instant.now + left, deadline))
            } catch {
                guard error == .timedOut, ContinuousClock.Instant.now < deadline else { throw error }
            }
            left = timeout - (processorTime - start)
            guard left > .zero else { throw .timedOut }
        }
    }
}
