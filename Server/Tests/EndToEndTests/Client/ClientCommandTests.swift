import Foundation
import TestKit
import TestThreads
import Testing

@Suite("Client commands, against a server", .blocksThreads)
struct ClientCommandTests {
    @Test("login keeps the tokens where only the user can read them, whoami shows the account, and logout deletes them")
    func session() throws {
        let home = try ClientHome()
        let data = try TemporaryFolder()
        let server = try ServerProcess(data: data.path)
        let url = "http://127.0.0.1:\(server.port)"
        for command in Self.needSignIn {
            let done = try home.run(command)
            #expect(done.status == 77 && done.output.isEmpty && done.errors.contains("keepsake login URL"), "\(command) \(done.errors)")
            if command.contains("--json") { #expect(try done.failure()["code"] as? String == "signed_out") }
        }
        #expect(try home.run(["logout", "--json"]).json().first?["url"] is NSNull)

        let login = ["login", url + "/", "--email", "ada@example.org", "--password-stdin"]
        let unknown = try home.run(login, input: ClientHome.password)
        #expect(unknown.status == 77 && unknown.errors.split(separator: "\n").count == 1, "\(unknown.errors)")
        #expect(try home.files().allSatisfy { !$0.hasSuffix(".json") })

        let registered = try home.run(login + ["--register", "--name", "Ada", "--json"], input: ClientHome.password)
        #expect(registered.status == 0 && registered.errors.isEmpty, "\(registered.errors)")
        let who = try #require(try registered.json().first)
        #expect(Set(who.keys) == ["url", "user_id", "email", "name"])
        #expect(who["url"] as? String == url && who["email"] as? String == "ada@example.org" && who["name"] as? String == "Ada")
        let file = try #require(try home.files().first { $0.hasPrefix("sessions/") && $0.hasSuffix(".json") })
        #expect(try Self.mode(home.path + "/keepsake/" + file) == 0o600)
        #expect(try Self.mode(home.path + "/keepsake") == 0o700 && Self.mode(home.path + "/keepsake/sessions") == 0o700)
        let tokens = try String(contentsOfFile: home.path + "/keepsake/" + file, encoding: .utf8)
        #expect(!tokens.contains(ClientHome.password))

        // A wrong password leaves the session as it was.
        let wrong = try home.run(login, input: "wrong horse")
        #expect(wrong.status == 77 && wrong.errors.contains("password") && !wrong.errors.contains("wrong horse"), "\(wrong.errors)")
        let me = try home.run(["whoami", "--json"])
        #expect(try me.status == 0 && me.json().first?["user_id"] as? String == who["user_id"] as? String)
        #expect(try home.run(["whoami"]).output == "signed in to \(url) as Ada, ada@example.org\n")

        // Another sign-in ends the previous session, also on the server.
        #expect(try home.run(login, input: ClientHome.password).status == 0)
        let after = try String(contentsOfFile: home.path + "/keepsake/" + file, encoding: .utf8)
        try tokens.write(toFile: home.path + "/keepsake/" + file, atomically: true, encoding: .utf8)
        #expect(try home.run(["whoami"]).status == 77)
        try after.write(toFile: home.path + "/keepsake/" + file, atomically: true, encoding: .utf8)

        let out = try home.run(["logout"])
        #expect(out.status == 0 && out.output == "signed out of \(url)\n")
        #expect(try home.files().allSatisfy { !$0.hasSuffix(".json") && $0 != "server" })
        #expect(try home.run(["whoami"]).status == 77)
        #expect(server.terminate() == 0)
    }

    private static let needSignIn = [
        ["whoami"], ["mood", "calm"], ["memory", "Harbour"], ["event", "Party", "--date", "2026-12-31"], ["timeline"],
        ["timeline", "--json"],
        ["search", "lake"], ["ask", "When?"], ["capture", "swam"], ["events"], ["events", "--follow"], ["queue"], ["queue", "send"],
        ["mood", "calm", "--queue"],
    ]

    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("files and entries are kept, listed, searched and asked about, as text and as JSON")
    func entries() throws {
        let home = try ClientHome()
        let data = try TemporaryFolder()
        let server = try ServerProcess(data: data.path)
        try home.register("http://127.0.0.1:\(server.port)")
        for file in ["photo.jpg", "alpha.png", "voice.m4a"] { try home.add(file) }

        let upload = try home.run(["upload", "photo.jpg", "alpha.png", "--title", "Lake", "--tag", "blue", "--tag", "water"])
        #expect(upload.status == 0 && upload.errors.isEmpty, "\(upload.errors)")
        #expect(upload.output.split(separator: "\n").count == 2 && upload.output.hasPrefix("photo.jpg  27.9 KB  image/jpeg  http://"))
        // The command sends eleven files in two requests.
        let many = try home.run(["upload", "--json"] + Array(repeating: "photo.jpg", count: 11)).json()
        #expect(many.map { $0["count"] as? Int } == [10, 1])
        let partly = try home.run(["upload", "photo.jpg", "voice.m4a", "--json"])
        let refused = try partly.failure()
        #expect(partly.status == 65 && refused["code"] as? String == "refused" && refused["exit_code"] as? Int == 65)
        #expect((refused["message"] as? String)?.hasPrefix("voice.m4a: ") == true)
        #expect(try home.run(["upload", "photo.jpg", "voice.m4a"]).errors.hasPrefix("keepsake: voice.m4a: "))
        #expect(try partly.json().first?["count"] as? Int == 1)
        // The help wraps its lines, so the test joins them.
        let help = try home.run(["upload", "--help"]).output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(help.contains("a file that it refuses does not stop the others"), "\(help)")

        let mood = try home.run([
            "mood", "calm", "--note", "By the lake\u{1B}[2J\nsecond", "--reason", "sun", "--tag", "blue", "--interest", "swimming",
            "--intensity", "7", "--image", "photo.jpg", "--voice", "voice.m4a", "--json",
        ])
        #expect(mood.status == 0 && mood.errors.isEmpty, "\(mood.errors)")
        let kept = try #require(try mood.json().first)
        #expect(kept["moodIntensity"] as? Int == 7 && kept["reason"] as? String == "sun" && kept["interests"] as? [String] == ["swimming"])
        #expect((kept["imageUrls"] as? [String])?.count == 1 && kept["voiceNote"] is String)
        #expect(
            try home.run(["memory", "Harbour", "--description", "We swam", "--location", "Garda"]).output.hasPrefix(
                "kept the memory Harbour as "))
        let event = try home.run(["event", "Party", "--date", "2026-12-31T20:00:00+02:00", "--voice", "voice.m4a", "--json"])
        #expect(try event.json().first?["date"] as? String == "2026-12-31T18:00:00.000Z", "\(event.errors)")
        #expect(try event.json().first?["voiceNote"] is String)

        let capsule = try home.run(["capsule", "voice.m4a", "--wait", "--json"])
        #expect(try capsule.status == 0 && capsule.json().first?["status"] as? String == "completed", "\(capsule.errors)")
        // The server has measured the recording.
        #expect(try #require(try capsule.json().first?["duration"] as? Double) != 1)

        let timeline = try home.run(["timeline"])
        // Four entries, and the 15 files that were uploaded without an entry.
        #expect(timeline.output.split(separator: "\n").count == 19)
        #expect(timeline.output.contains("  mood     calm (7 of 10): By the lake [2J second: sun (2 files)"), "\(timeline.output)")
        #expect(!timeline.output.contains("\u{1B}"))
        #expect(try home.run(["timeline", "--json"]).json().map { $0["kind"] as? String }.first == "event")
        #expect(try home.run(["timeline", "--limit", "3", "--json"]).json().count == 3)
        // The command does not fail when nobody reads its output, as in `keepsake timeline | head -1`.
        let unread = try ServerProcess.run(
            ["-c", "set -o pipefail; \(ClientHome.quoted(ServerProcess.binary)) events --json | true"], binary: "/bin/bash",
            environment: home.environment)
        #expect(unread.status == 0 && unread.errors.isEmpty, "\(unread.status) \(unread.errors)")
        #expect(try home.run(["timeline", "--tag", "nothing"]).output == "no entries\n")
        let few = try home.run(["timeline", "--kind", "event", "--kind", "memory", "--json"]).json()
        #expect(Set(few.map { $0["kind"] as? String }) == ["event", "memory"])
        #expect(try home.run(["timeline", "--tag", "nothing", "--json"]).output.isEmpty)

        let search = try home.run(["search", "lake"])
        #expect(search.output.contains("\n    note: By the lake") && !search.output.contains("\u{1B}"), "\(search.output)")
        #expect(try home.run(["search", "swam", "--json"]).json().first?["kind"] as? String == "memory")
        #expect(try home.run(["search", "zebra"]).output == "nothing found\n")
        let answer = try home.run(["ask", "What", "happened", "by", "the", "lake?"])
        #expect(answer.status == 0 && answer.output.contains("lake") && answer.output.contains("    from mood of "), "\(answer.output)")
        #expect(try home.run(["ask", "What about the lake?", "--json"]).json().first?["engine"] as? String == "local")

        let events = try home.run(["events", "--json"]).json()
        #expect(events.map { $0["seq"] as? Int } == Array(1...events.count))
        #expect(events.contains { $0["type"] as? String == "mood.added" })
        #expect(try home.run(["events", "--since", "\(events.count - 1)"]).output.split(separator: "\n").count == 1)
        // This command comes last, because the server emits events of its own when it has analysed the capture.
        let capture = try home.run(["capture", "We", "met", "Nora", "--photo", "photo.jpg", "--at", "2026-07-01T12:00:00Z", "--json"])
        #expect(try capture.json().first?["timestamp"] as? String == "2026-07-01T12:00:00.000Z", "\(capture.errors)")
        let early = try home.run(["memory", "Harbour", "--at", "2026-07-01T14:00+02:00", "--voice", "voice.m4a", "--json"])
        #expect(try early.json().first?["voiceNote"] is String, "\(early.errors)")
        #expect(try early.json().first?["createdAt"] as? Double == 1_782_907_200_000, "\(early.errors)")
        #expect(server.terminate() == 0)
    }

