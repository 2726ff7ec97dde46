package import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs the real `keepsake` program in a process of its own, which a test can kill.
package final class ServerProcess {
    /// Path of the `keepsake` that was built with the tests.
    package static var binary: String {
        #if os(macOS)
            // On macOS the tests are a bundle that a system program runs.
            if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
                return bundle.bundleURL.deletingLastPathComponent().appending(path: "keepsake").path
            }
        #endif
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "keepsake").path
    }

    package let port: Int
    /// The first line of its output.
    package let listeningLine: String
    /// Time from starting the process to the line that says it listens.
    package let startTime: Duration
    private let process: Process

    package enum Failure: Error { case didNotListen(String) }

    /// Starts `keepsake serve` and waits until it listens.
    /// - Parameters:
    ///   - port: the port to listen on; 0 picks a free one.
    ///   - log: file for the log at level `info`; with `nil` the level is `error` and the log is discarded.
    ///   - binary: path of another build; default the one built with the tests.
    package init(
        data: String, port: Int = 0, arguments: [String] = [], environment: [String: String] = [:], in folder: String? = nil,
        log: FileHandle? = nil, binary: String? = nil
    ) throws {
        try BlockingThreads.check()
        let clock = ContinuousClock()
        let start = clock.now
        process = Process()
        process.executableURL = URL(filePath: binary ?? Self.binary)
        process.arguments = ["serve", "--port", "\(port)", "--data", data, "--log", log == nil ? "error" : "info"] + arguments
        process.environment = Self.environment(environment)
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = log ?? FileHandle.nullDevice
        try process.run()
        var text = ""
        while !text.contains("\n") {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw Failure.didNotListen(text) }
            text += String(decoding: bytes, as: UTF8.self)
        }
        guard let colon = text.firstIndex(of: "\n").flatMap({ text[..<$0].lastIndex(of: ":") }),
            let port = Int(text[text.index(after: colon)...].prefix(while: \.isNumber))
        else { throw Failure.didNotListen(text) }
        self.port = port
        listeningLine = String(text.prefix { $0 != "\n" })
        startTime = clock.now - start
    }

    package var processID: Int32 { process.processIdentifier }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Resident memory in bytes (VmRSS).
    package func residentByteCount() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1_024
    }

    /// Processor time used so far, in seconds, in user and system mode.
    package func processorSeconds() throws -> Double {
        let stat = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
        // The name in parentheses may contain spaces, so the fields are counted from its end. Fields 14 and 15 of the line are times in
        // hundredths of a second.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        return fields.count > 13 ? ((Double(fields[12]) ?? 0) + (Double(fields[13]) ?? 0)) / 100 : 0
    }

    /// Kills it as a crash would: no handler runs, no buffer is flushed.
    package func killNow() {
        kill(process.processIdentifier, SIGKILL)
        process.waitForExit()
    }

    /// Shuts it down gracefully.
    /// - Returns: the exit code.
    package func terminate() -> Int32 {
        askToStop()
        return waitForExit()
    }

    package func askToStop() { kill(process.processIdentifier, SIGTERM) }

    /// Stops it where it is (SIGSTOP): it keeps its connections and locks, but does nothing.
    package func pause() { kill(process.processIdentifier, SIGSTOP) }

    /// Continues it after `pause`.
    package func resume() { kill(process.processIdentifier, SIGCONT) }

    /// Sends SIGHUP, as an operator does after renewing a certificate.
    package func hangUp() { kill(process.processIdentifier, SIGHUP) }

    /// - Returns: the exit code.
    package func waitForExit() -> Int32 { process.waitForExit() }

    /// Runs `keepsake`, or the program `binary`, until it exits.
    package static func run(
        _ arguments: [String], binary: String? = nil, environment: [String: String] = [:], in folder: String? = nil
    ) throws -> (status: Int32, output: String, errors: String) {
        try BlockingThreads.check()
        let process = Process()
        process.executableURL = URL(filePath: binary ?? Self.binary)
        process.arguments = arguments
        process.environment = Self.environment(environment)
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Reads before it waits: a full pipe would block the process. Standard error is only a few lines, which fit into its pipe.
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return (process.waitForExit(), text, errorText)
    }

    private static func environment(_ more: [String: String]) -> [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KEEPSAKE_") }.merging(more) { $1 }
    }
}
