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
        /// The figures that the test measured, by name.
        let figures: [String: Figure]?
    }

    /// A number, or a text with a unit.
    private struct Figure: Decodable, CustomStringConvertible {
        let description: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            description = try (try? container.decode(Int.self)).map { String($0) } ?? container.decode(String.self)
        }
    }

    private struct Issued: Decodable {
        let accessToken: String

        enum CodingKeys: String, CodingKey { case accessToken = "access_token" }
    }

    private struct Invited: Decodable { let invite: String }

    private static let browser = Repository.folder + "/Server/Tests/EndToEndTests/Console/browser"

    @Test("the console works by mouse and by keyboard, and the browser reports no errors")
    func driven() throws {
        let folder = try TemporaryFolder()
        let keys = try TemporaryFolder()
        // `phones.py` gives people phone numbers. It takes the options that ServerProcess passes.
        let phones = try ServerProcess(data: keys.path, binary: Self.browser + "/phones.py")
        defer { phones.killNow() }
        // `words.py` is a model that writes slowly, so that tests can stop, interrupt and resume its answers.
        let words = try ServerProcess(data: keys.path, binary: Self.browser + "/words.py")
        defer { words.killNow() }
        // `mails.py` stands in for a mail server. It receives the code that confirms a new e-mail address.
        let mails = try ServerProcess(data: keys.path, binary: Self.browser + "/mails.py")
        defer { mails.killNow() }
        let server = try ServerProcess(
            data: folder.path,
            environment: [
                "KEEPSAKE_RATE_LIMITS": "off", "KEEPSAKE_TRANSCRIBER": "pocketsphinx", "KEEPSAKE_FIREBASE_PROJECT_ID": "keepsake-console",
                "KEEPSAKE_FIREBASE_JWKS_URL": "http://127.0.0.1:\(phones.port)/keys", "KEEPSAKE_CHAT_MODEL": "openai",
                "KEEPSAKE_CHAT_MODEL_URL": "http://127.0.0.1:\(words.port)", "KEEPSAKE_CHAT_MODEL_MODEL": "slow-words",
                "KEEPSAKE_SMTP": "smtp://127.0.0.1:\(mails.port)?tls=off", "KEEPSAKE_MAIL_FROM": "Keepsake <no-reply@example.org>",
            ])
        defer { server.killNow() }
        let operatorToken = try ServerProcess.run(
            ["token", "--data", folder.path, "--email", "operator@example.org", "--admin", "--json"])
        try #require(operatorToken.status == 0, "\(operatorToken.errors)")
        let issued = try JSONDecoder().decode(Issued.self, from: Data(operatorToken.output.utf8))
        let environment = [
            "KEEPSAKE_PHONES": keys.path + "/phones.pem", "KEEPSAKE_OPERATOR_TOKEN": issued.accessToken, "KEEPSAKE_DATA": folder.path,
            "KEEPSAKE_MAILS": keys.path,
        ]
        try Self.drive("drive.py", server, environment, moreThan: 40)
    }

    @Test("people come by invitation, and set a new password when they have forgotten theirs")
    func invited() throws {
        let folder = try TemporaryFolder()
        let post = try TemporaryFolder()
        let mails = try ServerProcess(data: post.path, binary: Self.browser + "/mails.py")
        defer { mails.killNow() }
        let server = try ServerProcess(
            data: folder.path,
            environment: [
                "KEEPSAKE_RATE_LIMITS": "off", "KEEPSAKE_REGISTRATION": "invite", "KEEPSAKE_SMTP": "smtp://127.0.0.1:\(mails.port)?tls=off",
                "KEEPSAKE_MAIL_FROM": "Keepsake <no-reply@example.org>",
                "KEEPSAKE_RESET_URL": "https://keepsake.example.org/console/#/reset?code={token}",
            ])
        defer { server.killNow() }
        let invites = try (1...3).map { _ in
            let run = try ServerProcess.run(["invite", "--data", folder.path, "--json"], environment: ["KEEPSAKE_REGISTRATION": "invite"])
            try #require(run.status == 0, "\(run.errors)")
            return try JSONDecoder().decode(Invited.self, from: Data(run.output.utf8)).invite
        }
        try Self.drive(
            "signedout.py", server, ["KEEPSAKE_INVITES": invites.joined(separator: ","), "KEEPSAKE_MAILS": post.path], moreThan: 3)
    }

    @Test("a registration takes the code from a mail, on a server that confirms addresses")
    func confirmed() throws {
        let folder = try TemporaryFolder()
        let post = try TemporaryFolder()
        let mails = try ServerProcess(data: post.path, binary: Self.browser + "/mails.py")
        defer { mails.killNow() }
        let server = try ServerProcess(
            data: folder.path,
            environment: [
                "KEEPSAKE_VERIFY_EMAIL": "on", "KEEPSAKE_SMTP": "smtp://127.0.0.1:\(mails.port)?tls=off",
                "KEEPSAKE_MAIL_FROM": "Keepsake <no-reply@example.org>",
            ])
        defer { server.killNow() }
        try Self.drive("confirm.py", server, ["KEEPSAKE_MAILS": post.path], moreThan: 0)
    }

    /// Runs a script of tests in the folder `browser`, and reports each test that failed.
    static func drive(_ script: String, _ server: ServerProcess, _ environment: [String: String], moreThan count: Int) throws {
        let programs = try ServerProcess.run([], binary: Repository.folder + "/scripts/python.sh")
        try #require(programs.status == 0, "\(programs.errors)")
        let run = try ServerProcess.run(
            [browser + "/" + script, "http://127.0.0.1:\(server.port)"],
            binary: programs.output.trimmingCharacters(in: .whitespacesAndNewlines) + "/python",
            environment: environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { mine, _ in mine })
        let tries = try run.output.split(separator: "\n").map { try JSONDecoder().decode(Try.self, from: Data($0.utf8)) }
        #expect(run.status == 0 && tries.count > count, "\(run.errors)")
        for (name, figure) in tries.flatMap({ $0.figures ?? [:] }).sorted(by: { $0.key < $1.key }) {
            print("\(script): \(name): \(figure)")
        }
        for one in tries { #expect(one.problem == nil, "\(one.name): \(one.problem ?? "")") }
    }
}
