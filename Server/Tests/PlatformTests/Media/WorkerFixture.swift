import CMedia
import Core
import Foundation
import Logging
import MediaFrames
import MediaTools
import ServiceLifecycle
import TestKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A pool of real workers, and test files.
enum WorkerFixture {
    /// The `keepsake-media` built beside the tests.
    static var program: String {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "keepsake-media").path
    }

    static var options: MediaWorkerOptions { MediaWorkerOptions(program: program) }

    static let here = URL(filePath: #filePath).deletingLastPathComponent()
    /// Real files of every format, from the uploads' tests.
    static let kinds = RealFile.folder
    static let own = here.appending(path: "Fixtures")

    static func bytes(_ name: String, in folder: URL = kinds) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    /// Runs a pool for the duration of `body`; afterwards none of its processes is left.
    @discardableResult
    static func run<Result>(
        _ change: (inout MediaWorkerOptions) -> Void = { _ in }, _ body: @escaping (MediaWorkers) async throws -> Result
    ) async throws -> Result {
        var options = Self.options
        // With a single worker, the worker that a test stops or kills is the one that runs the job.
        options.workers = 1
        change(&options)
        let logger = Logger(label: "media") { _ in SwiftLogNoOpLogHandler() }
        let workers = MediaWorkers(options, logger: logger)
        let group = ServiceGroup(
            configuration: .init(services: [.init(service: workers)], gracefulShutdownSignals: [], cancellationSignals: [], logger: logger))
        async let running: Void = group.run()
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(workers)) } catch { result = .failure(error) }
        await group.triggerGracefulShutdown()
        try await running
        return try result.get()
    }

    /// The process id of the running worker; waits until there is one.
    static func process(_ workers: MediaWorkers) async throws -> pid_t {
        for _ in 0..<12_000 {
            if let process = workers.processes.first { return process }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Lacking("a worker")
    }

    /// Polls until `isSo` returns true, for at most a minute.
    static func eventually(_ isSo: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try !isSo() {
            guard ContinuousClock.now < end else { throw Lacking("what was waited for") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Whether the process has ended. True for a zombie, which its parent has not reaped yet.
    static func hasEnded(_ process: pid_t) -> Bool {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return true }
        return line[(line.lastIndex(of: ")") ?? line.startIndex)...].hasPrefix(") Z")
    }

    /// Peak resident memory in bytes, as the kernel reports it.
    static func peak(_ process: pid_t) throws -> Int { try kilobytes(process, "VmHWM:") * 1024 }
    static func resident(_ process: pid_t) throws -> Int { try kilobytes(process, "VmRSS:") * 1024 }

    static func kilobytes(_ process: pid_t, _ field: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
        return Int(line?.split(separator: " ").dropFirst().first ?? "") ?? 0
    }

    static func look(_ bytes: [UInt8], _ suffix: String) throws -> DecodedImage { try DecodedImage(bytes, suffix) }

    @discardableResult
    static func tool(_ name: String, _ arguments: [String]) throws -> String { try Tool.run(name, arguments) }

    struct Lacking: Error {
        let what: String
        init(_ what: String) { self.what = what }
    }
}

extension MediaWorkers {
    func inspect(_ bytes: [UInt8]) async throws -> ImageFacts {
        let file = try MemoryFile(bytes)
        return try await inspect(file.descriptor)
    }

    func variant(_ bytes: [UInt8], _ request: VariantRequest, of owned: OwnedFile? = nil) async throws -> ImageVariant {
        let file = try MemoryFile(bytes)
        return try await variant(file.descriptor, request, of: owned)
    }

    /// Inspects the file and returns the failure; nil when it succeeds.
    func failure(_ bytes: [UInt8]) async throws -> MediaFailure? {
        do {
            _ = try await inspect(bytes)
            return nil
        } catch let failure as MediaFailure {
            return failure
        }
    }
}

/// A file in memory only.
struct MemoryFile: ~Copyable {
    let descriptor: CInt

    init(_ bytes: [UInt8]) throws {
        descriptor = media_memory()
        var done = 0
        while done < bytes.count {
            let written = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { throw WorkerFixture.Lacking("memory") }
            done += written
        }
    }

    deinit { close(descriptor) }
}
