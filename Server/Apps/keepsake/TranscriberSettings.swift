import Core
import Foundation
import Intelligence
import MediaTools
import Outbound

/// The settings of the engine that transcribes recordings.
struct TranscriberSettings: Sendable {
    enum Named: String, CaseIterable { case openai, pocketsphinx, off }

    enum Engine: Sendable {
        case openai(base: String, key: Secret<String>?, model: String)
        case pocketsphinx
    }

    var engine: Engine
    /// The time limit for one segment, which is half a minute of speech, or four minutes for `openai`.
    var timeout: Duration
    /// The program of `pocketsphinx`, found in the `PATH`. Not configurable.
    var program = PocketSphinxTranscriber.usualProgram

    /// - Parameter timeout: the time limit for one segment, in seconds.
    init(_ engine: Engine, timeout: Int? = nil) {
        self.engine = engine
        self.timeout = .seconds(timeout ?? 120)
    }

    /// - Parameter client: makes the client of an engine outside the installation.
    func make(_ media: MediaWorkerOptions, _ client: (ProviderClient.Address) -> ProviderClient) -> any Transcriber {
        switch engine {
        case .openai(let base, let key, let model):
            OpenAITranscriber(
                client(OpenAITranscriber.address(base: base, key: key, model: model, timeout: timeout)))
        case .pocketsphinx: PocketSphinxTranscriber(program: program, tool: SandboxedTool(media), timeout: timeout)
        }
    }
}

extension Settings.Source {
    func transcriber(_ options: Options) throws -> TranscriberSettings? {
        let engine: TranscriberSettings.Named = try choice(options.transcriber, "transcriber") ?? .off
        let seconds = try number(options.transcriberTimeout, "transcriber_timeout", 1...3_600)
        let url = text(options.transcriberURL, "transcriber_url")
        let key = text(options.transcriberKey, "transcriber_key")
        let model = text(options.transcriberModel, "transcriber_model")
        if let url { try checkEngineURL(url, "transcriber_url") }
        if let model, model.isEmpty || !model.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            throw Settings.Wrong(description: "\(name("transcriber_model")) must be a name without spaces: \(model)")
        }
        if let key { try checkEngineKey(key, "transcriber_key") }
        switch engine {
        case .off: return nil
        case .pocketsphinx: return TranscriberSettings(.pocketsphinx, timeout: seconds)
        case .openai:
            if url == nil, key == nil {
                throw Settings.Wrong(
                    description:
                        "KEEPSAKE_TRANSCRIBER=openai needs KEEPSAKE_TRANSCRIBER_KEY, or the KEEPSAKE_TRANSCRIBER_URL of a server that needs no key"
                )
            }
            return TranscriberSettings(
                .openai(base: url ?? "https://api.openai.com", key: key.map { Secret($0) }, model: model ?? "whisper-1"),
                timeout: seconds)
        }
    }
}
