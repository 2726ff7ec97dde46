import ArgumentParser
import Core
import Foundation
import Intelligence
import MediaTools
import Outbound
import Testing

@testable import keepsake

@Suite("Settings of engines outside the server")
struct EngineSettingsTests {
    private func read(_ flags: [String] = [], _ environment: [String: String] = [:]) async throws -> Settings {
        try await Settings.read(Serve.parse(flags).options, environment: environment)
    }

    @Test("in production, a transcriber on another machine needs https")
    func transcriberPolicy() async throws {
        let elsewhere = ["--transcriber", "openai", "--transcriber-url", "http://10.0.0.7:9000", "--public-url", "https://a.example"]
        #expect(try await read(elsewhere).transcriber != nil)
        await #expect(throws: Settings.Wrong.self) { try await read(elsewhere + ["--env", "production"]) }
    }

    @Test("captures are analysed locally unless an engine is named, and its key is redacted")
    func analyzer() async throws {
        let key = "sk-geheim"
        #expect(try await read([], ["KEEPSAKE_ANALYZER_KEY": key]).analyzer.model == nil)
        #expect(try await read(["--analyzer", "local"], ["KEEPSAKE_ANALYZER": "gemini"]).analyzer.model == nil)
        let gemini = try await read([], ["KEEPSAKE_ANALYZER": "gemini", "KEEPSAKE_ANALYZER_KEY": key, "KEEPSAKE_ANALYZER_TIMEOUT": "9"])
        let model = try #require(gemini.analyzer.model)
        #expect(model.base == "https://generativelanguage.googleapis.com" && model.key?.exposed == key && model.engine == .gemini)
        #expect(gemini.analyzer.timeout == .seconds(9) && !"\(gemini.analyzer)".contains(key))
        let own = try await read(["--analyzer", "openai", "--analyzer-url", "http://127.0.0.1:9000/v1", "--analyzer-model", "m-1"])
        #expect(own.analyzer.model?.key == nil && own.analyzer.model?.model == "m-1")
        for wrong in [
            ["--analyzer", "magic"], ["--analyzer", "gemini"], ["--analyzer", "openai", "--analyzer-url", "ftp://x"],
            ["--analyzer", "gemini", "--analyzer-key", "a b"], ["--analyzer", "gemini", "--analyzer-key", "k", "--analyzer-model", "../x"],
            ["--analyzer", "gemini", "--analyzer-key", "k", "--analyzer-timeout", "0"],
        ] { await #expect(throws: Settings.Wrong.self, "\(wrong)") { _ = try await read(wrong) } }
    }

    @Test("chats are answered locally unless providers are named, each with its own address, key and models; keys are redacted")
    func chat() async throws {
        let key = "sk-geheim"
        #expect(try await read([], ["KEEPSAKE_CHAT_MODEL_KEY": key]).chat.providers.isEmpty)
        #expect(try await read(["--chat-model", "local"], ["KEEPSAKE_CHAT_MODEL": "gemini"]).chat.providers.isEmpty)
        let one = try await read([], ["KEEPSAKE_CHAT_MODEL": "gemini", "KEEPSAKE_CHAT_MODEL_KEY": key]).chat
        #expect(one.providers.first?.base == "https://generativelanguage.googleapis.com" && one.providers.first?.key?.exposed == key)
        #expect(one.providers.map(\.models) == [["gemini-2.5-flash-lite"]] && !"\(one)".contains(key))
        let two = try await read(
            ["--chat-model", "openai, librechat", "--chat-model-url", "http://127.0.0.1:9000/v1,http://127.0.0.1:9001"]
                + ["--chat-model-key", ",\(key)", "--chat-model-model", "a b,c"]
        ).chat.providers
        #expect(two.map(\.engine) == [.openai, .librechat] && two.map(\.models) == [["a", "b"], ["c"]])
        #expect(two.first?.key == nil && two.last?.key?.exposed == key && two.last?.base == "http://127.0.0.1:9001")
        for wrong in [
            ["--chat-model", "magic"], ["--chat-model", "gemini"], ["--chat-model", "gemini,gemini", "--chat-model-key", "k,k"],
            ["--chat-model", "openai", "--chat-model-url", "ftp://x"], ["--chat-model", "openai", "--chat-model-key", "a,b"],
            ["--chat-model", "librechat", "--chat-model-url", "http://127.0.0.1:1"],
            ["--chat-model", "openai", "--chat-model-key", "k", "--chat-model-model", "../x"],
        ] { await #expect(throws: Settings.Wrong.self, "\(wrong)") { _ = try await read(wrong) } }
    }

    @Test("transcription is off unless an engine is named, and its key is redacted")
    func transcriber() async throws {
        let key = "sk-geheim"
        let client: (ProviderClient.Address) -> ProviderClient = {
            ProviderClient($0, outbound: OutboundHTTP(.production), ledger: nil, clock: .system) { _ in true }
        }
        #expect(try await read([], ["KEEPSAKE_TRANSCRIBER_KEY": key]).transcriber == nil)
        #expect(try await read(["--transcriber", "off"], ["KEEPSAKE_TRANSCRIBER": "pocketsphinx"]).transcriber == nil)
        let sphinx = try await read([], ["KEEPSAKE_TRANSCRIBER": "pocketsphinx", "KEEPSAKE_TRANSCRIBER_TIMEOUT": "7"]).transcriber
        #expect(sphinx?.timeout == .seconds(7) && sphinx?.make(.besideThisProgram, client).name == "pocketsphinx")
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
                .make(.besideThisProgram, client).name == "openai")
        for wrong in [
            ["--transcriber", "whisper"], ["--transcriber", "openai"], ["--transcriber", "openai", "--transcriber-url", "ftp://x"],
            ["--transcriber", "openai", "--transcriber-url", "https://a.example/#b"],
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
