internal import Foundation

/// A PostgreSQL server of one test's own, which it may stop, kill and start again.
package final class PostgresService {
    private let folder: TemporaryFolder
    package let port: Int

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter port: free on loopback, and no other test's.
    package init(port: Int) throws {
        self.port = port
        folder = try TemporaryFolder()
        try run("start")
    }

    deinit { try? run("stop") }

    package var address: String { "postgres://postgres@127.0.0.1:\(port)/postgres" }
    package var configuration: String { folder.path + "/postgres/postgresql.conf" }

    package func start() throws { try run("start") }

    /// Without a checkpoint, as after a crash.
    package func restart() throws { try run("restart") }

    /// SIGKILL for every process of it.
    package func kill() throws { try run("kill") }

    private func run(_ what: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../scripts/services.sh")
        process.arguments = [what]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "KEEPSAKE_SERVICES": folder.path, "KEEPSAKE_POSTGRES_PORT": "\(port)",
        ]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "services.sh \(what) failed") }
    }
}
