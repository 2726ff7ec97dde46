import ArgumentParser
import Core
import Foundation
import NIOCore
import TestKit
import Testing

@testable import keepsake

@Suite("Settings")
struct SettingsTests {
    private func read(_ flags: [String] = [], _ environment: [String: String] = [:]) async throws -> Settings {
        try await Settings.read(Serve.parse(flags).options, environment: environment)
    }

    private func complaint(_ flags: [String] = [], _ environment: [String: String] = [:]) async -> String {
        do {
            _ = try await read(flags, environment)
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test("a variable that is like a setting but none is named with the nearest one; others with the prefix are left alone")
    func variables() async {
        func warnings(_ names: String...) -> [String] {
            MisspeltVariable.all(in: Dictionary(uniqueKeysWithValues: names.map { ($0, "x") })).map(\.description)
        }
        #expect(
            warnings("KEEPSAKE_REGISTRATON", "KEEPSAKE_QUOTA", "KEEPSAKE_Port", "KEEPSAKE_SCRUB_HOUR") == [
                "KEEPSAKE_Port is not a setting and is ignored; did you mean KEEPSAKE_PORT?",
                "KEEPSAKE_QUOTA is not a setting and is ignored; did you mean KEEPSAKE_QUOTA_MB?",
                "KEEPSAKE_REGISTRATON is not a setting and is ignored; did you mean KEEPSAKE_REGISTRATION?",
                "KEEPSAKE_SCRUB_HOUR is not a setting and is ignored; did you mean KEEPSAKE_SCRUB_HOURS?",
            ])
        #expect(warnings("PATH", "KEEPSAKE_PORT", "KEEPSAKE_CONFIG", "KEEPSAKE_SCRUB_HOURS", "KEEPSAKE_SMTP_PASSWORD") == [])
        // These variables belong to other commands, to scripts/services.sh and the tests, and to deploy/compose.yaml.
        #expect(warnings("KEEPSAKE_TO_DATABASE", "KEEPSAKE_FROM_BLOBS", "KEEPSAKE_BACKUP_AWS_ACCESS_KEY_ID") == [])
        #expect(warnings("KEEPSAKE_TEST_ONLY", "KEEPSAKE_CAMPAIGN", "KEEPSAKE_SERVICES", "KEEPSAKE_POSTGRES_PORT") == [])
        #expect(warnings("KEEPSAKE_DOMAIN", "KEEPSAKE_UPSTREAM", "KEEPSAKE_TOKEN", "KEEPSAKE_URL") == [])
        // If a required setting is missing, the error names the misspelt variable that should have set it.
        let line = await complaint(["--env", "production"], ["KEEPSAKE_PUBLIC_ULR": "https://a.example", "KEEPSAKE_PROT": "1"])
        #expect(line.hasSuffix(". KEEPSAKE_PUBLIC_ULR is not a setting and is ignored; did you mean KEEPSAKE_PUBLIC_URL?"), "\(line)")
        #expect(line.hasPrefix("KEEPSAKE_PUBLIC_URL must be set in production") && !line.contains("PROT"), "\(line)")
    }

    @Test("the link of an invitation begins with the public URL")
    func invitationLink() async throws {
        let code = "K7QF2-9XM4T-3HWPA-V6DCR"
        #expect(Invite.link(code, try await read()) == nil)
        #expect(Invite.link(code, try await read(["--public-url", "https://a.example/"])) == "https://a.example/console/?invite=\(code)")
    }

    @Test("a wrong issuer is shown as it was written")
    func issuer() async {
        for issuers in ["ftp://a.example one", "https://a.example one, ftp://a.example one"] {
            let line = await complaint(["--oidc-issuers", issuers])
            #expect(line.hasPrefix("--oidc-issuers must be ") && line.hasSuffix(", with https URLs only: ftp://a.example one"), "\(line)")
        }
    }

    @Test("a certificate or key that cannot be used is accepted, because only serve needs it, which names the file with its setting")
    func unusableCertificate() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let (file, missing) = (folder.path + "/some.pem", folder.path + "/none.pem")
        try Data("nonsense".utf8).write(to: URL(filePath: file))
        for (certificate, key, line) in [
            (missing, file, "--tls-cert: \(missing): there is no such file"),
            (file, missing, "--tls-key: \(missing): there is no such file"),
            (file, file, "--tls-cert: \(file) cannot be read as certificates in PEM"),
        ] {
            let settings = try await read(["--tls-cert", certificate, "--tls-key", key])
            let error = #expect(throws: Settings.Wrong.self) { try settings.requireCertificate() }
            #expect(error?.description == line)
            // Other commands print links that are correct for a server with a certificate, even if it cannot be read now.
            #expect(settings.scheme == "https")
        }
        let production = ["--env", "production", "--public-url", "https://a.example", "--tls-cert", missing, "--tls-key", missing]
        #expect(try await read(production).warnings == [])
        #expect(await complaint(["--tls-cert", file]) == "--tls-cert needs --tls-key")
    }