    @Test("events --follow prints each event when it happens", .timeLimit(.minutes(1)))
    func follow() throws {
        let home = try ClientHome()
        let data = try TemporaryFolder()
        let server = try ServerProcess(data: data.path)
        try home.register("http://127.0.0.1:\(server.port)")
        try #require(try home.run(["mood", "calm"]).status == 0)
        let process = Process()
        process.executableURL = URL(filePath: ServerProcess.binary)
        process.arguments = ["events", "--follow", "--since", "0", "--json"]
        process.environment = ProcessInfo.processInfo.environment.merging(home.environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer { process.terminate() }
        var text = ""
        func next() throws -> String {
            while !text.contains("\n") {
                let bytes = output.fileHandleForReading.availableData
                try #require(!bytes.isEmpty, "the command ended")
                text += String(decoding: bytes, as: UTF8.self)
            }
            let line = String(text.prefix { $0 != "\n" })
            text.removeFirst(line.count + 1)
            return line
        }
        #expect(try next().contains("\"type\":\"mood.added\""))
        try #require(try home.run(["memory", "Harbour"]).status == 0)
        #expect(try next().contains("\"type\":\"memory.added\""))
        #expect(server.terminate() == 0)
    }

    @Test("entries in the queue need no server; they are sent in order, as their owner, once, and a refused one is parked")
    func queue() throws {
        let home = try ClientHome()
        let data = try TemporaryFolder()
        var server = try ServerProcess(data: data.path)
        let port = server.port
        try home.register("http://127.0.0.1:\(port)")
        for file in ["photo.jpg", "voice.m4a"] { try home.add(file) }
        #expect(server.terminate() == 0)

        #expect(try home.run(["queue"]).output == "nothing is queued\n")
        let mood = try home.run(["mood", "calm", "--image", "photo.jpg", "--queue", "--json"])
        let first = try #require(try mood.json().first, "\(mood.errors)")
        #expect(first["state"] as? String == "waiting" && first["label"] as? String == "calm" && first["attempts"] as? Int == 0)
        let dated = try home.run(["mood", "dated", "--at", "2026-07-01T12:00:00Z", "--queue"])
        #expect(dated.status == 0, "\(dated.errors)")
        let queuedBefore = Date()
        // The queue has its own copies of the files, so the original is not needed.
        try FileManager.default.removeItem(atPath: home.path + "/photo.jpg")
        for command in [
            ["memory", String(repeating: "x", count: 201)], ["event", "Party", "--date", "2026-12-31", "--voice", "voice.m4a"],
            ["capsule", "voice.m4a"], ["capture", "We met Nora", "--audio", "voice.m4a"],
        ] { #expect(try home.run(command + ["--queue"]).output.hasPrefix("queued \(command[0]) ")) }
        let waiting = try home.run(["queue", "--json"]).json()
        #expect(waiting.map { $0["kind"] as? String } == ["mood", "mood", "memory", "event", "capsule", "capture"])
        #expect(waiting.last?["label"] as? String == "We met Nora")
        let away = try home.run(["queue", "send"])
        #expect(away.status == 69 && away.errors.split(separator: "\n").count == 1, "\(away.errors)")
        #expect(try home.run(["queue", "--json"]).json().count == 6)

        server = try ServerProcess(data: data.path, port: port)
        let sent = try home.run(["queue", "send", "--json"])
        #expect(try sent.status == 65 && (sent.failure()["message"] as? String)?.hasPrefix("memory ") == true, "\(sent.errors)")
        #expect(try sent.json().first as? [String: Int] == ["sent": 5, "waiting": 0, "parked": 1, "uncertain": 0])
        let entries = try home.run(["timeline", "--json"]).json()
        let kinds = Set(entries.map { $0["kind"] as? String })
        #expect(kinds.isSuperset(of: ["mood", "event", "capture"]), "\(kinds)")
        #expect(entries.contains { ($0["event"] as? [String: Any])?["voiceNote"] is String })
        // A mood's time is that of its command or of `--at`, not the time at which the queue was sent.
        let times = entries.compactMap { $0["mood"] as? [String: Any] }.reduce(into: [String: Double]()) { times, mood in
            if let name = mood["mood"] as? String, let time = mood["createdAt"] as? Double { times[name] = time / 1_000 }
        }
        #expect(times["dated"] == 1_782_907_200 && times["calm"].map { $0 <= queuedBefore.timeIntervalSince1970 } == true, "\(times)")
        let parked = try #require(try home.run(["queue", "--json"]).json().first)
        let id = try #require(parked["id"] as? String)
        #expect(parked["state"] as? String == "parked" && parked["error"] is String)
        #expect(try home.run(["queue", "retry", "--all", "--json"]).output == "{\"retried\":1}\n")
        let again = try home.run(["queue", "send"])
        #expect(again.status == 65 && again.errors.hasPrefix("keepsake: memory "), "\(again.errors)")
        #expect(try home.run(["queue", "retry", id]).status == 0)
        #expect(try home.run(["queue", "retry", "nothing"]).status == 69)
        #expect(try home.run(["queue", "cancel", id]).output.hasPrefix("removed memory \(id)"))
        #expect(try home.run(["queue", "cancel", id]).status == 69)

        // Another account neither sees nor sends what is queued.
        try #require(try home.run(["mood", "tired", "--queue"]).status == 0)
        try home.register("http://127.0.0.1:\(port)", email: "eve@example.org")
        #expect(try home.run(["queue"]).output == "nothing is queued\n")
        #expect(try home.run(["queue", "send"]).status == 0)
        #expect(try home.run(["timeline"]).output == "no entries\n")
        #expect(server.terminate() == 0)
    }

    @Test("a certificate that is not trusted is one line that names SSL_CERT_FILE, with which the server is trusted")
    func certificate() throws {
        let home = try ClientHome()
        let data = try TemporaryFolder()
        let identity = try ServerIdentity(in: data.path)
        let server = try ServerProcess(data: data.path + "/data", arguments: identity.arguments)
        let login = [
            "login", "https://127.0.0.1:\(server.port)", "--register", "--email", "ada@example.org", "--password-stdin",
        ]
        let refused = try home.run(login, input: ClientHome.password)
        #expect(refused.status == 69 && refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
        #expect(
            refused.errors.contains("no authority that this computer trusts has signed it. If it is your server, name a file with the ")
                && refused.errors.contains("SSL_CERT_FILE"), "\(refused.errors)")
        let wrong = try home.run(login, input: ClientHome.password, variables: ["SSL_CERT_FILE": identity.key])
        #expect(wrong.status == 64 && wrong.errors.contains("SSL_CERT_FILE names a file without certificates in PEM: "), "\(wrong.errors)")
        let trusted = try home.run(login, input: ClientHome.password, variables: ["SSL_CERT_FILE": identity.certificate])
        #expect(trusted.status == 0, "\(trusted.errors)")
        #expect(server.terminate() == 0)
    }

    @Test("each kind of failure has its exit code, and one line on standard error, which is JSON with --json")
    func failures() throws {
        let home = try ClientHome()
        let data = try TemporaryFolder()
        let server = try ServerProcess(data: data.path)
        let url = "http://127.0.0.1:\(server.port)"
        func login(_ url: String) throws -> ClientHome.Done {
            try home.run(["login", url, "--email", "ada@example.org", "--password-stdin"], input: ClientHome.password)
        }
        for wrong in [
            "127.0.0.1", "ftp://127.0.0.1", "http://", "http://ada:secret@127.0.0.1", "\(url)?a=b", "\(url)#a",
            "http://" + String(repeating: "a", count: 300),
        ] {
            let done = try login(wrong)
            #expect(done.status == 64 && done.errors.split(separator: "\n").count == 1, "\(wrong): \(done.errors)")
        }
        // Tests three cases: no server, a server that is not Keepsake, and no terminal to ask on.
        let away = try login("http://127.0.0.1:1")
        #expect(away.status == 69 && away.errors.split(separator: "\n").count == 1, "\(away.errors)")
        #expect(try login(url + "/elsewhere").errors == "keepsake: There is no Keepsake server at \(url)/elsewhere.\n")
        #expect(try home.run(["login", url, "--email", "ada@example.org"], input: "").status == 64)
        #expect(try home.run(["login", url, "--password-stdin", "--name", "Ada"], input: "").status == 64)
        #expect(try home.files().allSatisfy { !$0.hasSuffix(".json") })

        try home.register(url)
        try home.add("photo.jpg")
        try Data("hello".utf8).write(to: URL(filePath: home.path + "/text.jpg"))
        for (arguments, status) in [
            (["upload", "nowhere.jpg"], 69), (["upload", "/"], 69), (["upload", "text.jpg"], 65), (["mood", ""], 65),
            (["mood", String(repeating: "x", count: 65)], 65), (["mood", "calm", "--intensity", "11"], 64),
            (["mood", "calm", "--image", "nowhere.jpg"], 69), (["event", "Party", "--date", "tomorrow"], 64), (["event", "Party"], 64),
            (["mood", "calm", "--at", "yesterday"], 64), (["memory", "Harbour", "--at", "yesterday", "--queue"], 64),
            (["event", "Party", "--date", "2026-12-31", "--at", "2026-12-30"], 64),
            (["capsule", "photo.jpg"], 65), (["capsule", "photo.jpg", "--timeout", "0"], 64),
            (["capsule", "photo.jpg", "--queue", "--wait"], 64), (["capture"], 64), (["capture", "--photo", "nowhere.jpg"], 69),
            (["queue", "retry"], 64), (["queue", "send", "--nonsense"], 64), (["search", "?"], 65),
            (["timeline", "--limit", "0"], 64), (["timeline", "--from", "yesterday"], 65), (["events", "--since=-1"], 64),
        ] as [([String], Int32)] {
            let done = try home.run(arguments)
            #expect(done.status == status && done.output.isEmpty && !done.errors.isEmpty, "\(arguments): \(done.status) \(done.errors)")
            let reported = try home.run(arguments + ["--json"])
            let failure = try reported.failure()
            #expect(reported.status == status && reported.output.isEmpty, "\(arguments): \(reported.status) \(reported.output)")
            #expect(Set(failure.keys) == ["code", "message", "field", "status", "request_id", "retry_after", "exit_code"])
            #expect(failure["exit_code"] as? Int == Int(status) && (failure["message"] as? String)?.isEmpty == false, "\(arguments)")
        }
        let refusal = try home.run(["mood", String(repeating: "x", count: 65), "--json"]).failure()
        #expect(refusal["field"] as? String == "mood" && refusal["status"] as? Int == 400, "\(refusal)")
        #expect(refusal["code"] as? String == "bad_request" && (refusal["request_id"] as? String)?.isEmpty == false, "\(refusal)")
        #expect(try home.run(["mood", "--json", "--help"]).output.contains("--intensity"))
        #expect(try home.run(["timeline"]).output == "no entries\n")

        // First the server refuses the session's tokens; then no server runs.
        let sessions = try FileManager.default.contentsOfDirectory(atPath: home.path + "/keepsake/sessions").filter {
            $0.hasSuffix(".json")
        }
        let file = home.path + "/keepsake/sessions/" + (try #require(sessions.first))
        let tokens = try String(contentsOfFile: file, encoding: .utf8)
        try tokens.replacing(/"(access|refresh)Token":"[^"]*"/) { "\"\($0.output.1)Token\":\"forged\"" }
            .write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try home.run(["whoami"]).status == 77)
        #expect(try login(url).status == 0)
        #expect(server.terminate() == 0)
        #expect(try home.run(["mood", "calm", "--json"]).failure()["code"] as? String == "network")
        let gone = try home.run(["mood", "calm"])
        #expect(gone.status == 69 && gone.errors.split(separator: "\n").count == 1, "\(gone.errors)")
        // Signing out needs no server.
        #expect(try home.run(["logout"]).status == 0)
    }

