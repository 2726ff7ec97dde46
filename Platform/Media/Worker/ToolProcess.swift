internal import CMedia
internal import MediaFrames

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One run of another decoder (ffmpeg, ffprobe) over one file, sealed off by `keepsake-media tool` before it begins: no network, no
/// writing, limited memory, and our clock.
struct ToolProcess {
    private let options: MediaWorkerOptions
    private let living: LivingWorkers

    init(_ options: MediaWorkerOptions, _ living: LivingWorkers) {
        self.options = options
        self.living = living
    }

    /// - Parameters:
    ///   - command: the program's path and its arguments; the file is its descriptor 0.
    ///   - outputByteCount: more than that is refused.
    /// - Returns: what it wrote to its standard output.
    func run(_ command: [String], input: CInt, outputByteCount: Int) throws(MediaFailure) -> WaitingJob.Outcome {
        var ours: CInt = -1
        var theirs: CInt = -1
        guard media_socket_pair(&ours, &theirs) == 0 else { throw .crashed }
        defer { _ = close(ours) }
        var process: pid_t = 0
        let code = Spawning.start(options.program, ["tool"] + command, input: input, output: theirs, process: &process)
        _ = close(theirs)
        guard code == 0 else { throw .crashed }
        living.add(process)
        var hasEnded = false
        defer { if !hasEnded { _ = living.end(process) } }
        let output = try read(ours, outputByteCount)
        hasEnded = true
        // It has closed its output: it ends now, or it is made to.
        guard living.end(process, within: .seconds(1)) == 0 else { throw .refused(.unreadable) }
        return .output(output)
    }

    private func read(_ socket: CInt, _ limit: Int) throws(MediaFailure) -> [UInt8] {
        let deadline = ContinuousClock.Instant.now + options.jobTimeout
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let left = deadline - .now
            guard left > .zero else { throw .timedOut }
            var event = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, CInt(clamping: Int(left / .milliseconds(1)) + 1)) > 0 else { continue }
            let count = recv(socket, &piece, piece.count, CInt(MSG_DONTWAIT))
            if count == 0 { return output }
            if count < 0 {
                guard errno == EAGAIN || errno == EINTR else { throw .crashed }
                continue
            }
            guard output.count + count <= limit else { throw .refused(.tooManyBytes) }
            output += piece[..<count]
        }
    }
}
