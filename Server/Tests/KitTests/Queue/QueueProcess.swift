import Foundation
import Synchronization
import TestKit

/// The program `queue-client`: an app with an offline queue, in its own process, which a test can kill.
final class QueueProcess {
    enum Failure: Error { case silent(waitedFor: String, last: String) }

    private let process: Process
    private let input: FileHandle
    private let output = Output()

    /// The thread that reads the output refers only to this object, so it does not keep the `QueueProcess` alive.
    private final class Output: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// Starts the program and waits until it has opened its queue.
    /// - Parameters:
    ///   - queue: path of the queue's folder.
    ///   - tokens: path of a `FileTokenStore`.
    ///   - transport: `urlsession`, or `http`, which supports WebSockets.
    init(url: String, queue: String, tokens: String, transport: String) throws {
        try BlockingThreads.check()
        process = Process()
        process.executableURL = URL(filePath: ServerProcess.binary).deletingLastPathComponent().appending(path: "queue-client")
        process.arguments = [url, queue, tokens, transport]
        let (commands, lines) = (Pipe(), Pipe())
        process.standardInput = commands
        process.standardOutput = lines
        input = commands.fileHandleForWriting
        try process.run()
        let reading = lines.fileHandleForReading
        Thread.detachNewThread { [output] in
            var rest = ""
            while case let bytes = reading.availableData, !bytes.isEmpty {
                rest += String(decoding: bytes, as: UTF8.self)
                var parts = rest.components(separatedBy: "\n")
                rest = parts.removeLast()
                output.lines.withLock { $0 += parts }
            }
        }
        try wait(for: "ready")
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The lines that the program has printed so far.
    var lines: [String] { output.lines.withLock { $0 } }

    /// The lines that begin with a word, without this word.
    func printed(_ word: String) -> [String] { lines.filter { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) } }

    func send(_ command: String) throws { try input.write(contentsOf: Data("\(command)\n".utf8)) }

    func wait(for line: String, within limit: Duration = .seconds(60)) throws {
        let end = ContinuousClock.now + limit
        while !lines.contains(line) {
            guard process.isRunning, ContinuousClock.now < end else {
                throw Failure.silent(waitedFor: line, last: lines.last ?? "nothing")
            }
            usleep(2_000)
        }
    }

    func killNow() {
        kill(process.processIdentifier, SIGKILL)
        process.waitForExit()
    }

    /// Resident memory in bytes: now (`VmRSS`) or the highest value so far (`VmHWM`).
    func memory(_ field: String = "VmRSS") throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
        return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1_024
    }
}
