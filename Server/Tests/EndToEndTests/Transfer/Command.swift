import Foundation
import TestKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs `keepsake` with arguments, and can kill it.
struct Command {
    let arguments: [String]
    var environment: [String: String] = [:]

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// - Returns: its output.
    /// - Throws: `Failed` unless it exits with 0.
    @discardableResult
    func run() throws -> String {
        let run = try ServerProcess.run(arguments, environment: environment)
        guard run.status == 0 else {
            throw Failed(description: "\(arguments.joined(separator: " ")): \(run.status) \(run.errors)\(run.output)")
        }
        return run.output
    }

    /// Starts the program and kills it after `time`, unless it ends before.
    /// - Returns: whether it was killed.
    func runAndKill(after time: Duration) throws -> Bool {
        let run = try watch(killingAfter: time)
        return run.wasKilled
    }

    struct Run {
        var wasKilled = false
        /// The exit code of a run that was not killed.
        var status: Int32 = 0
        /// Standard output and standard error of a run that was not killed.
        var output = ""
        /// The time from the start of the run until it ended or was killed.
        var time = Duration.zero
        /// The most resident memory that it had (VmHWM); 0 where there is no `/proc`.
        var peakByteCount = 0
    }

    /// Starts the program, reads its memory fifty times a second, and kills it after `time`, unless it ends before. Only for commands that
    /// print little, because their output is read when they have ended.
    /// - Parameters:
    ///   - time: `nil` lets it end.
    ///   - show: called while it runs, with the time and the peak of memory so far.
    func watch(killingAfter time: Duration? = nil, show: (Duration, Int) -> Void = { _, _ in }) throws -> Run {
        try BlockingThreads.check()
        let process = Process()
        process.executableURL = URL(filePath: ServerProcess.binary)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KEEPSAKE_") }.merging(environment) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        let start = ContinuousClock.now
        try process.run()
        var run = Run()
        var pause = Duration.milliseconds(20)
        while process.isRunning {
            let elapsed = ContinuousClock.now - start
            if let time {
                guard elapsed < time else { break }
                pause = min(.milliseconds(20), time - elapsed)
            }
            run.peakByteCount = max(run.peakByteCount, Self.peakByteCount(of: process.processIdentifier))
            show(elapsed, run.peakByteCount)
            usleep(UInt32(pause / .microseconds(1)))
        }
        let isRunning = process.isRunning
        if isRunning { kill(process.processIdentifier, SIGKILL) }
        let status = process.waitForExit()
        run.time = ContinuousClock.now - start
        run.wasKilled = isRunning && status == SIGKILL
        if !run.wasKilled {
            run.status = status
            for pipe in [output, errors] {
                run.output += String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            }
        }
        return run
    }

    private static func peakByteCount(of process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1_024
    }
}
