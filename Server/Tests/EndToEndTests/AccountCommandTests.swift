import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestKit
import TestThreads
import Testing

@Suite("Account and job commands", .blocksThreads)
struct AccountCommandTests {
    private func json(_ text: some StringProtocol) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    private func post(_ server: ServerProcess, _ path: String, _ body: [String: String]) async throws -> (status: Int, text: String) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)\(path)")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        return (Int(response.status.code), String(buffer: try await response.body.collect(upTo: 65_536)))
    }

    @Test("an invitation is printed as text and as JSON, and the running server accepts it once")
    func invite() async throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path, environment: ["KEEPSAKE_REGISTRATION": "invite"])
        let invite = ["invite", "--data", folder.path, "--registration", "invite"]
        let run = try ServerProcess.run(invite + ["--json", "--email", "ada@example.org", "--expires", "2h"])
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        let printed = try json(run.output)
        #expect(Set(printed.keys) == ["invite", "email", "expires_at"])
        let code = try #require(printed["invite"] as? String)
        let form = ["email": "ada@example.org", "password": "correct horse"]
        let refused = try await post(server, "/auth/password/register", form)
        #expect(refused.status == 403 && refused.text.contains("invite"))
        #expect(try await post(server, "/auth/password/register", form.merging(["invite": code]) { $1 }).status == 200)
        let eve = ["email": "eve@example.org", "password": "correct horse", "invite": code]
        #expect(try await post(server, "/auth/password/register", eve).status == 403)
        let plain = try ServerProcess.run(["invite", "--data", folder.path])
        #expect(plain.output.contains(/invite +[0-9A-Z]{5}-/) && !plain.output.contains("email"))
        #expect(plain.errors.hasPrefix("note: registration is open here: people can register without the invitation,"), "\(plain.errors)")
        let closed = try ServerProcess.run(["invite", "--data", folder.path, "--registration", "closed"])
        #expect(closed.status == 0 && closed.errors.hasPrefix("note: registration is closed here: the invitation lets nobody register,"))
        for wrong in [["--expires", "soon"], ["--expires", "366d"], ["--expires", "0m"], ["--email", "nobody"]] {
            #expect(try ServerProcess.run(invite + wrong).status == 64, "\(wrong)")
        }
        #expect(server.terminate() == 0)
    }

    @Test("a password is reset by a printed code, or set from standard input")
    func reset() async throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path)
        let form = ["email": "ada@example.org", "password": "correct horse"]
        #expect(try await post(server, "/auth/password/register", form).status == 200)
        let users = ["users", "reset", "--data", folder.path, "--email", "ada@example.org"]
        let run = try ServerProcess.run(users + ["--json"], environment: ["KEEPSAKE_RESET_URL": "https://app.example.org/#{token}"])
        #expect(run.status == 0, "\(run.errors)")
        let printed = try json(run.output)
        #expect(Set(printed.keys) == ["user_id", "token", "link", "expires_at"])
        let token = try #require(printed["token"] as? String)
        #expect(printed["link"] as? String == "https://app.example.org/#\(token)")
        #expect(try await post(server, "/auth/password/reset", ["token": token, "password": "another horse"]).status == 200)
        #expect(try await post(server, "/auth/password/login", form).status == 401)
        let line =
            "printf 'third horse\\n' | '\(ServerProcess.binary)' \(users.map { "'\($0)'" }.joined(separator: " ")) --password-stdin --json"
        let set = try ServerProcess.run(["-c", line], binary: "/bin/sh")
        #expect(set.status == 0 && !set.output.contains("horse"), "\(set.errors)")
        #expect(Set(try json(set.output).keys) == ["user_id", "sessions_ended", "identities_removed"])
        #expect(
            try await post(server, "/auth/password/login", ["email": "ada@example.org", "password": "third horse"]).status == 200)
        let unknown = try ServerProcess.run(["users", "reset", "--data", folder.path, "--email", "nobody@example.org"])
        #expect(unknown.status == 69 && unknown.errors.contains("no account"), "\(unknown.errors)")
        #expect(server.terminate() == 0)
    }

    @Test("a parked job is listed, shown and retried, and no output contains a mail server's text about a person")
    func jobs() async throws {
        let folder = try TemporaryFolder()
        var behaviour = SMTPStandIn.Behaviour()
        behaviour.answers = ["RCPT": ["550 5.1.1 <ada@example.org> is nobody"]]
        let mails = try await SMTPStandIn(behaviour)
        let environment = [
            "KEEPSAKE_SMTP": "smtp://127.0.0.1:\(mails.port)?tls=off", "KEEPSAKE_MAIL_FROM": "Keepsake <no-reply@example.org>",
        ]
        let server = try ServerProcess(data: folder.path, environment: environment)
        let form = ["email": "ada@example.org", "password": "correct horse"]
        #expect(try await post(server, "/auth/password/register", form).status == 200)
        #expect(try await post(server, "/auth/password/forgot", ["email": "ada@example.org"]).status == 200)
        let list = ["jobs", "list", "--data", folder.path, "--state", "parked"]
        var lines: [Substring] = []
        for _ in 0..<200 where lines.isEmpty {
            // Waits between tries, because each try starts a program, which takes the processor that the server needs.
            try await Task.sleep(for: .milliseconds(500))
            lines = try ServerProcess.run(list + ["--json"]).output.split(separator: "\n")
        }
        let job = try json(try #require(lines.first))
        #expect(job["kind"] as? String == "accounts/send-reset" && job["state"] as? String == "parked")
        #expect(job["error"] as? String == "JobFailure: RCPT was answered 550 5.1.1")
        #expect(job["payload"] == nil)
        let id = try #require(job["id"] as? String)
        let table = try ServerProcess.run(list).output
        #expect(table.hasPrefix("ID ") && table.contains(id) && table.contains("accounts/send-reset"))
        let shown = try ServerProcess.run(["jobs", "show", id, "--data", folder.path])
        #expect(shown.output.contains(#"payload        {"reset":""#) && !shown.output.contains("ada@"), "\(shown.output)")
        #expect(try json(try ServerProcess.run(["jobs", "show", id, "--data", folder.path, "--json"]).output)["payload"] is String)
        let retried = try ServerProcess.run(["jobs", "retry", id, "--data", folder.path, "--json"])
        #expect(retried.status == 0 && retried.output == "{\"retried\":1}\n", "\(retried.output)\(retried.errors)")
        for _ in 0..<200 where mails.mails.isEmpty { try await Task.sleep(for: .milliseconds(50)) }
        #expect(mails.mails.count == 1)
        #expect(try ServerProcess.run(["jobs", "retry", "--all", "--data", folder.path, "--json"]).output == "{\"retried\":0}\n")
        #expect(try ServerProcess.run(["jobs", "show", "nothing", "--data", folder.path]).status == 69)
        for wrong in [
            ["jobs", "retry"], ["jobs", "retry", "x", "--all"], ["jobs", "list", "--state", "lost"], ["jobs", "list", "--limit", "0"],
        ] {
            #expect(try ServerProcess.run(wrong + ["--data", folder.path]).status == 64, "\(wrong)")
        }
        #expect(server.terminate() == 0)
        try await mails.close()
    }

    @Test("an invalid mail setting stops start-up with one line that names it and shows no password")
    func settings() throws {
        let folder = try TemporaryFolder()
        let run = try ServerProcess.run(
            ["serve", "--data", folder.path],
            environment: ["KEEPSAKE_MAIL_FROM": "no-reply@example.org", "KEEPSAKE_SMTP": "smtp://u:canary@mail.example.org"])
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1 && run.errors.contains("KEEPSAKE_SMTP"), "\(run.errors)")
        #expect(!run.errors.contains("canary"))
    }
}
