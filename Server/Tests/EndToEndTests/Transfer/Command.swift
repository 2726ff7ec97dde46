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

    /// Starts it and kills it after a time, unless it ends before.
    /// - Returns: whether it was killed.
    func runAndKill(after time: Duration) throws -> Bool {
        try BlockingThreads.check()
        let process = Process()
        process.executableURL = URL(filePath: ServerProcess.binary)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KEEPSAKE_") }.merging(environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        usleep(UInt32(time / .microseconds(1)))
        let isRunning = process.isRunning
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return isRunning && process.terminationReason == .uncaughtSignal
    }
}
