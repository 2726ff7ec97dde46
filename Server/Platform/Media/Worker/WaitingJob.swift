internal import Core
internal import MediaFrames
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A file, the work to do, and the caller that waits for it. The code that takes a job out of the queue finishes it, once.
final class WaitingJob: Sendable {
    enum Work: Hashable, Sendable {
        /// Has the worker itself read or decode the file, which is a picture in most cases.
        /// - Parameters:
        ///   - size: a picture's pixels, or the bytes of a document or sound, where the caller knows them; otherwise 0.
        ///   - isSlow: the work takes longer than short work may, whatever its size is.
        case picture(MediaJob, size: Int = 0, isSlow: Bool = false)
        /// Runs another program in the same sandbox, with the file as its standard input.
        /// - Parameters:
        ///   - timeout: replaces the default one.
        ///   - findsPeaks: the output is sound, of which only the peaks are kept.
        ///   - isShort: the timeout is so short that other work can wait for it, see `isLong`.
        ///   - sampleCount: the most samples of sound that the program decodes; 0 if nobody has counted them.
        case tool(
            [String], outputByteCount: Int, timeout: Duration?, findsPeaks: Bool = false, isShort: Bool = false, sampleCount: Int = 0)
        /// Has another program output a film's first frame, and the worker make a copy of it. This is one job, so that no frame is in
        /// memory while a job waits.
        case film([String], outputByteCount: Int, VariantRequest)

        /// Whether the work may occupy a worker for much longer than a phone's photo does: long audio, film, pictures encoded as AVIF, and
        /// copies of very large or slow pictures; and documents that may be archives of a gigabyte. An upload whose inspection waits for
        /// such work would be slow.
        var isLong: Bool {
            switch self {
            case .tool(_, _, _, _, let isShort, _): !isShort
            case .film: true
            case .picture(_, _, true): true
            case .picture(.variant(let request), let size, _): request.format == .avif || size > MediaWorkerOptions.quickPixelCount
            case .picture(.measure, let size, _): size > MediaWorkerOptions.quickPixelCount
            case .picture(.document, let size, _), .picture(.text, let size, _): size > MediaWorkerOptions.quickDocumentByteCount
            case .picture(.sound, let size, _): size > MediaWorkerOptions.quickSoundByteCount
            case .picture: false
            }
        }

        /// About how long the work takes, in milliseconds; 0 if that is unknown. Short recordings go before work that takes longer. It is
        /// at most `mostOfPicture` for pictures, films and documents, so that they can still interrupt a long recording.
        var expectedTime: UInt64 {
            switch self {
            // A processor decodes at least 80 samples of sound in a microsecond.
            case .tool(_, _, _, _, _, let sampleCount): UInt64(max(0, sampleCount)) / 80_000
            // A processor encodes about two million pixels as AVIF in a second.
            case .picture(.variant(let request), let size, _) where request.format == .avif:
                min(UInt64(max(0, min(size, request.width * request.height))) / 2_000, Self.mostOfPicture)
            // A film, and a picture or document that has taken, or may take, longer than short work.
            case .picture(_, _, true), .film: Self.mostOfPicture
            case .picture: 0
            }
        }

        private static let mostOfPicture: UInt64 = 400

        /// Whether the worker itself does the work as short work, so that `MediaWorkerOptions.quickTimeout` applies.
        var isQuick: Bool {
            switch self {
            case .picture: !isLong
            case .tool, .film: false
            }
        }
    }

    /// What a job makes. Jobs with the same product do the same work on the same bytes.
    struct Product: Hashable, Sendable {
        let file: String
        let work: Work
    }

    enum Outcome: Sendable {
        case answer(MediaAnswer, MediaResult)
        case output([UInt8])
        case peaks(SoundPeaks)
    }

    private struct State {
        var continuation: CheckedContinuation<Outcome, any Error>?
        var isAbandoned = false
        /// The process that works on the job.
        var process: pid_t?
        var stopCount = 0
    }

    let id: UInt64
    let work: Work
    let jobClass: WorkerQueue.Turns.Class
    /// `nil` when no other job can use the result.
    let file: OwnedFile?
    /// Whether the result may be larger than `MediaResult.copiedByteCount`, see `LargeResults`.
    let mayBeLarge: Bool
    let requester: Requester
    /// Whether the caller holds a turn for which others wait (`HeldTurns`).
    let holdsTurn: Bool
    /// Whether the worker decodes the picture, and it begins like a HEIF.
    let decodesHEIF: Bool
    /// A read-only descriptor that belongs to the job.
    let descriptor: CInt
    /// By the queue's clock.
    let createdAt = WorkerQueue.now
    private let state: Mutex<State>

    init(
        id: UInt64, work: Work, _ jobClass: WorkerQueue.Turns.Class, of file: OwnedFile?, mayBeLarge: Bool, requester: Requester,
        holdsTurn: Bool, descriptor: CInt,
        continuation: CheckedContinuation<Outcome, any Error>
    ) {
        self.id = id
        self.work = work
        self.jobClass = jobClass
        self.file = file
        self.mayBeLarge = mayBeLarge
        self.requester = requester
        self.holdsTurn = holdsTurn
        self.descriptor = descriptor
        if case .picture(let picture, _, _) = work, picture.decodesPicture {
            decodesHEIF = Self.isHEIF(descriptor)
        } else {
            decodesHEIF = false
        }
        state = Mutex(State(continuation: continuation))
    }

    /// `nil` when no other job can use the result.
    var product: Product? { file.map { Product(file: $0.name, work: work) } }

    /// Whether the file begins with a box `ftyp`.
    private static func isHEIF(_ descriptor: CInt) -> Bool {
        var head = [UInt8](repeating: 0, count: 8)
        return pread(descriptor, &head, 8, 0) == 8 && head[4...].elementsEqual("ftyp".utf8)
    }

    /// How often the job was stopped, to run again later. The reserve stops a short job at most once, because it then leaves the job to the
    /// other workers.
    var stopCount: Int { state.withLock { $0.stopCount } }

    func noteStop() { state.withLock { $0.stopCount += 1 } }

    /// Whether the reserve may run the job. A copy of a HEIF takes too long for it.
    var mayUseReserve: Bool { work.isQuick && !decodesHEIF && stopCount == 0 }

    func finish(_ result: Result<Outcome, any Error>) {
        _ = close(descriptor)
        takeContinuation()?.resume(with: result)
    }

    /// Cancels the caller of a running job.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        takeContinuation()?.resume(throwing: CancellationError())
    }

    private func takeContinuation() -> CheckedContinuation<Outcome, any Error>? {
        state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
    }

    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// - Returns: `false` when the caller has gone; the job must then not be started.
    func begin(in process: pid_t) -> Bool {
        state.withLock { state in
            guard !state.isAbandoned else { return false }
            state.process = process
            return true
        }
    }

    /// Must be called before the process gets its next job and before the system can reuse its id.
    func end() { state.withLock { $0.process = nil } }

    /// Kills the process if it still works on the job.
    func kill(_ running: RunningWorkers) {
        state.withLock { state in
            if let process = state.process { running.kill(process) }
        }
    }
}
