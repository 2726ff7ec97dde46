import Foundation
import KeepsakeKit
import KeepsakeWire
import TestKit
import Testing

@testable import keepsake

@Suite("Parts of client commands")
struct ClientPartsTests {
    @Test(
        "an address has one spelling",
        arguments: [
            ("https://Keepsake.Example.ORG/", "https://keepsake.example.org"), ("http://a:80", "http://a"),
            ("https://a:443/x/", "https://a/x"),
            ("HTTP://a:8080//", "http://a:8080"),
        ])
    func address(_ text: String, _ expected: String) throws { #expect(try ServerAddress(text).text == expected) }

    @Test("different addresses have different files, whose names are names of files")
    func files() throws {
        let names = try ["http://a", "https://a", "http://a:8080", "http://a/8080", "http://a/b/c", "http://a/b%2Fc", "http://[::1]:80"].map
        {
            try ServerAddress($0).fileName
        }
        #expect(Set(names).count == names.count)
        for name in names { #expect(!name.contains("/") && name.hasSuffix(".json") && !name.hasPrefix(".")) }
    }

    @Test("a connection that others can read is one without TLS to another computer")
    func encryption() throws {
        for (text, expected) in [
            ("http://127.0.0.1:8080", false), ("http://localhost", false), ("http://[::1]:8080", false), ("https://example.org", false),
            ("http://example.org", true), ("http://192.168.1.5", true), ("http://localhost.example.org", true),
        ] {
            #expect(try ServerAddress(text).isReadableOnTheWay == expected, "\(text)")
        }
    }

    @Test("a date without an offset is in the person's time zone, also on both sides of a change of the clocks")
    func dates() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        for (text, expected) in [
            ("2026-12-31", "2026-12-30T23:00:00Z"), ("2026-07-01 20:00", "2026-07-01T18:00:00Z"),
            ("2026-07-01T20:00:30", "2026-07-01T18:00:30Z"),
            ("2026-12-31T20:00Z", "2026-12-31T20:00:00Z"), ("2026-12-31T20:00+02:00", "2026-12-31T18:00:00Z"),
            ("2026-03-29T01:59", "2026-03-29T00:59:00Z"), ("2026-03-29T03:00", "2026-03-29T01:00:00Z"),
            ("2026-10-25T01:59", "2026-10-24T23:59:00Z"), ("2026-10-25T03:00", "2026-10-25T02:00:00Z"),
        ] {
            #expect(try LocalDate.parse(text, zone: zone) == (try Date(expected, strategy: .iso8601)), "\(text)")
        }
        for wrong in ["", "tomorrow", "2026-13-01", "2026-12-31T25:00", "31.12.2026"] {
            #expect(throws: ClientFailure.self) { try LocalDate.parse(wrong, zone: zone) }
        }
    }

    @Test("a failure tells people in its line, and programs in JSON, how long to wait and which request failed")
    func failure() throws {
        let error = KeepsakeError(
            .init(rawValue: "too_many_requests"), "Too many requests.", status: 429, requestID: "r1", retryAfter: .seconds(30))
        let failure = ClientFailure(error)
        #expect(failure.kind == .unavailable && failure.line == "Too many requests. Try again in 30 s. (request r1)")
        #expect(
            try ClientOutput.json(ClientFailure.Report(failure), .capsules)
                == #"{"code":"too_many_requests","exit_code":69,"field":null,"message":"Too many requests.","request_id":"r1","#
                + #""retry_after":30,"status":429}"#)
        #expect(
            try ClientOutput.json(ClientFailure.Report(ClientFailure(.usage, "a\nb")), .capsules)
                == #"{"code":"usage","exit_code":64,"field":null,"message":"a\nb","request_id":null,"retry_after":null,"status":null}"#)
    }

    @Test("a server that cannot be reached is named, with what to do")
    func unreachable() async throws {
        // Nothing listens on port 1.
        let folder = try TemporaryFolder()
        let client = ClientFolder(environment: ["XDG_CONFIG_HOME": folder.path])
        let server = try client.server(at: ServerAddress("http://127.0.0.1:1"))
        let error = try #require(
            await #expect(throws: KeepsakeError.self) { try await server.auth.signIn(email: "ada@example.org", password: "x") })
        let line = ClientFailure(error).line
        #expect(
            line
                == "The server at http://127.0.0.1:1 could not be reached: the connection was refused. Check that it runs, or sign in to "
                + "another server with: keepsake login URL")
        #expect(ClientFailure(error).kind == .unavailable)
    }

