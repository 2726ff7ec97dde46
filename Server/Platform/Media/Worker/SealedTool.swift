internal import CMedia
internal import Foundation
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Runs another program over some bytes, sealed off as the decoders are, but outside of their queue: what takes seconds must not hold up
/// somebody's photo. Each run has a process and a thread of its own; how many there are at a time is up to the callers.
package struct SealedTool: Sendable {
    private let options: MediaWorkerOptions

    package init(_ options: MediaWorkerOptions) { self.options = options }

    /// - Parameters:
    ///   - command: the program's path and its arguments; the bytes are its descriptor 0, a file in memory.
    ///   - outputByteCount: more than that is refused.
    ///   - readable: files and folders that it may read besides its libraries.
    ///   - timeout: by the clock on the wall.
    /// - Returns: what it wrote to its standard output.
    /// - Throws: `MediaFailure`; also when the caller was cancelled, which ends the process.
    package func run(_ command: [String], input: [UInt8], outputByteCount: Int, readable: [String] = [], timeout: Duration) async throws
        -> [UInt8]
    {
        let memory = input.withUnsafeBytes { bytes in
            bytes.baseAddress.map { media_sealed_memory($0, bytes.count) } ?? -EINVAL
        }
        guard memory >= 0 else { throw MediaFailure.crashed }
        defer { _ = close(memory) }
        var options = options
        options.jobTimeout = timeout
        let running = RunningWorkers()
        let process = ToolProcess(options, running)
        let isCancelled = Flag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A child dies with the thread that started it, so this one waits for it.
                let thread = Thread {
                    guard !isCancelled.isSet else { return continuation.resume(throwing: MediaFailure.crashed) }
                    let result = Result { () throws(MediaFailure) in
                        try process.run(command, input: memory, outputByteCount: outputByteCount, readable: readable)
                    }
                    switch result {
                    case .success(.output(let bytes)): continuation.resume(returning: bytes)
                    case .success: continuation.resume(throwing: MediaFailure.crashed)
                    case .failure(let failure): continuation.resume(throwing: failure)
                    }
                }
                thread.name = "tool"
                thread.start()
            }
        } onCancel: {
            isCancelled.set()
            running.killAll()
        }
    }
}

private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}
