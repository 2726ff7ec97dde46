import Foundation
import TestKit
import TestThreads
import Testing

/// Files that a browser could take for pages or scripts run nothing in it: `polyglots.py` uploads them and opens them in Chromium.
@Suite("Campaign: polyglots", .blocksThreads)
struct PolyglotTests {
    private struct Result: Decodable {
        let sent: Int
        let accepted: Int
        let opened: Int
        /// The names of the files whose script ran.
        let ran: [String]
        /// The responses to forms of another origin.
        let posted: [Int]
        /// How many files ran without the server's headers.
        let control: Int
    }

    @Test("no polyglot runs a script as a link, a frame or a picture, and a foreign form changes nothing; without the headers some run")
    func opened() async throws {
        guard CampaignScale.runs("polyglots") else { return }
        let count = CampaignScale.isFull("polyglots") ? 300 : 30
        let programs = try ServerProcess.run([], binary: Repository.folder + "/scripts/python.sh")
        try #require(programs.status == 0, "\(programs.errors)")
        let installation = try Installation(.embedded)
        let server = try installation.node("one")
        defer { server.killNow() }
        let person = try installation.person()
        let run = try ServerProcess.run(
            [Repository.folder + "/Server/Tests/EndToEndTests/ChatFiles/polyglots.py", "\(count)", "http://127.0.0.1:\(server.port)"],
            binary: programs.output.trimmingCharacters(in: .whitespacesAndNewlines) + "/python",
            environment: ["PYTHONDONTWRITEBYTECODE": "1", "KEEPSAKE_TOKEN": person.token])
        try #require(run.status == 0, "\(run.errors)")
        let result = try JSONDecoder().decode(Result.self, from: Data(run.output.utf8))
        print("polyglots campaign: \(result)")
        #expect(result.sent == count && result.accepted >= count / 10 && result.opened == result.accepted)
        #expect(result.ran.isEmpty)
        #expect(!result.posted.isEmpty && result.posted.allSatisfy { $0 == 403 })
        #expect(result.control > 0)
        // The accepted files all differ, so the server stores each one. If a form of another origin had also stored a file, the count would
        // be higher.
        #expect(try await installation.fileCount() == result.accepted)
    }
}
