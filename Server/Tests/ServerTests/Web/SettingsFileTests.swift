import ArgumentParser
import Core
import Foundation
import TestKit
import Testing

@testable import keepsake

@Suite("The file of settings, and the names of settings in messages")
struct SettingsFileTests {
    private func complaint(_ flags: [String] = [], _ environment: [String: String] = [:]) async -> String {
        do {
            _ = try await Settings.read(Serve.parse(flags).options, environment: environment)
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test("an error names each setting by the flag, the variable, or the key with its line, and one without a value in the same form")
    func origins() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/settings.yaml"
        try "# comment\nlink_days: 0\nscrub_hours: often\n\ntranscriber: openai\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let fine = ["--link-days", "1", "--scrub-hours", "1"]
        for (flags, environment, line) in [
            (["--link-days", "0"], ["KEEPSAKE_LINK_DAYS": "1"], "--link-days must be a whole number from 1 to 365: 0"),
            ([], ["KEEPSAKE_LINK_DAYS": "0"], "KEEPSAKE_LINK_DAYS must be a whole number from 1 to 365: 0"),
            (["--config", file], [:], "link_days in \(file):2 must be a whole number from 1 to 365: 0"),
            (["--scrub-hours", "often"], [:], "--scrub-hours must be a whole number from 0 to 720: often"),
            (["--config", file, "--link-days", "1"], [:], "scrub_hours in \(file):3 must be a whole number from 0 to 720: often"),
            (["--scan", "required"], [:], "--scan required needs --clamd"),
            ([], ["KEEPSAKE_SCAN": "required"], "KEEPSAKE_SCAN=required needs KEEPSAKE_CLAMD"),
            (
                ["--config", file] + fine, [:],
                "transcriber: openai in \(file):5 needs transcriber_key, or the transcriber_url of a server that needs no key"
            ),
            // A key is not accepted as a flag, because every user of the machine could read it there.
            (
                ["--transcriber", "openai"], [:],
                "--transcriber openai needs KEEPSAKE_TRANSCRIBER_KEY, or the --transcriber-url of a server that needs no key"
            ),
            ([], ["KEEPSAKE_DATA": ""], "KEEPSAKE_DATA is empty; name a folder"),
        ] as [([String], [String: String], String)] {
            #expect(await complaint(flags, environment) == line)
        }
    }

    @Test("a file that cannot be read is a folder, not UTF-8, or not for this user: the line says which, and what to do")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        #expect(await complaint(["--config", path]) == "--config: \(path) is a folder; name a file of settings in it")
        let file = path + "/settings.yaml"
        #expect(await complaint(["--config", file]) == "--config: \(file): there is no such file")
        var bytes = Data("link_days: 3\n# M".utf8)
        bytes.append(0xE4)
        bytes.append(Data("rz\n".utf8))
        try bytes.write(to: URL(filePath: file))
        #expect(
            await complaint(["--config", file]) == """
                --config: \(file):2: the file is not UTF-8: byte 17 of the file is not part of a character; save it as UTF-8
                """)
        try Data("link_days: 3\n# M\u{E4}rz\n".utf8).write(to: URL(filePath: file))
        #expect(await complaint(["--config", file]) == "accepted")
        let (ada, eve) = (UnixUser(id: 1_000, name: "ada"), UnixUser(id: 1_001, name: "eve"))
        let other = SettingsFile.refusal(of: "/a.yaml", to: ada, owner: eve)
        #expect(other == "the user ada may not read the file, which belongs to eve; run the command as eve (sudo -u eve keepsake …)")
        let root = SettingsFile.refusal(of: "/a.yaml", to: ada, owner: UnixUser(id: 0, name: "root"))
        #expect(root.contains("which belongs to root; run the command as the server's user (sudo -u NAME keepsake …)"), "\(root)")
        #expect(SettingsFile.refusal(of: "/a.yaml", to: ada, owner: ada).hasSuffix("; allow it (chmod u+r /a.yaml)"))
        #expect(SettingsFile.refusal(of: "/a.yaml", to: ada, owner: nil).contains("may not enter a folder above it"))
        withExtendedLifetime(folder) {}
    }

    @Test(
        "white space around the public URL does not belong to it",
        arguments: [" https://a.example", "https://a.example/\n", "\thttps://a.example "])
    func publicURL(_ text: String) async throws {
        let settings = try await Settings.read(Serve.parse([]).options, environment: ["KEEPSAKE_PUBLIC_URL": text])
        #expect(settings.publicURL == "https://a.example")
    }

    @Test("also warnings and results of checks name settings as the operator wrote them")
    func naming() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/settings.yaml"
        try "\nhost: 127.0.0.1\n".write(toFile: file, atomically: true, encoding: .utf8)
        let settings = try await Settings.read(
            Serve.parse(["--config", file, "--blobs", "file:a"]).options, environment: ["KEEPSAKE_ORIGINS": "https://a.example"])
        for (message, named) in [
            ("change the bucket in KEEPSAKE_BLOBS", "change the bucket in --blobs"), ("set KEEPSAKE_CLAMD", "set KEEPSAKE_CLAMD"),
            ("KEEPSAKE_ORIGINS needs KEEPSAKE_CLAMD", "KEEPSAKE_ORIGINS needs KEEPSAKE_CLAMD"),
            ("set KEEPSAKE_HOST=127.0.0.1, or KEEPSAKE_CLAMD.", "set host: 127.0.0.1 in \(file):2, or clamd."),
        ] {
            #expect(settings.naming(message) == named)
        }
        #expect(Settings().naming("set KEEPSAKE_HOST") == "set KEEPSAKE_HOST")
    }

    @Test("a file that is missing, is no YAML, or has a key that nothing reads or without a value is refused, with the line")
    func file() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/settings.yaml"
        #expect(await complaint(["--config", file]) == "--config: \(file): there is no such file")
        #expect(await complaint([], ["KEEPSAKE_CONFIG": file]) == "KEEPSAKE_CONFIG: \(file): there is no such file")
        for (text, end) in [
            ("quota: 5\n", ":1: there is no setting quota; did you mean quota_mb?"),
            ("port: 1\nregistraton: closed\n", ":2: there is no setting registraton; did you mean registration?"),
            ("Public-URL: https://a.example\n", ":1: there is no setting Public-URL; did you mean public_url?"),
            ("KEEPSAKE_PORT: 1\n", ":1: there is no setting KEEPSAKE_PORT; did you mean port?"),
            ("scrub_hour: 1\n", ":1: there is no setting scrub_hour; did you mean scrub_hours?"),
            ("zzzzzzzzzz: 1\n", ":1: there is no setting zzzzzzzzzz"), ("config: other.yaml\n", ":1: there is no setting config"),
            ("origins: [https://a.example, https://b.example]\n", ":1: origins must be one value; separate several by commas"),
            ("just a text\n", ":1: each line must look like quota_mb: 2048"),
            ("port: 81\n\ndata:\n", ":3: data has no value; write one after the colon, or delete the line"),
            ("clamd: ''\n", ":1: clamd has no value; write one after the colon, or delete the line"),
            ("clamd: ~ # none\n", ":1: clamd has no value; write one after the colon, or delete the line"),
            ("port: 1\nport: 2\n", ":1: set more than once: port"),
        ] {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(await complaint(["--config", file]) == "--config: \(file)\(end)")
        }
        try "port: 81\nsmtp_password: [canary\n".write(toFile: file, atomically: true, encoding: .utf8)
        let line = await complaint(["--config", file])
        #expect(line.hasPrefix("--config: \(file):"), "\(line)")
        #expect(line.contains(#/:[23] is no YAML: while parsing .*, did not find expected /#), "\(line)")
        #expect(!line.contains("canary") && !line.contains("\n"), "\(line)")
        for text in ["", "# nothing but a comment\n", "---\n", "port: 81\nallow_anonymous: on\n"] {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(await complaint(["--config", file]) == "accepted", "\(text)")
        }
    }
}
