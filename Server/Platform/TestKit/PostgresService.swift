internal import Foundation

/// A PostgreSQL server for one test, which the test may stop, kill and restart.
package final class PostgresService {
    private let folder: TemporaryFolder
    package let port: Int

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter port: a port on loopback that no other test uses.
    package init(port: Int) throws {
        try BlockingThreads.check()
        self.port = port
        folder = try TemporaryFolder()
        try run("start")
    }

    deinit { try? run("stop") }

    package var address: String { "postgres://postgres@127.0.0.1:\(port)/postgres" }

    /// Appends lines to postgresql.conf and restarts the server.
    package func configure(_ lines: [String]) throws {
        guard let file = FileHandle(forWritingAtPath: folder.path + "/postgres/postgresql.conf") else {
            throw Failure(description: "no configuration")
        }
        try file.seekToEnd()
        try file.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        try file.close()
        try restart()
    }

    /// Enables TLS with this certificate for connections that request it.
    package func encrypt(certificate: String, key: String) throws {
        for (from, name) in [(certificate, "server.crt"), (key, "server.key")] {
            let to = folder.path + "/postgres/" + name
            try FileManager.default.copyItem(atPath: from, toPath: to)
            // The server requires a key that no other user can read, and runs as the folder's owner.
            let owner = try FileManager.default.attributesOfItem(atPath: folder.path + "/postgres")[.ownerAccountID] as Any
            try FileManager.default.setAttributes([.posixPermissions: 0o600, .ownerAccountID: owner], ofItemAtPath: to)
        }
        try configure(["ssl = on"])
    }

    package func start() throws { try run("start") }

    /// Restarts without a checkpoint, as after a crash.
    package func restart() throws { try run("restart") }

    /// Sends SIGKILL to all of its processes.
    package func kill() throws { try run("kill") }

    private func run(_ what: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../scripts/services.sh")
        process.arguments = [what, "postgres"]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "KEEPSAKE_SERVICES": folder.path, "KEEPSAKE_POSTGRES_PORT": "\(port)",
        ]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        guard process.waitForExit() == 0 else { throw Failure(description: "services.sh \(what) failed") }
    }
}
