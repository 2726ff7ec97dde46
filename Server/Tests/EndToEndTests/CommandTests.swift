import AsyncHTTPClient
import Core
import Foundation
import NIOCore
import NIOHTTP1
import S3Blobs
import TestKit
import TestThreads
import Testing

@Suite("Commands", .blocksThreads)
struct CommandTests {
    @Test("version and help are printed, and invalid usage exits with 64")
    func use() throws {
        #expect(try ServerProcess.run(["version"]).output.hasPrefix("keepsake "))
        let help = try ServerProcess.run(["--help"])
        #expect(help.status == 0)
        for command in ["serve", "token", "verify", "doctor", "version"] { #expect(help.output.contains(command)) }
        for arguments in [["nonsense"], ["serve", "--nonsense"], ["token"]] { #expect(try ServerProcess.run(arguments).status == 64) }
    }

    @Test(
        "an invalid value stops start-up with one line that names it",
        arguments: [("KEEPSAKE_PORT", "http"), ("KEEPSAKE_SCRUB_HOURS", "721"), ("KEEPSAKE_CONFIG", "/nowhere/keepsake.yaml")])
    func wrongSettings(name: String, value: String) throws {
        let folder = try TemporaryFolder()
        let run = try ServerProcess.run(["serve", "--data", folder.path], environment: [name: value])
        #expect(run.status == 64)
        #expect(run.errors.split(separator: "\n").count == 1 && run.errors.contains(name), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("production requires a public URL")
    func production() throws {
        let folder = try TemporaryFolder()
        let run = try ServerProcess.run(["serve", "--data", folder.path, "--env", "production"])
        #expect(run.status == 64 && run.errors.contains("KEEPSAKE_PUBLIC_URL"))
    }

    @Test("production refuses callers without a credential, whatever the settings")
    func anonymous() throws {
        let folder = try TemporaryFolder()
        try "allow_anonymous: on\n".write(toFile: folder.path + "/settings.yaml", atomically: true, encoding: .utf8)
        let production = ["serve", "--data", folder.path, "--env", "production", "--public-url", "https://a.example.org"]
        for (arguments, environment, name) in [
            (["--allow-anonymous"], [:], "--allow-anonymous"), ([], ["KEEPSAKE_ALLOW_ANONYMOUS": "on"], "KEEPSAKE_ALLOW_ANONYMOUS"),
            (["--config", folder.path + "/settings.yaml"], [:], "allow_anonymous in \(folder.path)/settings.yaml:1"),
        ] as [([String], [String: String], String)] {
            let run = try ServerProcess.run(production + arguments, environment: environment)
            #expect(run.status == 64, "\(arguments) \(environment)")
            #expect(run.errors.split(separator: "\n").count == 1 && run.errors.contains("\(name) is refused"), "\(run.errors)")
            #expect(run.output.isEmpty)
        }
    }

    @Test("only a start that accepts callers without a credential prints a warning", arguments: [true, false])
    func anonymousIsSaid(_ isAllowed: Bool) async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/output"
        let line =
            "'\(ServerProcess.binary)' serve --port 0 --log critical --data '\(folder.path)/data' \(isAllowed ? "--allow-anonymous" : "")"
        let run = try ServerProcess.run(
            [
                "-c",
                "\(line) > '\(file)' & for i in $(seq 600); do grep -q listening '\(file)' && break; sleep 0.1; done; kill $!; wait $!",
            ],
            binary: "/bin/sh")
        #expect(run.status == 0, "\(run.errors)")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.first?.hasPrefix("listening on http://127.0.0.1:") == true)
        let version = try ServerProcess.run(["version"]).output.split(separator: "\n").first ?? ""
        #expect(lines.dropFirst().first == "\(version), data in \(folder.path)/data")
        #expect(lines.dropFirst().contains { $0.hasPrefix("WARNING: --allow-anonymous is on") } == isAllowed)
    }

    @Test("a flag overrides a variable, and a variable overrides the file")
    func precedence() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/settings.yaml"
        try "link_days: none\nquota_mb: none\nregistration: none\n".write(toFile: file, atomically: true, encoding: .utf8)
        func complaint(_ arguments: [String], _ environment: [String: String]) throws -> String {
            try ServerProcess.run(["doctor", "--data", folder.path, "--config", file] + arguments, environment: environment).errors
        }
        #expect(try complaint([], [:]).contains("registration in \(file):3 must be"))
        #expect(try complaint(["--registration", "open"], [:]).contains("quota_mb in \(file):2 must be"))
        #expect(try complaint(["--registration", "open"], ["KEEPSAKE_QUOTA_MB": "5"]).contains("link_days in \(file):1 must be"))
        #expect(
            try complaint(["--registration", "open", "--link-days", "3"], ["KEEPSAKE_QUOTA_MB": "5", "KEEPSAKE_LINK_DAYS": "x"]).isEmpty)
    }

