import ArgumentParser
import Core
import Foundation
import Intelligence
import MediaTools
import Outbound
import Testing

@testable import keepsake

@Suite("Settings")
struct SettingsTests {
    private func read(_ flags: [String] = [], _ environment: [String: String] = [:]) async throws -> Settings {
        try await Settings.read(Options.parse(flags), environment: environment)
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
        let summer = Date(timeIntervalSince1970: 1_780_315_200)
        for (name, hours) in [("Europe/Berlin", 2.0), ("America/New_York", -4), ("Asia/Kolkata", 5.5), ("Etc/UTC", 0)] {
            let zone = try await read([], ["KEEPSAKE_TIME_ZONE": name]).timeZone
            #expect(zone.identifier == name && Double(zone.secondsFromGMT(for: summer)) == hours * 3_600)
        }
        for wrong in ["Europe/Nowhere", "EST", "GMT+2", "+02:00", "europe/berlin", "Europe", "", "../etc/passwd", "Europe/Berlin "] {
            await #expect(throws: Settings.Wrong.self, "\(wrong)") { try await read(["--time-zone", wrong]) }
        }
    }

    @Test("in production, a transcriber on another machine needs https")
    func transcriberPolicy() async throws {
        let elsewhere = ["--transcriber", "openai", "--transcriber-url", "http://10.0.0.7:9000", "--public-url", "https://a.example"]
        #expect(try await read(elsewhere).transcriber != nil)
        await #expect(throws: Settings.Wrong.self) { try await read(elsewhere + ["--env", "production"]) }
    }

    @Test("transcription is off unless an engine is named, and its key is redacted")
    func transcriber() async throws {
        let key = "sk-geheim"
        #expect(try await read([], ["KEEPSAKE_TRANSCRIBER_KEY": key]).transcriber == nil)
        #expect(try await read(["--transcriber", "off"], ["KEEPSAKE_TRANSCRIBER": "pocketsphinx"]).transcriber == nil)
        let sphinx = try await read([], ["KEEPSAKE_TRANSCRIBER": "pocketsphinx", "KEEPSAKE_TRANSCRIBER_TIMEOUT": "7"]).transcriber
        #expect(sphinx?.timeout == .seconds(7) && sphinx?.make(.besideThisProgram, OutboundHTTP(.production)).name == "pocketsphinx")
        let openai = try #require(
            try await read(["--transcriber-model", "m-1"], ["KEEPSAKE_TRANSCRIBER": "openai", "KEEPSAKE_TRANSCRIBER_KEY": key]).transcriber)
        guard case .openai(let base, let secret, let model) = openai.engine else {
            Issue.record("another engine")
            return
        }
        #expect(base == "https://api.openai.com" && secret?.exposed == key && model == "m-1" && openai.timeout == .seconds(120))
        #expect(!"\(openai)".contains(key))
        // A local transcription server needs no key.
        #expect(
            try await read(["--transcriber", "openai", "--transcriber-url", "http://127.0.0.1:9000/v1"]).transcriber?
                .make(.besideThisProgram, OutboundHTTP(.production)).name == "openai")
        for wrong in [
            ["--transcriber", "whisper"], ["--transcriber", "openai"], ["--transcriber", "openai", "--transcriber-url", "ftp://x"],
            ["--transcriber", "openai", "--transcriber-key", "a b"], ["--transcriber", "pocketsphinx", "--transcriber-timeout", "0"],
            ["--transcriber", "openai", "--transcriber-key", "k", "--transcriber-model", ""],
        ] {
            do {
                _ = try await read(wrong)
                Issue.record("\(wrong) was taken")
            } catch let error as Settings.Wrong {
                #expect(!error.description.contains("a b"))
            }
        }
    }
}
