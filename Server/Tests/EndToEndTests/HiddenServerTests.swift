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
    "The server's secrets and the processes of its user", .enabled(if: getuid() == 0, "needs root, to become somebody else"), .blocksThreads
)
struct HiddenServerTests {
    /// A user whom nobody is, as a service's would be.
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

    /// What a process of the same user reads of it.
    private static func read(_ file: String, of process: Process) -> String? {
        try? Tool.run("setpriv", become + ["cat", "/proc/\(process.processIdentifier)/\(file)"])
    }

    @Test("another process of the server's user reads neither its environment nor its memory, but its size; of any other process it does")
    func hidden() throws {
        let folder = try Self.folder()
        let (server, output) = try Self.start([ServerProcess.binary, "serve", "--port", "0", "--data", folder.path, "--log", "error"])
        defer {
            server.terminate()
            server.waitUntilExit()
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
            other.waitUntilExit()
        }
        // It is setpriv until it is sleep.
        usleep(200_000)
        #expect(Self.read("environ", of: other)?.contains("secret") == true, "the control")
    }

    @Test("doctor proves the sandbox as an unprivileged user too, and names what refuses what")
    func doctor() throws {
        let folder = try Self.folder()
        let report = try Tool.run("setpriv", Self.become + [ServerProcess.binary, "doctor", "--data", folder.path])
        print(report)
        #expect(report.contains("ok      media") && report.contains("ok      sandbox"), "\(report)")
        #expect(report.contains("reading the database (by"), "\(report)")
    }
}