    @Test("a token is one line of JSON, for the same account each time, and is valid on the running server, also after SIGHUP without TLS")
    func token() async throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path)
        server.hangUp()
        func issue() throws -> [String: String] {
            let run = try ServerProcess.run(["token", "--data", folder.path, "--email", "Ada@Example.org", "--json"])
            #expect(run.status == 0 && run.output.split(separator: "\n").count == 1)
            return try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String] ?? [:]
        }
        let first = try issue()
        #expect(Set(first.keys) == ["user_id", "access_token", "refresh_token", "expires_at"])
        #expect(try issue()["user_id"] == first["user_id"])
        #expect(first["expires_at"]?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/user/me")
        request.headers.add(name: "Authorization", value: "Bearer \(first["access_token"] ?? "")")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        #expect(response.status == .ok)
        #expect(String(buffer: try await response.body.collect(upTo: 65_536)).contains("ada@example.org"))
        #expect(try ServerProcess.run(["token", "--data", folder.path, "--email", "nobody"]).status == 64)
        #expect(server.terminate() == 0)
    }

    @Test("a second server on the same folder, and a port in use exit with 69 and the reason; an address of another machine with 64")
    func unavailable() throws {
        let folder = try TemporaryFolder()
        let other = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path)
        let second = try ServerProcess.run(["serve", "--port", "0", "--data", folder.path])
        #expect(second.status == 69 && second.errors.contains("another keepsake"), "\(second.errors)")
        let port = try ServerProcess.run(["serve", "--port", String(server.port), "--data", other.path, "--log", "critical"])
        #expect(port.status == 69, "\(port.errors)")
        #expect(port.errors.contains("port \(server.port) of 127.0.0.1 is in use by another program"), "\(port.errors)")
        #expect(port.errors.split(separator: "\n").count == 1, "\(port.errors)")
        // 192.0.2.1 is an address for documentation (RFC 5737), which no machine has.
        let host = try ServerProcess.run(["serve", "--port", "0", "--host", "192.0.2.1", "--data", other.path, "--log", "critical"])
        #expect(host.status == 64 && host.errors.contains("--host must be an address of this machine"), "\(host.errors)")
        #expect(host.errors.split(separator: "\n").count == 1, "\(host.errors)")
        // A server that cannot listen creates nothing in the data folder.
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == [])
        #expect(server.terminate() == 0)
    }

    @Test(
        "commands that examine an installation refuse a folder that does not exist, and create nothing",
        arguments: [
            "verify", "doctor", "users list", "jobs list", "reports list", "nodes", "backup ./place", "token --email ada@example.org",
            "invite",
        ])
    func missingFolder(_ command: String) throws {
        let folder = try TemporaryFolder()
        let missing = folder.path + "/mistyped"
        // The commands share this check, and each start of a debug build takes a second, so only `verify` is tested with two paths.
        for path in command == "verify" ? [missing, missing + "/below"] : [missing] {
            let run = try ServerProcess.run(command.split(separator: " ").map(String.init) + ["--data", path], in: folder.path)
            #expect(run.status == 69 && run.errors.contains("there is no folder \(path);"), "\(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("token and invite begin an installation only with --begin-installation, and say so")
    func beginning() throws {
        let folder = try TemporaryFolder()
        let token = ["token", "--email", "ada@example.org", "--data", folder.path]
        let refused = try ServerProcess.run(token)
        #expect(refused.status == 69 && refused.errors.contains("there is no installation in \(folder.path): "), "\(refused.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        let begun = try ServerProcess.run(["invite", "--begin-installation", "--data", folder.path])
        #expect(begun.status == 0, "\(begun.errors)")
        #expect(begun.errors.hasPrefix("note: there was no installation in \(folder.path); this command created one\n"), "\(begun.errors)")
        let issued = try ServerProcess.run(token)
        #expect(issued.status == 0 && issued.errors.isEmpty, "\(issued.errors)")
    }

    @Test("a misspelt subcommand is named with the nearest one", arguments: ["bakcup ./place": "backup", "users lsit": "users list"])
    func misspeltCommand(_ line: String, _ command: String) throws {
        let run = try ServerProcess.run(line.split(separator: " ").map(String.init))
        #expect(run.status == 64 && run.errors.contains("; did you mean \(command)?\n"), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("a misspelt subcommand of backup makes no backup", arguments: ["lsit": "list", "verfy": "verify", "prun": "prune"])
    func misspelt(_ word: String, _ command: String) throws {
        let folder = try TemporaryFolder()
        let run = try ServerProcess.run(["backup", word, "--data", folder.path], in: folder.path)
        #expect(run.status == 64 && run.errors.contains("did you mean \(command)?") && run.errors.contains("./\(word)"), "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("verify finds a flipped bit, a missing file and a truncated one, and exits with 70", arguments: StoragePair.allCases)
    func verify(_ pair: StoragePair) async throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(pair)
        var environment = ["KEEPSAKE_DATABASE": try stores.address()]
        if pair == .shared { environment.merge(try stores.objects().environment) { $1 } }
        let server = try ServerProcess(data: folder.path, environment: environment)
        let load = Load(url: "http://127.0.0.1:\(server.port)", person: try person(folder.path, environment))
        let working = Task { await load.run() }
        for _ in 0..<1_000 where load.acknowledged.count < 6 { try await Task.sleep(for: .milliseconds(10)) }
        load.stop()
        await working.value
        #expect(server.terminate() == 0)
        let clean = try ServerProcess.run(["verify", "--data", folder.path], environment: environment)
        #expect(clean.status == 0 && clean.output.contains(/blobs, [0-9.]+ MB checked; 0 problems/), "\(clean.output)\(clean.errors)")

        try await damage(pair == .embedded ? nil : stores.objects(), folder.path)
        let damaged = try ServerProcess.run(["verify", "--data", folder.path], environment: environment)
        #expect(damaged.status == 70)
        #expect(damaged.output.split(separator: "\n").filter { $0.hasPrefix("damaged: ") }.count == 3, "\(damaged.output)")
    }

    /// Flips a bit of one blob, deletes another and truncates a third.
    /// - Parameter objects: `nil` for files in the data folder.
    private func damage(_ objects: TestBucket?, _ folder: String) async throws {
        if let objects {
            let names = try await objects.list().map(\.name)
            try #require(names.count >= 3)
            var content = try await objects.get(names[0])
            content[content.count / 2] ^= 1
            try await objects.put(names[0], content)
            try await objects.delete(names[1])
            try await objects.put(names[2], Array(try await objects.get(names[2]).dropLast()))
            return
        }
        let blobs = try FileManager.default.subpathsOfDirectory(atPath: folder + "/blobs").filter { $0.count > 40 }.map {
            folder + "/blobs/" + $0
        }
        try #require(blobs.count >= 3)
        var content = try Data(contentsOf: URL(filePath: blobs[0]))
        content[content.count / 2] ^= 1
        try content.write(to: URL(filePath: blobs[0]))
        try FileManager.default.removeItem(atPath: blobs[1])
        try Data(contentsOf: URL(filePath: blobs[2])).dropLast().write(to: URL(filePath: blobs[2]))
    }

    @Test("doctor tests each component by using it")
    func doctor() throws {
        let folder = try TemporaryFolder()
        let run = try ServerProcess.run(["doctor", "--data", folder.path], environment: ["KEEPSAKE_REGISTRATON": "closed"])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        let warning = "warning settings: KEEPSAKE_REGISTRATON is not a setting and is ignored; did you mean KEEPSAKE_REGISTRATION?"
        for line in ["ok      database", "ok      blobs", "ok      disk", warning] { #expect(run.output.contains(line)) }
        try Data().write(to: URL(filePath: folder.path + "/occupied"))
        #expect(try ServerProcess.run(["doctor", "--data", folder.path + "/occupied"]).status == 69)
    }

    @Test("doctor prints the warnings about settings that serve logs, and succeeds")
    func doctorOnSettings() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let run = try ServerProcess.run(
            ["doctor", "--data", folder.path, "--env", "production", "--public-url", "https://a.example.org"],
            environment: ["KEEPSAKE_HOST": "0.0.0.0"])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("\nwarning settings: --public-url is https, but neither a certificate (--tls-cert) "), "\(run.output)")
        #expect(run.output.contains("\nwarning settings: KEEPSAKE_HOST is 0.0.0.0, and neither a certificate "), "\(run.output)")
    }

    @Test("if the installation cannot be opened, doctor says so, runs the checks that do not need it, and says that it skips the others")
    func doctorWithoutInstallation() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try Data("no database, but longer than nothing".utf8).write(to: URL(filePath: folder.path + "/keepsake.sqlite"))
        let missing = folder.path + "/mistyped"
        for data in [folder.path, missing] {
            let run = try ServerProcess.run(["doctor", "--data", data])
            #expect(run.status == 69 && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
            let lines = run.output.split(separator: "\n")
            let fault = run.errors.dropFirst("keepsake: ".count).dropLast()
            #expect(lines.dropFirst().first == "FAILED  installation: \(fault)", "\(run.output)")
            #expect(fault.contains("\(data)/keepsake.sqlite is no SQLite database; ") == (data != missing), "\(fault)")
            for name in ["scanner", "media", "phone", "certificate", "links"] {
                #expect(lines.contains { $0.hasPrefix("ok      \(name): ") }, "\(name): \(run.output)")
            }
            #expect(lines.last == "skipped all other checks, because they need the installation", "\(run.output)")
            #expect(!lines.contains { $0.hasPrefix("ok      database: ") }, "\(run.output)")
        }
        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    @Test("doctor tests PostgreSQL by using it; a failure is one line without the password")
    func doctorOnPostgres() throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(.postgres)
        let run = try ServerProcess.run(["doctor", "--data", folder.path, "--database", stores.address()])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("ok      database: PostgreSQL: a row was committed to the disk, read back and removed"))
        for (address, status) in [
            ("postgres://ada:canary@127.0.0.1:1/none", Int32(69)), ("postgres://nobody:canary@127.0.0.1:\(TestSchema.port)/none", 64),
            ("postgres://ada:canary@127.0.0.1:5432?nonsense=1", 64), ("mysql://ada:canary@localhost", 64),
        ] {
            let failed = try ServerProcess.run(["doctor", "--data", folder.path, "--database", address])
            #expect(failed.status == status, "\(failed.errors)")
            #expect(failed.errors.split(separator: "\n").count == 1 && !failed.errors.contains("canary"), "\(failed.errors)")
        }
        withExtendedLifetime(folder) {}
        withExtendedLifetime(stores) {}
    }

    @Test("doctor tests the object store by using it; a failure is one line that names the setting and contains no key")
    func doctorOnObjectStore() throws {
        let folder = try TemporaryFolder()
        let bucket = "s3://keepsake-tests?endpoint=http://127.0.0.1:\(CephService.sharedPort)&prefix=doctor"
        func run(_ blobs: String, secret: String = CephService.credentials.secretAccessKey.exposed) throws -> (Int32, String) {
            let run = try ServerProcess.run(
                ["doctor", "--data", folder.path],
                environment: [
                    "KEEPSAKE_BLOBS": blobs, "AWS_ACCESS_KEY_ID": CephService.credentials.accessKeyID, "AWS_SECRET_ACCESS_KEY": secret,
                ])
            #expect(!(run.output + run.errors).contains(secret))
            return (run.status, run.output)
        }
        let (status, output) = try run(bucket)
        #expect(status == 0, "\(output)")
        #expect(
            output.contains("ok      blobs: s3://keepsake-tests at http://127.0.0.1:\(CephService.sharedPort), prefix doctor/: answers in"))
        for (blobs, secret, part) in [
            (bucket, "canary-canary", "change AWS_SECRET_ACCESS_KEY"),
            (bucket.replacing("keepsake-tests", with: "keepsake-nowhere"), nil, "there is no bucket keepsake-nowhere"),
            ("s3://keepsake-tests?endpoint=http://127.0.0.1:9", nil, "no S3 server answers at http://127.0.0.1:9"),
        ] as [(String, String?, String)] {
            let (status, output) = try run(blobs, secret: secret ?? CephService.credentials.secretAccessKey.exposed)
            #expect(status == 69)
            let failures = output.split(separator: "\n").filter { $0.hasPrefix("FAILED") }
            #expect(failures.count == 1 && failures[0].hasPrefix("FAILED  blobs: ") && failures[0].contains(part), "\(output)")
        }
        withExtendedLifetime(folder) {}
    }

    @Test("SIGTERM lets a running upload finish, and refuses new connections", arguments: StoragePair.allCases)
    func draining(_ pair: StoragePair) async throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(pair)
        let server = try ServerProcess(data: folder.path, environment: stores.environment())
        let ada = try person(folder.path, stores.environment())
        let body = MultipartBody.file("a.mp4", Film.bytes(1_000_000))
        let connection = try RawConnection(port: server.port)
        try connection.send(
            "POST /api/users/user/\(ada.id)/multimedia/swift HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ada.token)\r\n"
                + "Content-Type: \(body.contentType)\r\nContent-Length: \(body.data.count)\r\nExpect: 100-continue\r\n\r\n")
        // The upload is running from here on.
        #expect(try connection.answer().status == 100)
        try connection.send(body.data.prefix(500_000))
        let start = ContinuousClock.now
        server.askToStop()
        var takesMore = true
        for _ in 0..<300 where takesMore {
            takesMore = (try? RawConnection(port: server.port)) != nil
            if takesMore { try await Task.sleep(for: .milliseconds(10)) }
        }
        #expect(!takesMore)
        try connection.send(body.data.dropFirst(500_000))
        #expect(try connection.answer().status == 200)
        #expect(server.waitForExit() == 0)
        // The service group would stop waiting after ten seconds.
        #expect(ContinuousClock.now - start < .seconds(9))
        withExtendedLifetime(stores) {}
    }

    @Test("SIGTERM does not wait longer than ten seconds for a client that sends nothing")
    func drainingEnds() async throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path)
        let ada = try person(folder.path)
        let connection = try RawConnection(port: server.port)
        try connection.send(
            "POST /api/users/user/\(ada.id)/multimedia/swift HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ada.token)\r\n"
                + "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n--b\r\n")
        #expect(try connection.answer().status == 100)
        let start = ContinuousClock.now
        _ = server.terminate()
        let waited = ContinuousClock.now - start
        #expect(waited < .seconds(20), "\(waited)")
    }

    private func person(_ data: String, _ environment: [String: String] = [:]) throws -> (id: String, token: String) {
        let run = try ServerProcess.run(["token", "--data", data, "--email", "ada@example.org", "--json"], environment: environment)
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String] ?? [:]
        return (json["user_id"] ?? "", json["access_token"] ?? "")
    }
}
