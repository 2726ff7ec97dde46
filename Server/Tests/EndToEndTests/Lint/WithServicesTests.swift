import Foundation
import TestKit
import TestThreads
import Testing

@Suite("The services of make test", .blocksThreads)
struct WithServicesTests {
    /// Runs a copy of with-services.sh beside a `services.sh` that only records its arguments.
    /// - Returns: its exit code, and the calls in their order.
    private func run(running: String, _ command: [String]) throws -> (status: Int32, calls: [String]) {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: Repository.folder + "/scripts/with-services.sh", toPath: folder.path + "/with-services.sh")
        let script = """
            #!/bin/sh
            echo "$*" >>'\(folder.path)/calls'
            if [ "$1" = running ]; then printf '%s' '\(running)'; fi

            """
        let path = folder.path + "/services.sh"
        #expect(FileManager.default.createFile(atPath: path, contents: Data(script.utf8), attributes: [.posixPermissions: 0o755]))
        let calls = folder.path + "/calls"
        let done = try ServerProcess.run(
            command.map { $0.replacing("CALLS", with: calls) }, binary: folder.path + "/with-services.sh")
        return (done.status, try String(contentsOfFile: calls, encoding: .utf8).split(separator: "\n").map(String.init))
    }

    @Test("those that make test started are stopped when the tests have ended, also when they failed; those that ran before stay")
    func stop() throws {
        let begin = ["running", "stop s3", "start", "the tests"]
        for (running, end) in [
            ("", ["stop s3", "stop clamd", "stop postgres"]), ("postgres\nclamd\n", ["stop s3"]),
            ("s3\n", ["stop clamd", "stop postgres"]), ("postgres\nclamd\ns3\n", []),
        ] as [(String, [String])] {
            for status in [Int32(0), 3] {
                let done = try run(running: running, ["sh", "-c", "echo the tests >>CALLS; exit \(status)"])
                #expect(done.status == status && done.calls == begin + end, "\(running) \(done)")
            }
        }
    }

    @Test("services.sh names the services that run, and none where none was started")
    func running() throws {
        // All services run during these tests.
        let own = ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("KEEPSAKE_") && $0.key.hasSuffix("_PORT") }
        let script = Repository.folder + "/scripts/services.sh"
        #expect(try ServerProcess.run(["running"], binary: script, environment: own).output == "postgres\nclamd\ns3\n")
        let folder = try TemporaryFolder()
        let elsewhere = [
            "KEEPSAKE_SERVICES": folder.path, "KEEPSAKE_POSTGRES_PORT": "1", "KEEPSAKE_CLAMD_PORT": "1", "KEEPSAKE_S3_PORT": "1",
        ]
        let none = try ServerProcess.run(["running"], binary: script, environment: elsewhere)
        #expect(none.status == 0 && none.output.isEmpty, "\(none.errors)")
    }
}
