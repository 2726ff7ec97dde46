import Foundation
import TestKit
import TestThreads
import Testing

@Suite("A client that openapi-python-client generates", .blocksThreads)
struct GeneratedClientTests {
    @Test("it does a day's work unedited, from the sign-in to the deletion of the account, and the generator warns of nothing")
    func flow() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path + "/data")
        defer { server.killNow() }
        let url = "http://127.0.0.1:\(server.port)"
        let programs = try Generators.install("client")
        // curl downloads the description, because the generator waits only five seconds for the server. That is short while other tests
        // run.
        let description = folder.path + "/openapi.json"
        _ = try Tool.run("curl", ["-sS", "--fail", "-o", description, url + "/openapi.json"])
        let generation = try ServerProcess.run(
            ["generate", "--path", description, "--meta", "none", "--output-path", "keepsake_client", "--fail-on-warning"],
            binary: programs + "/openapi-python-client",
            // The generator formats the client with ruff.
            environment: ["PATH": programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")], in: folder.path)
        let said = generation.output + generation.errors
        #expect(generation.status == 0 && !said.localizedCaseInsensitiveContains("warning"), "\(said.prefix(4_000))")

        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "flow.py").path
        let fixtures = Repository.folder + "/Server/Tests/Fixtures"
        let run = try ServerProcess.run(
            [script, url, folder.path, fixtures + "/photo.jpg", fixtures + "/plain.wav"], binary: programs + "/python",
            environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        let steps = [
            "login", "upload", "mood with photo", "timeline", "search", "capsule", "cove", "capture", "chat", "deletion",
        ]
        #expect(run.status == 0 && run.output.split(separator: "\n").map(String.init) == steps, "\(run.output)\(run.errors)")
    }
}
