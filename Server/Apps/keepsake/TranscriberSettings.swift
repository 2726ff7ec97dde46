import Core
import Intelligence
import MediaTools
import Outbound

/// The engine that transcribes recordings.
struct TranscriberSettings: Sendable {
    enum Named: String, CaseIterable { case openai, pocketsphinx, off }

    enum Engine: Sendable {
        case openai(base: String, key: Secret<String>?, model: String)
        case pocketsphinx
    }

    var engine: Engine
    /// Timeout for one segment: half a minute of speech, or four minutes for `openai`.
    var timeout: Duration
    /// Not configurable: found in the `PATH`.
    var program = PocketSphinxTranscriber.usualProgram

    /// - Parameter timeout: seconds.
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
        case .pocketsphinx: PocketSphinxTranscriber(program: program, tool: SealedTool(media), timeout: timeout)
        }
    }
}