    @Test("an error of a certificate says what to do")
    func certificates() {
        func line(_ reason: String) -> String {
            ClientFailure(KeepsakeError(.network, "The server at https://a could not be reached: \(reason).")).line
        }
        let untrusted = line("its certificate has expired, or no authority that this computer trusts has signed it")
        #expect(untrusted.contains(" signed it. If it is your server, name a file with the certificate of its authority in PEM, "))
        #expect(untrusted.contains(" in the variable SSL_CERT_FILE. ") && !untrusted.contains("Check that it runs"))
        let other = line("its certificate is for another name")
        #expect(other.hasSuffix(" for another name. Sign in with a name that the certificate has: keepsake login URL"))
        #expect(line("it does not use TLS at this port").contains(" this port. If it has no certificate, sign in with http:// "))
    }

    @Test("the files are below $HOME; XDG_CONFIG_HOME comes first")
    func home() throws {
        let folder = try TemporaryFolder()
        let config = folder.path + "/.config/keepsake"
        try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
        try Data("https://a.example\n".utf8).write(to: URL(filePath: config + "/server"))
        let environment = ["HOME": folder.path]
        #expect(try ClientFolder(environment: environment).current()?.text == "https://a.example")
        let elsewhere = environment.merging(["XDG_CONFIG_HOME": folder.path + "/config"]) { $1 }
        #expect(try ClientFolder(environment: elsewhere).current() == nil)
        withExtendedLifetime(folder) {}
    }

    @Test("the progress tells bytes, rate and time left")
    func progress() {
        #expect(UploadProgress.text(done: 0, total: 2 << 20, seconds: 0) == "0 %, 0 bytes of 2.0 MB")
        #expect(
            UploadProgress.text(done: 12 << 20, total: 29 << 20, seconds: 3) == "41 %, 12.0 MB of 29.0 MB, 4.0 MB/s, 0:05 left")
        #expect(UploadProgress.text(done: 1_024, total: 36_864_000, seconds: 1) == "0 %, 1.0 KB of 35.2 MB, 1.0 KB/s, 9:59:59 left")
        #expect(UploadProgress.text(done: 500, total: 500, seconds: 75) == "100 %, 500 bytes of 500 bytes, 6 bytes/s, 1:15 in all")
        #expect(UploadProgress.bar(0.5) == String(repeating: "█", count: 12) + String(repeating: "░", count: 12))
        #expect(UploadProgress.bar(-1) == String(repeating: "░", count: 24) && UploadProgress.bar(2) == String(repeating: "█", count: 24))
    }

    @Test(
        "sizes are in powers of 1,024, as limits and settings are",
        arguments: [
            (1, "1 byte"), (1_023, "1023 bytes"), (1_024, "1.0 KB"), (1_048_500, "1023.9 KB"), (1_048_570, "1.0 MB"),
            (52_428_800, "50.0 MB"),
            (5_368_709_120_000, "5000.0 GB"),
        ])
    func sizes(_ count: Int64, _ expected: String) { #expect(ClientOutput.size(count) == expected) }

    @Test("what a terminal would obey is not printed, and positions stay the same")
    func lines() {
        let text = "a\u{1B}[2J\u{9B}1m\nb\r\nc\u{2028}d\u{7}é"
        let line = ClientOutput.line(text)
        #expect(line.unicodeScalars.count == text.unicodeScalars.count)
        #expect(line == "a [2J 1m b  c d é")
    }

    @Test("the duration of a WAV file comes from its header; other files have none")
    func wave() {
        let fixtures = Repository.folder + "/Server/Tests/Fixtures/"
        let seconds = WaveFile.seconds(URL(filePath: fixtures + "plain.wav"))
        #expect(seconds.map { 0.1...60 ~= $0 } == true)
        for file in ["voice.m4a", "photo.jpg", "nowhere.wav"] { #expect(WaveFile.seconds(URL(filePath: fixtures + file)) == nil) }
    }
}
