import Captures
import Database
import DatabaseEngines
import Foundation
import Logging
import MediaTools
import S3Blobs
import ServiceLifecycle
import TestKit
import TestThreads
import Testing

@testable import keepsake

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs a server in a separate process, with a setting that the real program does not have: it acknowledges captures before it commits
/// them.
enum CaptureChild {
    static let folder = "KEEPSAKE_CAPTURE_CHILD"

    struct NeverStarted: Error, CustomStringConvertible {
        let description: String
    }

    static func start(in folder: String) async throws -> CaptureCampaign.Node {
        let portFile = folder + "/port"
        try? FileManager.default.removeItem(atPath: portFile)
        let output = folder + "/output"
        try Data().write(to: URL(filePath: output))
        let process = Process()
        process.executableURL = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = ["--testing-library", "swift-testing", "--filter", "CaptureChildWorks"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            [Self.folder: folder, "SWIFT_BACKTRACE": "enable=no"], uniquingKeysWith: { $1 })
        let handle = try FileHandle(forWritingTo: URL(filePath: output))
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            if let text = try? String(contentsOfFile: portFile, encoding: .utf8), text.hasSuffix("\n"), let port = Int(text.dropLast()) {
                return (port, process.processIdentifier, { process.waitForExit() })
            }
            guard process.isRunning, ContinuousClock.now < deadline else {
                kill(process.processIdentifier, SIGKILL)
                throw NeverStarted(description: (try? String(contentsOfFile: output, encoding: .utf8)) ?? "")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

@Suite(
    .enabled(if: ProcessInfo.processInfo.environment[CaptureChild.folder] != nil, "only in the process that a campaign starts"),
    .blocksThreads)
struct CaptureChildWorks {
    @Test("Serves until it is killed, and acknowledges captures before they are committed")
    func serve() async throws {
        let folder = try #require(ProcessInfo.processInfo.environment[CaptureChild.folder])
        var settings = Settings()
        settings.port = 0
        settings.dataFolder = folder
        settings.blobs = .file(folder: folder)
        settings.database = .sqlite(path: folder + "/keepsake.sqlite")
        settings.rateLimits = nil
        settings.mediaWorker.isKeptWarm = false
        settings.captures.waitsForCommit = false
        let logger = Logger(label: "child") { _ in SwiftLogNoOpLogHandler() }
        let backend = try await Backend.open(settings, mode: .serving, logger: logger)
        let server = backend.makeServer { port in
            try? Data("\(port)\n".utf8).write(to: URL(filePath: folder + "/port"), options: .atomic)
        }
        let group = ServiceGroup(configuration: .init(services: backend.services + [server] + backend.frontServices, logger: logger))
        try await group.run()
    }
}
