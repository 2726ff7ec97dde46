import Core
import Database
import DatabaseEngines
import Foundation
import Jobs
import TestKit
import Testing

/// A node in a child process, which runs the test binary, so that a test can kill it.
final class JobChild: Sendable {
    static let work = "KEEPSAKE_JOB_WORK"
    static let database = "KEEPSAKE_JOB_DATABASE"
    static let node = "KEEPSAKE_JOB_NODE"
    static let lease = "KEEPSAKE_JOB_LEASE_MS"
    static let parent = "KEEPSAKE_JOB_PARENT"

    /// Opens the database by its address, in the format of `KEEPSAKE_DATABASE`. Only this function of the campaign knows the engines:
    /// `DatabaseAddress` opens `sqlite:PATH` as well as `postgres://…`.
    static func open(_ address: String) async throws -> any Database {
        guard let address = DatabaseAddress(address) else { throw JobSuite.Failure(description: "no engine has this address") }
        return try await address.open(connections: 8)
    }

    let node: String
    private let process: Process
    private let ended: AsyncStream<Void>

    /// - Parameter lease: the lease of the node's runner; the other durations scale with it. nil uses the defaults.
    init(node: String, database: String, lease: Duration? = nil) throws {
        self.node = node
        process = Process()
        process.executableURL = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = ["--testing-library", "swift-testing", "--filter", "JobChildWorks"]
        var environment = ["SWIFT_BACKTRACE": "enable=no", Self.work: "run", Self.database: database, Self.node: node]
        environment[Self.parent] = "\(ProcessInfo.processInfo.processIdentifier)"
        environment[Self.lease] = lease.map { "\($0 / .milliseconds(1))" }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ended, maker) = AsyncStream.makeStream(of: Void.self)
        self.ended = ended
        process.terminationHandler = { _ in maker.finish() }
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var isRunning: Bool { process.isRunning }

    /// Kills the process by SIGKILL, which it cannot handle. Returns once it has ended.
    func killNow() async {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        for await _ in ended {}
    }
}

/// Takes effect once, after some milliseconds of work.
struct Increment: Job {
    static let kind = "campaign/increment"
    let number: Int
    let milliseconds: Int
}

/// Kills its own process, as a decoder may that crashes on a file.
struct Poison: Job {
    static let kind = "campaign/poison"
}

@Suite(.enabled(if: ProcessInfo.processInfo.environment[JobChild.work] != nil, "only in the process that another test starts"))
struct JobChildWorks {
    @Test("Runs jobs until it is killed")
    func work() async throws {
        let environment = ProcessInfo.processInfo.environment
        let database = try await JobChild.open(try #require(environment[JobChild.database]))
        var options = JobRunner.Options()
        if let milliseconds = environment[JobChild.lease].flatMap(Double.init) {
            options.lease = .milliseconds(1) * milliseconds
            options.heartbeat = options.lease / 3
            options.poll = options.lease / 6
        }
        let handlers = [
            JobHandler(Increment.self) { run in
                try await Task.sleep(for: .milliseconds(run.payload.milliseconds))
                try await run.complete { tx in try JobFixture.makeEffect(run.payload.number, tx) }
            },
            JobHandler(Poison.self) { _ in kill(getpid(), SIGKILL) },
        ]
        let runner = JobRunner(
            database: database, handlers: handlers, node: environment[JobChild.node] ?? "child", clock: .system, entropy: .system,
            logger: JobFixture.logger, options: options)
        let parent = environment[JobChild.parent].flatMap(Int32.init)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await runner.run() }
            // The parent no longer exists, so this process ends itself.
            while parent == getppid() { try await Task.sleep(for: .milliseconds(200)) }
            group.cancelAll()
        }
    }
}
