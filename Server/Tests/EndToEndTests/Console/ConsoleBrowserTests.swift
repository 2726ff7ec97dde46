import Foundation
import TestKit
import TestThreads
import Testing

/// Tests the console in a real browser: `browser/drive.py` operates Chromium, whose microphone plays a file.
@Suite("The console in Chromium", .blocksThreads)
struct ConsoleBrowserTests {
    private struct Try: Decodable {
        let name: String
        let seconds: Double
        let problem: String?
    }

    @Test("the console works by mouse and by keyboard, and the browser reports no errors")
    func driven() throws {
        let programs = try ServerProcess.run([], binary: Repository.folder + "/scripts/python.sh")
        try #require(programs.status == 0, "\(programs.errors)")
        let folder = try TemporaryFolder()
        let server = try ServerProcess(
            data: folder.path, environment: ["KEEPSAKE_RATE_LIMITS": "off", "KEEPSAKE_TRANSCRIBER": "pocketsphinx"])
        defer { server.killNow() }
        let run = try ServerProcess.run(
            [Repository.folder + "/Server/Tests/EndToEndTests/Console/browser/drive.py", "http://127.0.0.1:\(server.port)"],
            binary: programs.output.trimmingCharacters(in: .whitespacesAndNewlines) + "/python",
            environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        let tries = try run.output.split(separator: "\n").map { try JSONDecoder().decode(Try.self, from: Data($0.utf8)) }
        #expect(run.status == 0 && tries.count > 15, "\(run.errors)")
        for one in tries { #expect(one.problem == nil, "\(one.name): \(one.problem ?? "")") }
    }
}
