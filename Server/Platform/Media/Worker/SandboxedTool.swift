internal import CMedia
internal import Foundation
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Runs another program on some bytes, sandboxed like the decoders but outside of their queue, so that a run of several seconds does not
/// delay pictures. Each run has its own process and thread; callers limit how many run at a time.
package struct SandboxedTool: Sendable {
    private let options: MediaWorkerOptions

    package init(_ options: MediaWorkerOptions) { self.options = options }

    /// - Parameters:
    ///   - command: the program's path and its arguments; the bytes are its descriptor 0, a file in memory.
    ///   - outputByteCount: maximum number of bytes of output; more is an error.
    ///   - readable: files and folders that it may read besides its libraries.
    ///   - hasLowPriority: for work of seconds that must not delay other work: when the processors are busy, the program gets less time.
    ///   - timeout: in wall-clock time.
    /// - Returns: the program's standard output.
    /// - Throws: `MediaFailure`, also when the task was cancelled, which kills the process.
    package func run(
        _ command: [String], input: [UInt8], outputByteCount: Int, readable: [String] = [], hasLowPriority: Bool = false, timeout: Duration
    ) async throws -> [UInt8] {
        let memory = input.withUnsafeBytes { bytes in
            bytes.baseAddress.map { media_sealed_memory($0, bytes.count) } ?? -EINVAL
        }
        guard memory >= 0 else { throw MediaFailure.crashed }
        defer { _ = close(memory) }
        return try await run(
            command, descriptor: memory, outputByteCount: outputByteCount, readable: readable, hasLowPriority: hasLowPriority,
            timeout: timeout)
    }

    /// Runs a program on a file, without making a copy of the file. The other parameters are those of the first `run`.
    /// - Parameters:
    ///   - descriptor: belongs to the caller. The program gets it for reading only, as its descriptor 0.
    ///   - keepsBeginning: when there is more output, kills the program and returns the first bytes instead.
    package func run(
        _ command: [String], descriptor: CInt, outputByteCount: Int, keepsBeginning: Bool = false, readable: [String] = [],
        hasLowPriority: Bool = false, timeout: Duration
    ) async throws -> [UInt8] {
        var options = options
        options.jobTimeout = timeout
        return try await run(descriptor, options) { process, input throws(MediaFailure) in
            var process = process
            if hasLowPriority { process.flags = ["--nice=10"] }
            return try process.run(
                command, input: input, outputByteCount: outputByteCount, keepsBeginning: keepsBeginning, readable: readable)
        }
    }

    /// Runs a program on a file for minutes: at the lowest priority, with other limits, and with the output in a file.
    /// - Parameters:
    ///   - output: a file, positioned at its end. It belongs to the caller. After an error it may hold some of the output.
    ///   - processorTime: the limit for all threads of the program together.
    ///   - memoryByteCount: the limit of writable private memory.
    package func run(
        _ command: [String], descriptor: CInt, to output: CInt, outputByteCount: Int, processorTime: Duration, memoryByteCount: Int,
        timeout: Duration
    ) async throws {
        var options = options
        options.jobTimeout = timeout
        let flags = ["--nice", "--seconds=\(processorTime.components.seconds + 1)", "--megabytes=\(memoryByteCount >> 20)"]
        _ = try await run(descriptor, options) { process, input throws(MediaFailure) in
            var process = process
            (process.flags, process.outputFile) = (flags, output)
            return try process.run(command, input: input, outputByteCount: outputByteCount)
        }
    }

    private func run(
        _ descriptor: CInt, _ options: MediaWorkerOptions,
        _ body: @escaping @Sendable (ToolProcess, CInt) throws(MediaFailure) -> WaitingJob.Outcome
    ) async throws -> [UInt8] {
        let input = media_reopen_read_only(descriptor)
        guard input >= 0 else { throw MediaFailure.crashed }
        defer { _ = close(input) }
        let running = RunningWorkers()
        let process = ToolProcess(options, running)
        let isCancelled = Flag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A child process is killed when the thread that started it ends, so this thread waits for it.
                let thread = Thread {
                    guard !isCancelled.isSet else { return continuation.resume(throwing: MediaFailure.crashed) }
                    let result = Result { () throws(MediaFailure) in try body(process, input) }
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
