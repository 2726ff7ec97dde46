import Blobs
import Core
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

/// A test server for the channel. It serves one file of a blob store at `/file`, a response made for each request at `/page`, and a
/// built-in file at `/document`. At `/made` and `/short`, a request first waits for its turn to make a long response.
struct AnswerServer {
    let server: ChannelServer
    /// The number of times the server opened the file.
    let opened: @Sendable () -> Int
    /// The number of responses of `/made` that the server made.
    let made: @Sendable () -> Int

    static let content = BlobStoreSuite.bytes(8_800_000)
    static let document = BlobStoreSuite.bytes(2_000_000)
    static let page = BlobStoreSuite.bytes(1_000_000)

    /// - Parameters:
    ///   - copies: how many times the file holds `content`.
    ///   - temporary: the folder for responses that have no room in memory.
    static func run<T: Sendable>(
        _ limits: ChannelLimits = ChannelLimits(), identity: TestIdentity? = nil, copies: Int = 1, temporary: String? = nil,
        _ test: @escaping @Sendable (AnswerServer) async throws -> T
    ) async throws -> T {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let writer = try await store.stage()
        for _ in 0..<copies { try await BlobStoreSuite.write(content, to: writer) }
        let staged = try await writer.finish()
        try await store.publish([staged])
        let (opened, made) = (Counter(), Counter())
        let builtIn = BuiltInFile(document, type: "application/json")
        let result = try await ChannelServer.run(
            limits, identity: identity, folder: temporary,
            routes: { router in
                router.get("/file") { request, context in
                    let file = ServedFile(
                        byteCount: staged.byteCount, contentType: "video/mp4", fileName: "film.mp4", sha256: staged.sha256,
                        modifiedAt: Timestamp(seconds: 1)
                    ) {
                        opened.add()
                        return try await store.open(staged.key)
                    }
                    return try await file.response(to: request, context)
                }
                router.get("/document") { request, context in try builtIn.conditionalResponse(to: request, context) }
                router.get("/made") { _, context -> Response in
                    try await context.waitForTurn(toMake: 2_000_000)
                    made.add()
                    return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 32, count: 2_000_000)))
                }
                router.get("/short") { _, context -> String in
                    try await context.waitForTurn(toMake: 2_000_000)
                    return "short"
                }
                for method in [HTTPRequest.Method.get, .post] {
                    router.on("/page", method: method) { _, _ in
                        Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: page)))
                    }
                }
            }
        ) { server in
            try await test(AnswerServer(server: server, opened: { opened.count }, made: { made.count }))
        }
        await store.close()
        return result
    }

    private final class Counter: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    func gauge(_ name: String) -> Int {
        let line = server.metrics.page().split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? -1
    }

    /// Waits until `isSo` returns true, for at most ten seconds.
    func eventually(_ isSo: () throws -> Bool) async rethrows -> Bool {
        for _ in 0..<1_000 {
            if try isSo() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

/// The same server in a process of its own, so that a test can measure its memory.
final class AnswerProcess {
    static let variable = "KEEPSAKE_ANSWER_WORK"
    let port: Int
    private let process = Process()
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - isBounded: true applies the server's default limits; false lets any number of responses hold 4 MiB each.
    ///   - isLong: serves 53 MB instead of 9 MB.
    init(isBounded: Bool = true, isSecure: Bool = false, isLong: Bool = false) throws {
        folder = try TemporaryFolder()
        process.executableURL = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = ["--testing-library", "swift-testing", "--filter", "AnswerProcessWorks"]
        var environment = ProcessInfo.processInfo.environment
        environment[Self.variable] = isBounded ? "bounded" : "unbounded"
        environment["KEEPSAKE_ANSWER_FOLDER"] = folder.path
        environment["KEEPSAKE_ANSWER_SECURE"] = isSecure ? "yes" : nil
        environment["KEEPSAKE_ANSWER_LONG"] = isLong ? "yes" : nil
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let file = folder.path + "/port"
        var port: Int?
        for _ in 0..<600 where port == nil {
            Thread.sleep(forTimeInterval: 0.05)
            port = (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { Int($0) }
        }
        self.port = try #require(port)
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var residentByteCount: Int {
        let fields = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4_096
    }

    /// Resident memory in bytes, once it has stopped growing.
    func settledByteCount() async throws -> Int {
        var last = residentByteCount
        var still = 0
        for _ in 0..<100 where still < 4 {
            try await Task.sleep(for: .milliseconds(100))
            let now = residentByteCount
            still = now > last + 500_000 ? 0 : still + 1
            last = max(last, now)
        }
        return last
    }
}

@Suite(
    .enabled(if: ProcessInfo.processInfo.environment[AnswerProcess.variable] != nil, "only in the process that another test starts"),
    .blocksThreads)
struct AnswerProcessWorks {
    @Test("Serves a file until it is killed")
    func work() async throws {
        let environment = ProcessInfo.processInfo.environment
        let folder = try #require(environment["KEEPSAKE_ANSWER_FOLDER"])
        var limits = ChannelLimits()
        if environment[AnswerProcess.variable] == "unbounded" {
            limits.connectionsPerAddress = 100_000
            limits.streamsPerNetwork = 100_000
            limits.answers = 100_000
            limits.answerByteCount = .max / 4
            limits.answerByteCountPerNetwork = .max / 4
            limits.connectionAnswerByteCount = .max / 4
            limits.unsentBytes = SharedBudget.Limits(total: .max / 4, perAccount: .max / 4, perNetwork: .max / 4)
            limits.regionByteCount = 0
            (limits.firstPieceByteCount, limits.pieceByteCount) = (4 << 20, 4 << 20)
            (limits.framedPieceByteCount, limits.http2PieceByteCount) = (4 << 20, 4 << 20)
        }
        let identity = environment["KEEPSAKE_ANSWER_SECURE"] == nil ? nil : try TestIdentity()
        try await AnswerServer.run(limits, identity: identity, copies: environment["KEEPSAKE_ANSWER_LONG"] == nil ? 1 : 6) { server in
            try "\(server.server.port)".write(toFile: folder + "/port", atomically: true, encoding: .utf8)
            // The parent process kills this one. If the parent is gone, this process ends by itself.
            try await Task.sleep(for: .seconds(120))
        }
    }
}
