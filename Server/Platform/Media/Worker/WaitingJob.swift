internal import Core
internal import MediaFrames
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A file, what is to be done with it, and who waits for it. Whoever takes it out of the queue finishes it, once.
final class WaitingJob: Sendable {
    enum Work: Sendable {
        case picture(MediaJob)
        /// Another program, sealed off likewise, with the file as its standard input.
        /// - Parameter timeout: instead of the usual one.
        case tool([String], outputByteCount: Int, timeout: Duration?)

        /// Whether it may keep a worker for many seconds: sound, film, and pictures written as AVIF. Other pictures take a second or two at
        /// most, by their limits.
        var isLong: Bool {
            switch self {
            case .tool: true
            case .picture(.variant(let request)): request.format == .avif
            case .picture: false
            }
        }
    }

    enum Outcome: Sendable {
        case answer(MediaAnswer, [UInt8])
        case output([UInt8])
    }

    private struct State {
        var continuation: CheckedContinuation<Outcome, any Error>?
        var isAbandoned = false
        /// The process that works on it.
        var process: pid_t?
    }

    let id: UInt64
    let work: Work
    let requester: Requester
    /// Ours, for reading only.
    let descriptor: CInt
    private let state: Mutex<State>

    init(id: UInt64, work: Work, requester: Requester, descriptor: CInt, continuation: CheckedContinuation<Outcome, any Error>) {
        self.id = id
        self.work = work
        self.requester = requester
        self.descriptor = descriptor
        state = Mutex(State(continuation: continuation))
    }

    func finish(_ result: Result<Outcome, any Error>) {
        _ = close(descriptor)
        takeContinuation()?.resume(with: result)
    }

    /// Nobody waits for it any more, but it is being worked on.
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

    /// - Returns: `false` when nobody waits for it any more: then it is not begun.
    func begin(in process: pid_t) -> Bool {
        state.withLock { state in
            guard !state.isAbandoned else { return false }
            state.process = process
            return true
        }
    }

    /// Before the process gets its next job, or its number is given free.
    func end() { state.withLock { $0.process = nil } }

    /// Kills the process that still works on it.
    func kill(_ running: RunningWorkers) {
        state.withLock { state in
            if let process = state.process { running.kill(process) }
        }
    }
}