    @Test("only a terminal shows a bar; elsewhere --progress prints plain lines")
    func progress() throws {
        let home = try ClientHome()
        let data = try TemporaryFolder()
        let server = try ServerProcess(data: data.path)
        try home.register("http://127.0.0.1:\(server.port)")
        try home.add("photo.jpg")
        #expect(try home.run(["upload", "photo.jpg"]).errors.isEmpty)
        let lines = try home.run(["upload", "photo.jpg", "--progress"]).errors
        #expect(lines.contains("100 %, 27.9 KB of 27.9 KB, ") && !lines.contains("\r") && !lines.contains("█"), "\(lines)")
        for number in 1...2 { try #require(try home.run(["upload", "photo.jpg", "--title", "\(number)", "--queue"]).status == 0) }
        let queued = try home.run(["queue", "send", "--progress"])
        #expect(queued.status == 0 && queued.errors.contains("100 %, "), "\(queued.errors)")
        let binary = ClientHome.quoted(ServerProcess.binary)
        let terminal = try home.runOnTerminal("\(binary) upload photo.jpg")
        #expect(terminal.status == 0 && terminal.output.contains("████ 100 %, 27.9 KB of 27.9 KB, "), "\(terminal.output)")
        #expect(try !home.runOnTerminal("\(binary) upload photo.jpg --no-progress").output.contains("%"))
        // On a terminal, the words that the search found are bold.
        try #require(try home.run(["mood", "calm", "--note", "By the lake"]).status == 0)
        #expect(try home.runOnTerminal("\(binary) search lake").output.contains("note: By the \u{1B}[1mlake\u{1B}[0m"))
        #expect(server.terminate() == 0)
    }

    @Test("a sign-in to another address deletes the tokens of the first one, and they never go there")
    func switching() throws {
        let home = try ClientHome()
        let data = try TemporaryFolder()
        let server = try ServerProcess(data: data.path)
        try home.register("http://127.0.0.1:\(server.port)")
        let files = try home.files().filter { $0.hasSuffix(".json") }
        // The same server has another address, too. A failed sign-in there changes nothing.
        let other = ["login", "http://localhost:\(server.port)", "--email", "ada@example.org", "--password-stdin"]
        #expect(try home.run(other, input: "wrong horse").status == 77)
        #expect(try home.files().filter { $0.hasSuffix(".json") } == files)
        #expect(try home.run(other, input: ClientHome.password).status == 0)
        let after = try home.files().filter { $0.hasSuffix(".json") }
        #expect(after.count == 1 && after != files)
        #expect(try home.run(["whoami"]).output.hasPrefix("signed in to http://localhost:\(server.port) as "))
        // Writes an address without tokens, as a command leaves it that is interrupted before it writes the tokens.
        try "http://127.0.0.1:\(server.port)\n".write(toFile: home.path + "/keepsake/server", atomically: true, encoding: .utf8)
        #expect(try home.run(["whoami"]).status == 77)
        #expect(server.terminate() == 0)
    }
}
