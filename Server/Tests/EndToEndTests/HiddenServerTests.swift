import Core
import Foundation
import TestKit
import TestThreads
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite(
    "The server's secrets and the processes of its user", .enabled(if: getuid() == 0, "needs root to switch users"), .blocksThreads
)
struct HiddenServerTests {
    /// A user id without an account, like a service's dynamic user.
    private static let user = UInt32(65_534)
    private static let become = ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups"]

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        chown(folder.path, user, user)
        return folder
    }

    private static func start(_ command: [String]) throws -> (process: Process, output: Pipe) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        process.arguments = become + command
        process.environment = ["KEEPSAKE_SMTP": "", "CANARY": "secret", "PATH": "/usr/bin:/bin"].filter { !$0.value.isEmpty }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return (process, output)
    }

    /// The content of a file in the process's /proc folder, as read by another process of the same user; nil if that is denied.
    private static func read(_ file: String, of process: Process) -> String? {
        try? Tool.run("setpriv", become + ["cat", "/proc/\(process.processIdentifier)/\(file)"])
    }

    @Test("another process of the server's user can read neither its environment nor its memory, but its status")
    func hidden() throws {
        let folder = try Self.folder()
        let (server, output) = try Self.start([ServerProcess.binary, "serve", "--port", "0", "--data", folder.path, "--log", "error"])
        defer {
            server.terminate()
            server.waitForExit()
        }
        var text = ""
        while !text.contains("\n") {
            let bytes = output.fileHandleForReading.availableData
            try #require(!bytes.isEmpty, "it did not start: \(text)")
            text += String(decoding: bytes, as: UTF8.self)
        }
        #expect(Self.read("environ", of: server) == nil)
        #expect(Self.read("maps", of: server) == nil)
        #expect(Self.read("status", of: server)?.contains("VmRSS:") == true)

        let (other, _) = try Self.start(["sleep", "60"])
        defer {
            kill(other.processIdentifier, SIGKILL)
            other.waitForExit()
        }
        // Waits until setpriv has started sleep; until then, the process is still setpriv.
        usleep(200_000)
        #expect(Self.read("environ", of: other)?.contains("secret") == true, "the control")
    }

    @Test("doctor tests the sandbox as an unprivileged user too, and names the layer that denies each attempt")
    func doctor() throws {
        let folder = try Self.folder()
        let report = try Tool.run("setpriv", Self.become + [ServerProcess.binary, "doctor", "--data", folder.path])
        print(report)
        #expect(report.contains("ok      media") && report.contains("ok      sandbox"), "\(report)")
        #expect(report.contains("reading the database (by"), "\(report)")
    }

    @Test(
        "a command run by a user who may not use the data says in one line whose it is",
        arguments: ["serve", "doctor", "token", "users list", "verify", "backup", "jobs list"])
    func wrongUser(_ command: String) throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(filePath: folder.path + "/keepsake.sqlite"))
        chmod(folder.path, 0o700)
        let arguments = ["--data", folder.path] + (command == "serve" ? ["--port", "0", "--log", "critical"] : [])
        let operands = ["token": ["--email", "ada@example.org"], "backup": [folder.path + "-backup"]]
        let all = command.split(separator: " ").map(String.init) + (operands[command] ?? []) + arguments
        let run = try ServerProcess.run(Self.become + [ServerProcess.binary] + all, binary: "/usr/bin/setpriv")
        #expect(run.status == 69 && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        #expect(run.errors.contains("may not read and write \(folder.path), which belongs to root"), "\(run.errors)")
        #expect(run.output.contains("ok      ") == (command == "doctor"), "\(run.output)")
    }

    @Test("a folder of files that the server's user may not use makes a running server not ready, and is an error at the start")
    func filesOfRoot() throws {
        let folder = try Self.folder()
        let (blobs, user) = (folder.path + "/blobs", UnixUser(id: Self.user))
        let serve = [ServerProcess.binary, "serve", "--port", "0", "--log", "error", "--data", folder.path]
        do {
            let (server, output) = try Self.start(serve)
            defer {
                server.terminate()
                server.waitForExit()
            }
            var text = ""
            while !text.contains("\n") {
                let bytes = output.fileHandleForReading.availableData
                try #require(!bytes.isEmpty, "it did not start: \(text)")
                text += String(decoding: bytes, as: UTF8.self)
            }
            let port = try #require(text.firstMatch(of: /127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.output.1) })
            func readiness() throws -> Int {
                // The server keeps the last results for a second.
                usleep(1_100_000)
                let connection = try RawConnection(port: port)
                try connection.send("GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return try connection.answer().status
            }
            #expect(try readiness() == 200)
            chown(blobs, 0, 0)
            #expect(try readiness() == 503)
            chown(blobs, Self.user, Self.user)
            #expect(try readiness() == 200)
        }
        let inner = blobs + "/3f"
        try FileManager.default.createDirectory(
            atPath: inner, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let run = try ServerProcess.run(Self.become + serve, binary: "/usr/bin/setpriv")
        #expect(run.status == 69 && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        #expect(run.errors.contains("the user \(user) may not read and write \(inner), which belongs to root; "), "\(run.errors)")
        #expect(run.errors.hasSuffix("(sudo chown -R \(user.argument) \(inner))\n"), "\(run.errors)")
    }
}
