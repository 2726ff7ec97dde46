import CMedia
import Core
import Foundation
import Logging
import MediaFrames
import MediaTools
import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A pool of real workers, and files for them.
enum MediaWorkshop {
    /// The `keepsake-media` built beside the tests.
    static var program: String {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "keepsake-media").path
    }

    static let here = URL(filePath: #filePath).deletingLastPathComponent()
    /// Real files of every kind, of the uploads' tests.
    static let kinds = here.appending(path: "../../FeatureTests/Media/Fixtures")
    static let own = here.appending(path: "Fixtures")

    static func bytes(_ name: String, in folder: URL = kinds) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    /// Runs a pool for as long as the body takes; afterwards none of its processes is left.
    @discardableResult
    static func run<Result>(
        _ change: (inout MediaWorkerOptions) -> Void = { _ in }, _ body: @escaping (MediaWorkers) async throws -> Result
    ) async throws -> Result {
        var options = MediaWorkerOptions(program: program)
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

    /// The warm worker's process id, once there is one.
    static func process(_ workers: MediaWorkers) async throws -> pid_t {
        for _ in 0..<1000 {
            if let process = workers.processes.first { return process }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Lacking("a worker")
    }

    /// Peak resident bytes, by the kernel's account.
    static func peak(_ process: pid_t) throws -> Int { try kilobytes(process, "VmHWM:") * 1024 }
    static func resident(_ process: pid_t) throws -> Int { try kilobytes(process, "VmRSS:") * 1024 }

    static func kilobytes(_ process: pid_t, _ field: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
        return Int(line?.split(separator: " ").dropFirst().first ?? "") ?? 0
    }

    /// What another libvips program says the bytes show: width, height, and the colours of the four quarters' middles.
    static func look(_ bytes: [UInt8], _ suffix: String) throws -> (width: Int, height: Int, quarters: [[Int]]) {
        let path = FileManager.default.temporaryDirectory.appending(path: "keepsake-media-\(UUID().uuidString)").path
        let source = "\(path).\(suffix)"
        defer { for name in [source, "\(path).png", "\(path).raw"] { try? FileManager.default.removeItem(atPath: name) } }
        try Data(bytes).write(to: URL(filePath: source))
        let size = try tool("vipsheader", ["-f", "width", source]) + " " + tool("vipsheader", ["-f", "height", source])
        let numbers = size.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard numbers.count == 2 else { throw Lacking("a size") }
        try _ = tool("vips", ["rawsave", source, "\(path).raw"])
        let raw = [UInt8](try Data(contentsOf: URL(filePath: "\(path).raw")))
        let (width, height) = (numbers[0], numbers[1])
        let bands = raw.count / (width * height)
        let quarters = [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
            let at = ((height * y / 4) * width + width * x / 4) * bands
            return raw[at..<at + min(3, bands)].map(Int.init)
        }
        return (width, height, quarters)
    }

    @discardableResult
    static func tool(_ name: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Lacking(name) }
        return String(decoding: text, as: UTF8.self)
    }

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

    func variant(_ bytes: [UInt8], _ request: VariantRequest) async throws -> ImageVariant {
        let file = try MemoryFile(bytes)
        return try await variant(file.descriptor, request)
    }

    /// What became of it: a failure, or nothing.
    func failure(_ bytes: [UInt8]) async throws -> MediaFailure? {
        do {
            _ = try await inspect(bytes)
            return nil
        } catch let failure as MediaFailure {
            return failure
        }
    }
}

/// A file that is nowhere on a disk.
struct MemoryFile: ~Copyable {
    let descriptor: CInt

    init(_ bytes: [UInt8]) throws {
        descriptor = media_memory()
        var done = 0
        while done < bytes.count {
            let written = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { throw MediaWorkshop.Lacking("memory") }
            done += written
        }
    }

    deinit { close(descriptor) }
}
