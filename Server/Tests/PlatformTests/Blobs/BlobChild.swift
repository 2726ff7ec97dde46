import Blobs
import Core
import Foundation
import NIOCore
import Synchronization
import TestKit
import TestThreads
import Testing

/// Runs one task of `BlobChildWorks` in a child process, so that a test can trace it, measure it, or make its system calls fail.
enum BlobChild {
    struct Outcome {
        let output: String
        /// The lines of strace's log, one per system call; empty without `tracing`.
        let trace: [String]
        let hasSucceeded: Bool
    }

    static let variable = "KEEPSAKE_BLOB_WORK"
    static let strace = ["/usr/bin/strace", "/bin/strace", "/usr/local/bin/strace"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// - Parameter tracing: options for strace; nil runs the task without strace.
    static func run(_ work: String, folder: String, tracing: [String]? = nil) async throws -> Outcome {
        let process = Process()
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let command = [executable, "--testing-library", "swift-testing", "--filter", "BlobChildWorks"]
        let log = folder + "/trace"
        if let tracing, let strace {
            process.executableURL = URL(filePath: strace)
            process.arguments = ["-f", "-y", "-o", log] + tracing + ["--"] + command
        } else {
            process.executableURL = URL(filePath: command[0])
            process.arguments = Array(command.dropFirst())
        }
        process.environment = ProcessInfo.processInfo.environment.merging(
            [variable: work, "KEEPSAKE_BLOB_FOLDER": folder, "SWIFT_BACKTRACE": "enable=no"], uniquingKeysWith: { $1 })
        let output = folder + "/output"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(filePath: output))
        process.standardOutput = handle
        process.standardError = handle
        let ended = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in ended.continuation.finish() }
        try process.run()
        for await _ in ended.stream {}
        return Outcome(
            output: try String(contentsOfFile: output, encoding: .utf8),
            trace: (try? String(contentsOfFile: log, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? [],
            hasSucceeded: process.terminationStatus == 0)
    }

    /// The fixed sequence of keys that the child process makes.
    static let entropy = Entropy { count in
        let number = made.withLock { made in
            made += 1
            return made
        }
        return [UInt8](repeating: UInt8(number), count: count)
    }
    private static let made = Mutex(0)

    static func key(_ number: Int) -> String { String(repeating: Hex.encode([UInt8(number)]), count: 20) }
}

@Suite(
    .enabled(if: ProcessInfo.processInfo.environment[BlobChild.variable] != nil, "only in the process that another test starts"),
    .blocksThreads)
struct BlobChildWorks {
    @Test("Runs the task that the parent process named")
    func work() async throws {
        let environment = ProcessInfo.processInfo.environment
        let folder = try #require(environment["KEEPSAKE_BLOB_FOLDER"])
        let store = try await LocalBlobStore.open(folder: folder + "/store", removingLeftovers: true, entropy: BlobChild.entropy)
        switch environment[BlobChild.variable] {
        case "publish":
            do {
                let content = BlobStoreSuite.bytes(3_000_000)
                let writer = try await store.stage()
                try await BlobStoreSuite.write(content, to: writer)
                let staged = try await writer.finish()
                print("finished \(staged.key)")
                try await store.publish([staged])
                print("published \(staged.key)")
            } catch {
                print("failed: \(error)")
            }
        case "publish many":
            var staged: [StagedBlob] = []
            for _ in 0..<3 {
                let writer = try await store.stage()
                try await writer.append(ByteBuffer(string: "one of three"))
                staged.append(try await writer.finish())
            }
            try await store.publish(staged)
        case "publish into the folder of another":
            try FileManager.default.createDirectory(atPath: folder + "/store/blobs/01", withIntermediateDirectories: false)
            for end in ["a", "b"] {
                let key = try #require(BlobKey("01" + String(repeating: end, count: BlobKey.length - 2)))
                let writer = try await store.stage(as: key)
                try await writer.append(ByteBuffer(string: "one of two"))
                try await store.publish([try await writer.finish()])
            }
        case "publish forty in turn":
            for _ in 0..<40 {
                let writer = try await store.stage()
                try await writer.append(ByteBuffer(string: "one of forty"))
                let staged = try await writer.finish()
                do {
                    try await store.publish([staged])
                    print("published \(staged.key)")
                } catch {
                    print("failed \(staged.key): \(error)")
                    break
                }
            }
        case "eight at once":
            // The first round warms up threads, pools and code.
            try await upload(byteCount: 4 << 20, to: store)
            let idle = residentByteCount()
            let peak = Mutex(idle)
            let sampler = Task {
                while !Task.isCancelled {
                    let now = residentByteCount()
                    peak.withLock { $0 = max($0, now) }
                    try? await Task.sleep(for: .milliseconds(5))
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { try await upload(byteCount: 40 << 20, to: store) } }
                try await group.waitForAll()
            }
            sampler.cancel()
            await sampler.value
            print("grew by \((peak.withLock { $0 } - idle) / 1_048_576) MB")
        default: Issue.record("no such work")
        }
        await store.close()
    }

    private func upload(byteCount: Int, to store: any BlobStore) async throws {
        let writer = try await store.stage()
        for turn in 0..<(byteCount / 65_536) {
            try await writer.append(ByteBuffer(repeating: UInt8(truncatingIfNeeded: turn), count: 65_536))
        }
        let staged = try await writer.finish()
        try await store.publish([staged])
        #expect(staged.byteCount == byteCount)
        try await store.delete(staged.key)
    }

    private func residentByteCount() -> Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4096
    }
}
