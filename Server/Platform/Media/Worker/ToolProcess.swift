internal import CMedia
internal import MediaFrames

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

// Inside the type, `write` refers to its own method.
private let systemWrite = write

/// One run of another decoder (ffmpeg, ffprobe) on one file, sandboxed by `keepsake-media tool` before it starts: no network, no writing,
/// limited memory, and a timeout.
struct ToolProcess {
    private let options: MediaWorkerOptions
    private let running: RunningWorkers
    /// Arguments of `keepsake-media tool` before the command.
    var flags: [String] = []
    /// A file, positioned at its end, that gets the output. `nil`: the output stays in memory.
    var outputFile: CInt?
    /// Is asked often while the program runs. When it returns `true`, the program is killed, and `run` throws `.timedOut`.
    var shouldStop: @Sendable () -> Bool = { false }

    init(_ options: MediaWorkerOptions, _ running: RunningWorkers) {
        self.options = options
        self.running = running
    }

    /// - Parameters:
    ///   - command: the program's path and its arguments; the file is its descriptor 0.
    ///   - outputByteCount: maximum number of bytes of output; more is an error.
    ///   - keepsBeginning: when there is more output, kills the program and returns the first bytes instead.
    ///   - readable: files and folders that it may read besides its libraries.
    ///   - job: records the process that works on it.
    /// - Returns: the program's standard output.
    func run(
        _ command: [String], input: CInt, outputByteCount: Int, keepsBeginning: Bool = false, readable: [String] = [],
        for job: WaitingJob? = nil
    ) throws(MediaFailure) -> WaitingJob.Outcome {
        let arguments = ["tool"] + flags + readable.map { "--read=\($0)" } + command
        return .output(
            try run(
                arguments: arguments, isIsolated: true, input: input, outputByteCount: outputByteCount, keepsBeginning: keepsBeginning,
                job: job))
    }

    /// Like `run` for a program whose output is sound, but keeps only its peaks.
    func peaks(_ command: [String], input: CInt, outputByteCount: Int, for job: WaitingJob?) throws(MediaFailure) -> SoundPeaks {
        var peaks = SoundPeaks()
        try run(arguments: ["tool"] + flags + command, isIsolated: true, input: input, outputByteCount: outputByteCount, job: job) {
            peaks.add($0)
        }
        return peaks
    }

    /// - Parameter arguments: the arguments of `keepsake-media`.
    func run(
        arguments: [String], isIsolated: Bool, input: CInt, outputByteCount: Int, keepsBeginning: Bool = false, job: WaitingJob?
    ) throws(MediaFailure) -> [UInt8] {
        var output: [UInt8] = []
        try run(
            arguments: arguments, isIsolated: isIsolated, input: input, outputByteCount: outputByteCount, keepsBeginning: keepsBeginning,
            job: job
        ) { (piece: ArraySlice<UInt8>) throws(MediaFailure) in
            if let outputFile { try Self.write(piece, to: outputFile) } else { output += piece }
        }
        return output
    }

    /// - Parameter take: gets the output in pieces of at most 64 KB.
    private func run(
        arguments: [String], isIsolated: Bool, input: CInt, outputByteCount: Int, keepsBeginning: Bool = false, job: WaitingJob?,
        take: (ArraySlice<UInt8>) throws(MediaFailure) -> Void
    ) throws(MediaFailure) {
        var ours: CInt = -1
        var theirs: CInt = -1
        guard media_socket_pair(&ours, &theirs) == 0 else { throw .crashed }
        defer { _ = close(ours) }
        var process: pid_t = 0
        let code = Spawning.start(options.program, arguments, input: input, output: theirs, isIsolated: isIsolated, process: &process)
        _ = close(theirs)
        guard code == 0 else { throw .crashed }
        running.add(process)
        var hasEnded = false
        defer { if !hasEnded { _ = running.end(process) } }
        guard job?.begin(in: process) ?? true else { throw .crashed }
        // Must run before the system can reuse the process id.
        defer { job?.end() }
        let isWhole = try read(ours, outputByteCount, keepsBeginning: keepsBeginning, take)
        // `end` in the `defer` above kills it.
        guard isWhole else { return }
        hasEnded = true
        job?.end()
        // The process has closed its output and should end now; otherwise it is killed.
        guard running.end(process, within: .seconds(1)) == 0 else { throw .refused(.unreadable) }
    }

    /// - Returns: whether this read all of the output.
    private func read(
        _ socket: CInt, _ limit: Int, keepsBeginning: Bool, _ take: (ArraySlice<UInt8>) throws(MediaFailure) -> Void
    ) throws(MediaFailure) -> Bool {
        let deadline = ContinuousClock.Instant.now + options.jobTimeout
        var byteCount = 0
        var lastAsked = ContinuousClock.Instant.now
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let left = min(deadline - .now, WorkerProcess.stopInterval)
            guard left > .zero, !mayStop(&lastAsked) else { throw .timedOut }
            var event = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, CInt(clamping: Int(left / .milliseconds(1)) + 1)) > 0 else { continue }
            let count = recv(socket, &piece, piece.count, CInt(MSG_DONTWAIT))
            if count == 0 { return true }
            if count < 0 {
                guard errno == EAGAIN || errno == EINTR else { throw .crashed }
                continue
            }
            guard byteCount + count <= limit else {
                guard keepsBeginning else { throw .refused(.tooManyBytes) }
                try take(piece[..<(limit - byteCount)])
                return false
            }
            try take(piece[..<count])
            byteCount += count
        }
    }

    /// Asks `shouldStop` if the last time was long enough ago. A program whose output never pauses is asked about, too.
    private func mayStop(_ lastAsked: inout ContinuousClock.Instant) -> Bool {
        let now = ContinuousClock.Instant.now
        guard now - lastAsked >= WorkerProcess.stopInterval else { return false }
        lastAsked = now
        return shouldStop()
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to file: CInt) throws(MediaFailure) {
        var written = bytes.startIndex
        while written < bytes.endIndex {
            let count = bytes[written...].withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw .outputLost }
            written += max(0, count)
        }
    }
}
