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

    private struct Issued: Decodable {
        let accessToken: String

        enum CodingKeys: String, CodingKey { case accessToken = "access_token" }
    }

    @Test("the console works by mouse and by keyboard, and the browser reports no errors")
    func driven() throws {
        let programs = try ServerProcess.run([], binary: Repository.folder + "/scripts/python.sh")
        try #require(programs.status == 0, "\(programs.errors)")
        let folder = try TemporaryFolder()
        let keys = try TemporaryFolder()
        let browser = Repository.folder + "/Server/Tests/EndToEndTests/Console/browser"
        // Gives people phone numbers. It takes the options that ServerProcess passes.
        let phones = try ServerProcess(data: keys.path, binary: browser + "/phones.py")
        defer { phones.killNow() }
        // A model that writes slowly, so that tests can stop, interrupt and resume its answers.
        let words = try ServerProcess(data: keys.path, binary: browser + "/words.py")
        defer { words.killNow() }
        let server = try ServerProcess(
            data: folder.path,
            environment: [
                "KEEPSAKE_RATE_LIMITS": "off", "KEEPSAKE_TRANSCRIBER": "pocketsphinx", "KEEPSAKE_FIREBASE_PROJECT_ID": "keepsake-console",
                "KEEPSAKE_FIREBASE_JWKS_URL": "http://127.0.0.1:\(phones.port)/keys", "KEEPSAKE_CHAT_MODEL": "openai",
                "KEEPSAKE_CHAT_MODEL_URL": "http://127.0.0.1:\(words.port)", "KEEPSAKE_CHAT_MODEL_MODEL": "slow-words",
            ])
        defer { server.killNow() }
        let operatorToken = try ServerProcess.run(
            ["token", "--data", folder.path, "--email", "operator@example.org", "--admin", "--json"])
        try #require(operatorToken.status == 0, "\(operatorToken.errors)")
        let issued = try JSONDecoder().decode(Issued.self, from: Data(operatorToken.output.utf8))
        let run = try ServerProcess.run(
            [browser + "/drive.py", "http://127.0.0.1:\(server.port)"],
            binary: programs.output.trimmingCharacters(in: .whitespacesAndNewlines) + "/python",
            environment: [
                "PYTHONDONTWRITEBYTECODE": "1", "KEEPSAKE_PHONES": keys.path + "/phones.pem",
                "KEEPSAKE_OPERATOR_TOKEN": issued.accessToken,
            ])
        let tries = try run.output.split(separator: "\n").map { try JSONDecoder().decode(Try.self, from: Data($0.utf8)) }
        #expect(run.status == 0 && tries.count > 25, "\(run.errors)")
        for one in tries { #expect(one.problem == nil, "\(one.name): \(one.problem ?? "")") }
    }
}