    @Test("a token for metrics that could be guessed or is no token is refused, and never quoted")
    func metricsToken() async throws {
        #expect(try await read().metricsToken == nil)
        for token in [String(repeating: "c", count: 32), String(repeating: "~", count: 512)] {
            let settings = try await read([], ["KEEPSAKE_METRICS_TOKEN": token])
            #expect(settings.metricsToken != nil && !"\(settings)".contains(token))
        }
        let long = String(repeating: "c", count: 513)
        for token in ["", String(long.prefix(31)), long, "c " + long.prefix(40)] {
            let line = await complaint([], ["KEEPSAKE_METRICS_TOKEN": token])
            #expect(line.hasPrefix("KEEPSAKE_METRICS_TOKEN must be 32 to 512 visible ASCII characters"), "\(line)")
            #expect(!line.contains("cc") && !line.contains("\n"))
        }
    }

    @Test("an https public URL without a certificate and without a trusted proxy is a warning, only in production")
    func missingProxy() async throws {
        let production = ["--env", "production", "--public-url"]
        let warning = try await read(production + ["https://a.example"]).warningOfMissingProxy
        #expect(warning?.hasPrefix("KEEPSAKE_PUBLIC_URL is https, but neither ") == true, "\(warning ?? "")")
        for flags in [
            production + ["https://a.example", "--trusted-proxies", "127.0.0.1"], production + ["http://127.0.0.1:8080"],
            ["--public-url", "https://a.example"],
        ] {
            #expect(try await read(flags).warningOfMissingProxy == nil, "\(flags)")
        }
    }

    @Test("production refuses to trust every address as a proxy")
    func everyProxy() async {
        let production = ["--env", "production", "--public-url", "https://a.example"]
        for proxies in ["0.0.0.0/0", "::/0", "10.0.0.0/8, 0.0.0.0/0"] {
            let line = await complaint(production + ["--trusted-proxies", proxies])
            #expect(line.hasPrefix("--trusted-proxies with 0.0.0.0/0 or ::/0 is refused in production: "), "\(line)")
            #expect(await complaint(["--trusted-proxies", proxies]) == "accepted")
        }
        #expect(await complaint(production + ["--trusted-proxies", "10.0.0.0/8, fd00::/8, ::1"]) == "accepted")
    }

