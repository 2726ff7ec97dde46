import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestKit
import TestThreads
import Testing

@Suite("Commands about people, beside a running server", .blocksThreads)
struct OperatorCommandTests {
    private struct Answer {
        let status: Int
        let text: String

        func json() throws -> [String: Any] { try OperatorCommandTests.json(text) }
    }

    private static func json(_ text: some StringProtocol) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    private func send(
        _ server: ServerProcess, _ method: HTTPMethod, _ path: String, token: String? = nil, _ body: [String: String]? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)\(path)")
        request.method = method
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        return Answer(status: Int(response.status.code), text: String(buffer: try await response.body.collect(upTo: 65_536)))
    }

    private func register(_ server: ServerProcess, _ name: String) async throws -> (id: String, token: String) {
        let answer = try await send(
            server, .POST, "/auth/password/register", ["email": "\(name)@example.org", "password": "correct horse"])
        let (user, token) = (try answer.json()["user"] as? [String: Any], try answer.json()["token"] as? [String: Any])
        return (try #require(user?["id"] as? String), try #require(token?["access_token"] as? String))
    }

    @Test("an account is suspended, restored, verified and unverified by its address or id; its sockets close within five seconds")
    func users() async throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path)
        let (id, token) = try await register(server, "ada")
        func users(_ action: String, _ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
            let run = try ServerProcess.run(["users", action, "--data", folder.path] + arguments)
            return (Int32(run.status), run.output, run.errors)
        }
        let socket = try WebSocketClient(port: server.port, path: "/ws/events", headers: [("Authorization", "Bearer \(token)")])
        let suspended = try users("suspend", ["--email", "Ada@Example.org", "--json"])
        let began = ContinuousClock.now
        #expect(suspended.status == 0 && suspended.errors.isEmpty, "\(suspended.errors)")
        let printed = try Self.json(suspended.output)
        #expect(Set(printed.keys) == ["user_id", "email", "phone", "suspended_at", "verified_at"])
        #expect(printed["user_id"] as? String == id && printed["suspended_at"] is String && printed["verified_at"] is NSNull)
        let refused = try await send(server, .GET, "/user/me", token: token)
        #expect(refused.status == 403)
        #expect(try refused.json()["error"] as? String == "suspended")
        #expect(try socket.nextClose().closeCode == 1_008)
        // The command is another process, so with SQLite only the server's check every four seconds finds its change.
        #expect(ContinuousClock.now - began < .seconds(6))

        #expect(try users("suspend", ["--id", id]).status == 0, "again")
        let restored = try users("restore", ["--id", id])
        #expect(restored.status == 0 && restored.output.contains("user id") && !restored.output.contains("suspended"))
        #expect(try await send(server, .GET, "/user/me", token: token).status == 200)
        #expect(try Self.json(users("verify", ["--email", "ada@example.org", "--json"]).output)["verified_at"] is String)
        #expect(try Self.json(users("unverify", ["--id", id, "--json"]).output)["verified_at"] is NSNull)

        for unknown in [["--email", "nobody@example.org"], ["--id", "nobody"], ["--phone", "+4915123456789"]] {
            let run = try users("suspend", unknown)
            #expect(run.status == 69 && run.errors.contains("no such account"), "\(run.errors)")
        }
        for wrong in [[], ["--email", "ada@example.org", "--id", id], ["--email", "nobody"], ["--phone", "0151 2345678"]] {
            #expect(try users("suspend", wrong).status == 64, "\(wrong)")
        }
        #expect(try await send(server, .GET, "/user/me", token: token).status == 200)
        #expect(server.terminate() == 0)
    }

    @Test(
        "accounts are listed and shown, get a quota of their own and the right of an administrator, and are deleted; the log names who did it"
    )
    func accounts() async throws {
        let folder = try TemporaryFolder()
        let log = folder.path + "/log"
        try Data().write(to: URL(filePath: log))
        let lines = try #require(FileHandle(forWritingAtPath: log))
        let server = try ServerProcess(data: folder.path, log: lines)
        let (id, token) = try await register(server, "ada")
        _ = try await register(server, "eve")
        func users(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
            let run = try ServerProcess.run(["users"] + arguments + ["--data", folder.path])
            return (Int32(run.status), run.output, run.errors)
        }
        let table = try users("list")
        #expect(table.status == 0 && table.output.hasPrefix("ID ") && table.output.split(separator: "\n").count == 3, "\(table)")
        #expect(table.errors.isEmpty, "\(table)")
        let cut = try users("list", "--limit", "1", "--json")
        #expect(cut.status == 0 && cut.output.split(separator: "\n").count == 1, "\(cut)")
        #expect(cut.errors.hasPrefix("note: there are more accounts than the 1 that are listed; "), "\(cut)")
        let newest = try #require(try Self.json(cut.output)["id"] as? String)
        #expect(cut.errors.hasSuffix(", or continue it with --after \(newest)\n"), "\(cut)")
        let rest = try Self.json(users("list", "--after", newest, "--json").output)["id"] as? String
        #expect(rest != nil && rest != newest)
        let unknown = try users("list", "--after", "nobody")
        #expect(unknown.status == 69 && unknown.errors.contains("--after: there is no account nobody; "), "\(unknown)")
        let found = try users("list", "--query", "ada@", "--json")
        let line = try Self.json(found.output)
        #expect(found.output.split(separator: "\n").count == 1 && line["id"] as? String == id)
        #expect((line["usage"] as? [String: Any])?["own_quota"] is NSNull)
        #expect(try users("list", "--query", "nobody").output == "no accounts\n")

        let shown = try Self.json(users("show", "--email", "ada@example.org", "--json").output)
        #expect(Set(shown.keys) == ["user", "sessions"])
        #expect((shown["sessions"] as? [[String: Any]])?.first?["method"] as? String == "password")
        let page = try users("show", "--id", id)
        #expect(page.status == 0 && page.output.contains("the server's: 10240 MB, unless ") && page.output.contains("SESSION"), "\(page)")
        #expect(table.output.contains(" server's "), "\(table)")

        let quota = try Self.json(users("quota", "--id", id, "--mb", "3", "--json").output)
        #expect((quota["usage"] as? [String: Any])?["own_quota"] as? Int == 3 * 1_048_576)
        let me = try await send(server, .GET, "/user/me", token: token).json()
        #expect((me["usage"] as? [String: Any])?["quota"] as? Int == 3 * 1_048_576)
        #expect(try users("quota", "--id", id, "--default").output.contains("the server's"))

        #expect(try await send(server, .GET, "/admin/users", token: token).status == 403)
        #expect(try Self.json(users("admin", "--id", id, "--json").output)["is_admin"] as? Bool == true)
        #expect(try await send(server, .GET, "/admin/users", token: token).status == 200)
        #expect(try users("reset", "--email", "ada@example.org").status == 0)
        #expect(try ServerProcess.run(["token", "--email", "ada@example.org", "--admin", "--data", folder.path]).status == 0)
        for refused in [
            try users("admin", "--id", id, "--remove"), try users("suspend", "--id", id), try users("delete", "--id", id, "--yes"),
        ] {
            #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
            #expect(refused.errors.contains("the only administrator's") && refused.errors.hasSuffix(" Or pass --force.\n"), "\(refused)")
        }
        #expect(try users("admin", "--id", id, "--force").status == 64, "without --remove")
        #expect(try await send(server, .GET, "/admin/users", token: token).status == 200)
        #expect(try Self.json(users("admin", "--id", id, "--remove", "--force", "--json").output)["is_admin"] as? Bool == false)
        #expect(try await send(server, .GET, "/admin/users", token: token).status == 403)

        #expect(try users("suspend", "--id", id).status == 0)
        #expect(try users("delete", "--id", id).status == 64, "without --yes")
        let deleted = try Self.json(users("delete", "--id", id, "--yes", "--json").output)
        #expect(Set(deleted.keys) == ["account_id", "deleted_at", "receipt"] && deleted["account_id"] as? String == id)
        #expect(try await send(server, .GET, "/user/me", token: token).status == 401)
        for unknown in [["show"], ["quota", "--default"], ["admin"], ["delete", "--yes"]] {
            let run = try ServerProcess.run(["users"] + unknown + ["--id", id, "--data", folder.path])
            #expect(run.status == 69 && run.errors.contains("no such account"), "\(run.errors)")
        }
        for wrong in [
            ["list", "--limit", "0"], ["list", "--limit", "1001"], ["show"], ["quota", "--id", id],
            ["quota", "--id", id, "--mb", "1", "--default"], ["quota", "--id", id, "--mb", "1000000001"], ["quota", "--id", id, "--mb=-1"],
        ] {
            #expect(try ServerProcess.run(["users"] + wrong + ["--data", folder.path]).status == 64, "\(wrong)")
        }
        // The server writes a line for each change. It looks for jobs of other processes every few seconds.
        let end = ContinuousClock.now + .seconds(60)
        var changes: [Substring] = []
        while changes.count < 8, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(100))
            changes = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").filter {
                $0.contains("a command changed an account")
            }
        }
        let actions = try changes.map { try Self.json($0) }
        #expect(
            Set(actions.compactMap { $0["action"] as? String })
                == ["quota", "promote", "password-code", "token", "demote", "suspend", "delete"] && changes.count == 8)
        // Numbers and Booleans are not strings.
        #expect(actions.contains { $0["action"] as? String == "quota" && $0["bytes"] as? Int == 3 * 1_048_576 })
        #expect(actions.contains { $0["action"] as? String == "token" && $0["admin"] as? Bool == true })
        #expect(actions.allSatisfy { $0["account"] as? String == id && ($0["user"] as? String)?.isEmpty == false })
        #expect(server.terminate() == 0)
    }

    @Test("reports are listed and resolved; what a stranger wrote cannot control the terminal")
    func reports() async throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path)
        let (id, token) = try await register(server, "ada")
        let list = ["reports", "list", "--data", folder.path]
        #expect(try ServerProcess.run(list).output == "no reports\n")
        let reason = "\u{1B}]0;title\u{7}\u{1B}[2Jgone\nsecond line \u{9B}31m" + String(repeating: "x", count: 100)
        let sent = try await send(server, .POST, "/report", token: token, ["kind": "user", "id": "some\u{1B}body", "reason": reason])
        #expect(sent.status == 200, "\(sent.text)")
        let table = try ServerProcess.run(list)
        #expect(table.status == 0 && table.output.hasPrefix("ID ") && table.output.contains("gone") && table.output.contains(id))
        #expect(table.output.split(separator: "\n").count == 2)
        let controls = table.output.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
        #expect(controls.isEmpty)
        let line = try Self.json(try ServerProcess.run(list + ["--json"]).output)
        #expect(line["reason"] as? String == reason && line["status"] as? String == "open")
        #expect((line["reporter"] as? [String: String])?["id"] == id)
        let report = try #require(line["id"] as? String)

        let resolve = ["reports", "resolve", report, "--data", folder.path]
        let resolved = try ServerProcess.run(resolve + ["--note", "I called.", "--json"])
        #expect(resolved.status == 0, "\(resolved.errors)")
        let printed = try Self.json(resolved.output)
        #expect(printed["note"] as? String == "I called." && printed["status"] as? String == "resolved" && printed["resolved_by"] is NSNull)
        #expect(try ServerProcess.run(resolve).status == 69)
        #expect(try ServerProcess.run(["reports", "resolve", "nothing", "--data", folder.path]).status == 69)
        #expect(try ServerProcess.run(list).output == "no reports\n")
        #expect(try ServerProcess.run(list + ["--status", "resolved"]).output.contains(report))
        for wrong in [
            list + ["--status", "closed"], list + ["--limit", "0"], resolve + ["--note", String(repeating: "x", count: 1_001)],
        ] {
            #expect(try ServerProcess.run(wrong).status == 64, "\(wrong)")
        }
        #expect(server.terminate() == 0)
    }
}
