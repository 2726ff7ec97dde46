import Foundation
import TestKit

/// A server in its production configuration with TLS, accounts for victims and attackers, and the Python clients that act as them.
final class FairnessStage {
    let server: ServerProcess
    private let scale: FairnessScale
    private let folder: TemporaryFolder
    private let stores: TestStores
    private let file: String

    struct Failure: Error, CustomStringConvertible { let description: String }

    private static let clients = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "clients").path

    /// A black JPEG of 98 megapixels, which is decoded row by row.
    private static let largePicture = Result {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        defer { _ = temporary }
        try Tool.run("vips", ["black", folder + "/a.v", "9900", "9900", "--bands", "3"])
        try Tool.run("vips", ["jpegsave", folder + "/a.v", folder + "/a.jpg"])
        return try Data(contentsOf: URL(filePath: folder + "/a.jpg"))
    }

    init(_ engine: Engine, _ scale: FairnessScale) throws {
        self.scale = scale
        folder = try TemporaryFolder()
        stores = try TestStores(engine)
        file = folder.path + "/stage.json"
        let environment = [
            "KEEPSAKE_ENV": "production", "KEEPSAKE_PUBLIC_URL": "https://keepsake.test", "KEEPSAKE_REGISTRATION": "invite",
            "KEEPSAKE_DATABASE": try stores.address(), "KEEPSAKE_QUOTA_MB": "\(scale.quotaMegabytes)",
            "KEEPSAKE_VERIFY": "everybody",
        ]
        let identity = try ServerIdentity(in: folder.path)
        // Creates the database.
        let accounts = FairnessAccounts(folder: folder.path, environment: environment, scale: scale)
        _ = try accounts.command(["invite", "--begin-installation", "--json"])
        if engine == .sqlite, scale.ballastByteCount > 0 { try Self.addBallast(scale.ballastByteCount, to: try stores.address()) }
        server = try ServerProcess(
            data: folder.path + "/one", arguments: identity.arguments, environment: environment, binary: scale.binary)
        var facts = try accounts.people(scale.parts(engine))
        facts["port"] = server.port
        facts["host"] = "keepsake.test"
        facts["photo"] = RealFile.folder.appending(path: "photo.jpg").path
        facts["large_picture"] = folder.path + "/large.jpg"
        try Self.largePicture.get().write(to: URL(filePath: folder.path + "/large.jpg"))
        facts["film"] = folder.path + "/film.mp4"
        try Film.bytes(10_000).write(to: URL(filePath: folder.path + "/film.mp4"))
        facts["notes"] = scale.notes
        facts["film_bytes"] = scale.filmByteCount
        facts["scale"] = scale.numbers
        facts["seconds"] = scale.seconds
        try JSONSerialization.data(withJSONObject: facts).write(to: URL(filePath: file))
        _ = try start("prepare.py", []).finish()
    }

    /// Adds a table with random bytes to SQLite's file.
    private static func addBallast(_ byteCount: Int, to address: String) throws {
        let path = address.replacing("sqlite:", with: "")
        let script = """
            import sqlite3, sys
            with sqlite3.connect(sys.argv[1]) as connection:
                connection.execute("CREATE TABLE ballast (bytes BLOB)")
                for _ in range(int(sys.argv[2]) >> 16):
                    connection.execute("INSERT INTO ballast VALUES (randomblob(65000))")
            """
        try Tool.run("python3", ["-c", script, path, "\(byteCount)"])
    }

    // MARK: Programs

    /// A running Python client.
    final class Client {
        private let process = Process()
        private let output = Pipe()
        private let errors = Pipe()
        private let input = Pipe()

        fileprivate init(_ arguments: [String]) throws {
            // Debian's Python, because it has h2.
            process.executableURL = URL(filePath: "/usr/bin/python3")
            // -B: no bytecode files beside the sources.
            process.arguments = ["-B"] + arguments
            process.standardOutput = output
            process.standardError = errors
            process.standardInput = input
            try process.run()
        }

        deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

        /// Waits for the first line of its output.
        func waitUntilReady() throws {
            var text = ""
            while !text.contains("\n") {
                let bytes = output.fileHandleForReading.availableData
                guard !bytes.isEmpty else { throw Failure(description: try failure()) }
                text += String(decoding: bytes, as: UTF8.self)
            }
        }

        /// Tells a victim to begin; a victim waits for the end of its input.
        func begin() throws { try stop() }

        /// Closes the client's input. A signal would not do, because processes that tests start may have signals blocked.
        func stop() throws { try input.fileHandleForWriting.close() }

        /// - Returns: its output.
        func finish() throws -> Data {
            let data = output.fileHandleForReading.readDataToEndOfFile()
            guard process.waitForExit() == 0 else { throw Failure(description: try failure()) }
            return data
        }

        private func failure() throws -> String {
            String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
    }

    func start(_ program: String, _ arguments: [String]) throws -> Client {
        try Client([Self.clients + "/" + program, file] + arguments)
    }

    /// - Parameters:
    ///   - who: `victims`, or the resource whose account and network the client uses.
    ///   - attempt: the number of the attempt to measure that resource.
    ///   - seconds: the duration; nil uses the duration of a part.
    func start(_ who: String, attempt: Int = 0, doing operations: [String], seconds: Double? = nil) throws -> Client {
        try start("victim.py", ["\(seconds ?? scale.seconds)", who, "\(attempt)"] + operations)
    }

    /// The total size in bytes of the files that the server stores or stages.
    func storedByteCount() throws -> Int {
        let all = FileManager.default.enumerator(at: URL(filePath: folder.path + "/one"), includingPropertiesForKeys: [.fileSizeKey])
        var sum = 0
        while let url = all?.nextObject() as? URL { sum += (try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0 }
        return sum
    }
}
