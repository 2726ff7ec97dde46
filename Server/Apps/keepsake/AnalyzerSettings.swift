import Core
import FeatureKit
import Foundation
import Intelligence
import MediaTools
import Outbound

/// The settings of the engine that analyses captures and answers questions.
struct AnalyzerSettings: Sendable {
    enum Named: String, CaseIterable { case local, gemini, openai }

    /// A model that is called over the network.
    struct Model: Sendable {
        var engine: Named
        var base: String
        var key: Secret<String>?
        var model: String
    }

    /// The model; `nil` when the local engine works alone.
    var model: Model?
    /// The time limit of one call.
    var timeout: Duration = .seconds(60)
    /// The OCR program, found in the `PATH`. Not configurable.
    var tesseract = PictureTextReader.usualProgram
    /// The time limit for one picture. Not configurable.
    var tesseractTimeout: Duration = .seconds(30)
}

extension Settings.Source {
    func analyzer(_ options: Options) throws -> AnalyzerSettings {
        let engine: AnalyzerSettings.Named = try choice(options.analyzer, "analyzer") ?? .local
        var settings = AnalyzerSettings()
        if let seconds = try number(options.analyzerTimeout, "analyzer_timeout", 1...600) { settings.timeout = .seconds(seconds) }
        let url = text(options.analyzerURL, "analyzer_url")
        let key = text(options.analyzerKey, "analyzer_key")
        let model = text(options.analyzerModel, "analyzer_model")
        if let url { try checkEngineURL(url, "analyzer_url") }
        // The model's name becomes a part of a URL's path.
        if let model, model.isEmpty || !model.utf8.allSatisfy({ Self.isOfName($0) }) || model.contains("..") {
            throw Settings.Wrong(description: "\(name("analyzer_model")) must be letters, digits and -._:/@ without spaces: \(model)")
        }
        if let key { try checkEngineKey(key, "analyzer_key") }
        guard engine != .local else { return settings }
        if url == nil, key == nil {
            throw Settings.Wrong(
                description: """
                    KEEPSAKE_ANALYZER=\(engine.rawValue) needs KEEPSAKE_ANALYZER_KEY, or the KEEPSAKE_ANALYZER_URL of a server that needs no \
                    key
                    """)
        }
        settings.model = AnalyzerSettings.Model(
            engine: engine,
            base: url ?? (engine == .gemini ? "https://generativelanguage.googleapis.com" : "https://api.openai.com"),
            key: key.map { Secret($0) }, model: model ?? (engine == .gemini ? "gemini-2.0-flash" : "gpt-4o-mini"))
        return settings
    }
}

extension Settings {
    /// The language model outside the installation; `nil` when the local engine works alone.
    func languageModel(_ client: (ProviderClient.Address) -> ProviderClient) -> (any LanguageModel)? {
        guard let model = analyzer.model else { return nil }
        switch model.engine {
        case .gemini:
            return GeminiModel(
                client(GeminiModel.address(base: model.base, key: model.key, model: model.model, timeout: analyzer.timeout)))
        case .openai:
            return OpenAIModel(
                client(OpenAIAddress.make(base: model.base, key: model.key, model: model.model, timeout: analyzer.timeout)))
        case .local: return nil
        }
    }

    /// - Parameter allowsOutside: whether the account's owner allows engines outside the installation. It is called before each request to
    ///   such an engine.
    func engines(_ platform: FeaturePlatform, allowsOutside: @escaping ProviderClient.Permission) -> Engines {
        let client = { platform.provider($0, permits: allowsOutside) }
        let model = languageModel(client)
        let sphinx = PocketSphinxTranscriber(tool: SandboxedTool(mediaWorker), timeout: .seconds(120))
        let hasSphinx = FileManager.default.isExecutableFile(atPath: PocketSphinxTranscriber.usualProgram)
        return Engines(
            local: LocalAnalyzer(workers: platform.workers),
            outside: model.map { ModelAnalyzer($0, workers: platform.workers) }, model: model,
            pictureText: PictureTextReader(
                workers: platform.workers, tool: SandboxedTool(mediaWorker), program: analyzer.tesseract,
                timeout: analyzer.tesseractTimeout),
            transcriber: transcriber?.make(mediaWorker, client), localTranscriber: hasSphinx ? sphinx : nil)
    }
}

extension FeaturePlatform {
    fileprivate func provider(_ address: ProviderClient.Address, permits: @escaping ProviderClient.Permission) -> ProviderClient {
        ProviderClient(address, outbound: outbound, ledger: calls, clock: identifiers.clock, rates: rates, permits: permits)
    }

    /// Makes the client for chat models. Its calls last as long as an answer is written. `AnswerWriter` limits how many there are at a
    /// time.
    func chatProvider(_ address: ProviderClient.Address, permits: @escaping ProviderClient.Permission) -> ProviderClient {
        ProviderClient(
            address, outbound: outbound, ledger: calls, clock: identifiers.clock, slots: ProviderClient.chatSlots, rates: rates,
            permits: permits)
    }
}
