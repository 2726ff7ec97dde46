internal import MediaFrames

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A file, what is to be done with it, and who waits for it. Whoever takes it out of the queue finishes it, once.
struct WaitingJob: Sendable {
    enum Work: Sendable {
        case picture(MediaJob)
        /// Another program, sealed off likewise, with the file as its standard input.
        /// - Parameter timeout: instead of the usual one.
        case tool([String], outputByteCount: Int, timeout: Duration?)
    }

    enum Outcome: Sendable {
        case answer(MediaAnswer, [UInt8])
        case output([UInt8])
    }

    let id: UInt64
    let work: Work
    /// Ours, for reading only.
    let descriptor: CInt
    let continuation: CheckedContinuation<Outcome, any Error>

    func finish(_ result: Result<Outcome, any Error>) {
        _ = close(descriptor)
        continuation.resume(with: result)
    }
}