    @Test("an address that the server cannot listen on is named by the flag, the variable or the key that it came from")
    func listening() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/settings.yaml"
        try "host: 192.0.2.1\n".write(toFile: file, atomically: true, encoding: .utf8)
        func line(
            _ error: any Error, host: String? = nil, port: String? = nil, _ environment: [String: String] = [:]
        ) async throws -> String? {
            let config = host == nil && environment.isEmpty ? ["--config", file] : []
            let settings = try await Settings.read(Serve.parse(config).options, host: host, port: port, environment: environment)
            return CannotListen(error, settings)?.description
        }
        let (absent, used) = (IOError(errnoCode: EADDRNOTAVAIL, reason: "bind"), IOError(errnoCode: EADDRINUSE, reason: "bind"))
        #expect(try await line(absent, host: "192.0.2.2")?.hasPrefix("--host must be an address of this machine") == true)
        #expect(try await line(absent)?.hasPrefix("host in \(file):1 must be an address of this machine") == true)
        let unknown = try await line(SocketAddressError.unsupported, ["KEEPSAKE_HOST": "http://a.example"])
        #expect(unknown?.hasPrefix("KEEPSAKE_HOST must be an IP address ") == true, "\(unknown ?? "")")
        #expect(unknown?.hasSuffix(": http://a.example") == true, "\(unknown ?? "")")
        let denied = try await line(IOError(errnoCode: EACCES, reason: "bind"), host: "::", port: "80")
        #expect(denied?.hasPrefix("--port: this user may not listen on port 80;") == true, "\(denied ?? "")")
        #expect(try await line(used, host: "::1", port: "81")?.hasPrefix("port 81 of ::1 is in use by another program;") == true)
        #expect(try await line(Settings.Wrong(description: "another"), host: "::") == nil)
    }

    @Test(
        "an address that this machine does not have is a wrong setting and exits with 64, which systemd does not retry; a used port with 69"
    )
    func listeningCodes() throws {
        func code(_ error: any Error) throws -> Int32 {
            Exit.explain(try #require(CannotListen(error, Settings()))).1.rawValue
        }
        #expect(try code(IOError(errnoCode: EADDRNOTAVAIL, reason: "bind")) == 64)
        #expect(try code(IOError(errnoCode: EACCES, reason: "bind")) == 64)
        #expect(CannotListen.isWrong("keepsake.example", Int(EAI_NONAME)) && CannotListen.isWrong("http://a.example", Int(EAI_AGAIN)))
        #expect(!CannotListen.isWrong("keepsake.example", Int(EAI_AGAIN)), "no name server answers yet")
        #expect(try code(SocketAddressError.unsupported) == 64)
        #expect(try code(IOError(errnoCode: EADDRINUSE, reason: "bind")) == 69)
        let unit = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../deploy/keepsake.service")
        let text = try String(contentsOf: unit.standardizedFileURL, encoding: .utf8)
        #expect(text.contains("\nRestartPreventExitStatus=64\n") && text.contains("\nRestart=on-failure\n"))
    }

    @Test("a user who may not use the data is told whose it is and what to do, and never to run the command as root")
    func access() {
        let (ada, keepsake, root) = (UnixUser(id: 1, name: "ada"), UnixUser(id: 2, name: "keepsake"), UnixUser(id: 0, name: "root"))
        func refusal(_ path: String, to user: UnixUser, owner: UnixUser?, _ content: SystemUser.Content) -> String {
            SystemUser.refusal(of: path, to: user, owner: owner, content: content)
        }
        #expect(
            refusal("/data", to: ada, owner: keepsake, .data) == """
                the user ada may not read and write /data, which belongs to keepsake; run the command as keepsake (sudo -u keepsake keepsake \
                …), or give the data to ada (sudo chown -R ada /data)
                """)
        #expect(
            refusal("/data", to: keepsake, owner: root, .data) == """
                the user keepsake may not read and write /data, which belongs to root; unless root runs the server, give the data to keepsake \
                (sudo chown -R keepsake /data)
                """)
        #expect(
            refusal("/data", to: ada, owner: root, .nothing)
                == "the user ada may not read and write /data, which belongs to root; give it to ada (sudo chown ada /data)")
        #expect(
            refusal("/etc", to: ada, owner: root, .other)
                == "the user ada may not read and write /etc, which belongs to root; choose a folder that ada may write")
        #expect(
            refusal("/data", to: ada, owner: root, .unknown).hasSuffix(
                """
                ; choose a folder that ada may write, or if this is Keepsake's data folder, give it to ada (sudo chown -R ada /data)
                """))
        for content in [SystemUser.Content.other, .unknown] {
            #expect(
                refusal("/data", to: ada, owner: keepsake, content).hasSuffix(
                    "; run the command as keepsake (sudo -u keepsake keepsake …), or choose a folder that ada may write"))
        }
        for content in [SystemUser.Content.data, .nothing, .other, .unknown] {
            #expect(!refusal("/data", to: ada, owner: root, content).contains("run the command as root"))
        }
        let nameless = refusal("/data", to: UnixUser(id: 1_000, name: nil), owner: UnixUser(id: 1_001, name: nil), .data)
        #expect(
            nameless == """
                the user #1000 may not read and write /data, which belongs to #1001; run the command as #1001 (sudo -u '#1001' keepsake …), \
                or give the data to #1000 (sudo chown -R 1000 /data)
                """)
        #expect(refusal("/data", to: ada, owner: ada, .data).hasSuffix("its owner, ada, lacks the permission (chmod u+rwX /data)"))
        #expect(refusal("/data", to: ada, owner: nil, .unknown).contains("run the command as the user who owns the data (sudo -u NAME "))
    }

    @Test("a command that shows the server's quota says from which setting it has the number, or that it does not know it")
    func quota() async throws {
        #expect(
            try await read().quotaText
                == "the server's: 10240 MB, unless the server is started with KEEPSAKE_QUOTA_MB, which is not set for this command"
        )
        #expect(try await read([], ["KEEPSAKE_QUOTA_MB": "3"]).quotaText == "the server's: 3 MB, according to KEEPSAKE_QUOTA_MB")
        #expect(try await read(["--quota-mb", "4"]).quotaText == "the server's: 4 MB, according to --quota-mb")
    }

    @Test("every setting that docs/operations.md lists is a key of the file, and the file has no other key")
    func keys() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let page = folder.appending(path: "../../../../docs/operations.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        let flags = text.matches(of: /(?m)^\| `--([a-z-]+)` \|/).map { String($0.output.1).replacing("-", with: "_") }
        #expect(flags.count > 60 && Set(flags).subtracting(["config"]) == SettingsFile.keys)
    }

    @Test("in production, the public URL is https, or http on this machine")
    func publicURL() async throws {
        let production = ["--env", "production", "--public-url"]
        for url in ["https://a.example", "http://127.0.0.1:8080", "http://localhost"] {
            #expect(try await read(production + [url]).publicURL == url)
        }
        #expect(try await read(["--public-url", "http://a.example"]).publicURL == "http://a.example")
        let line = await complaint(production + ["http://a.example"])
        #expect(line.hasPrefix("--public-url must be https in production"), "\(line)")
    }

    @Test("redirects need an object store, in production one with https, and are off unless a flag or a variable turns them on")
    func redirects() async throws {
        let keys = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"]
        func environment(_ blobs: String, _ more: [String: String] = [:]) -> [String: String] {
            keys.merging(["KEEPSAKE_BLOBS": blobs]) { $1 }.merging(more) { $1 }
        }
        let (near, far) = ("s3://photos?endpoint=http://127.0.0.1:9000", "s3://photos?region=eu-west-1")
        let on = ["KEEPSAKE_BLOBS_REDIRECT": "on"]
        let production = ["KEEPSAKE_ENV": "production", "KEEPSAKE_PUBLIC_URL": "https://keepsake.example.org"]
        let flag = ["--blobs-redirect", "on"]
        #expect(try await read([], environment(near)).blobsRedirect == false)
        #expect(try await read(flag, environment(near)).blobsRedirect)
        #expect(try await read([], environment(near, on)).blobsRedirect)
        #expect(try await read(["--blobs-redirect", "off"], environment(near, on)).blobsRedirect == false)
        #expect(try await read(flag, environment(far, production)).blobsRedirect)
        for (flags, environment) in [
            (flag, [:]), (["--blobs-redirect", "yes"], environment(near)), (flag, environment(near, production)),
        ] as [([String], [String: String])] {
            await #expect(throws: Settings.Wrong.self, "\(flags)") { try await read(flags, environment) }
        }
    }

    @Test("registrations need a code from a mail only if a flag or a variable says so, and only with a mail server")
    func confirmed() async throws {
        let mail = ["KEEPSAKE_SMTP": "smtp://mail.example.org", "KEEPSAKE_MAIL_FROM": "Keepsake <no-reply@example.org>"]
        let on = ["KEEPSAKE_VERIFY_EMAIL": "on"]
        #expect(try await read([], mail).confirmsEmail == false)
        #expect(try await read([], mail.merging(on) { $1 }).confirmsEmail)
        #expect(try await read(["--verify-email", "on"], mail).confirmsEmail)
        #expect(try await read(["--verify-email", "off"], mail.merging(on) { $1 }).confirmsEmail == false)
        for environment in [on, mail.merging(["KEEPSAKE_VERIFY_EMAIL": "yes"]) { $1 }] {
            await #expect(throws: Settings.Wrong.self, "\(environment)") { try await read([], environment) }
        }
        do {
            _ = try await read([], on)
        } catch {
            #expect("\(error)".contains("KEEPSAKE_VERIFY_EMAIL") && "\(error)".contains("KEEPSAKE_SMTP"), "\(error)")
        }
    }

    @Test("callers without a credential are refused unless a flag or a variable allows them")
    func anonymous() async throws {
        #expect(try await read().allowsAnonymous == false)
        #expect(try await read(["--allow-anonymous"]).allowsAnonymous)
        #expect(try await read([], ["KEEPSAKE_ALLOW_ANONYMOUS": "on"]).allowsAnonymous)
        #expect(try await read([], ["KEEPSAKE_ALLOW_ANONYMOUS": "off"]).allowsAnonymous == false)
        #expect(try await read(["--allow-anonymous"], ["KEEPSAKE_ALLOW_ANONYMOUS": "off"]).allowsAnonymous)
        for wrong in ["true", "1", "ON", ""] {
            await #expect(throws: Settings.Wrong.self, "\(wrong)") { try await read([], ["KEEPSAKE_ALLOW_ANONYMOUS": wrong]) }
        }
    }

    @Test("days are UTC days unless a time zone is set")
    func timeZone() async throws {
        #expect(try await read().timeZone.secondsFromGMT() == 0)
        #expect(try await read(["--time-zone", "UTC"]).timeZone.secondsFromGMT() == 0)
        #expect(try await read(["--time-zone", "GMT"]).timeZone == .gmt)
        let summer = Date(timeIntervalSince1970: 1_780_315_200)
        for (name, hours) in [("Europe/Berlin", 2.0), ("America/New_York", -4), ("Asia/Kolkata", 5.5), ("Etc/UTC", 0)] {
            let zone = try await read([], ["KEEPSAKE_TIME_ZONE": name]).timeZone
            #expect(zone.identifier == name && Double(zone.secondsFromGMT(for: summer)) == hours * 3_600)
        }
        for wrong in ["Europe/Nowhere", "EST", "GMT+2", "+02:00", "europe/berlin", "Europe", "", "../etc/passwd", "Europe/Berlin "] {
            await #expect(throws: Settings.Wrong.self, "\(wrong)") { try await read(["--time-zone", wrong]) }
        }
    }
}
