/// The installation's engines, and which of them may work for a user. Created once in `Apps/keepsake/Features.swift` and passed to the
/// features that use engines.
///
///     let outside = try await accounts.allowsOutsideEngines(owner)
///     let analysis = try await engines.analyzer(outside: outside).analyse(input)
package struct Engines: Sendable {
    /// Needs no network. It also replaces an outside engine that fails.
    package let local: any Analyzer
    /// The configured engine that is called over the network; `nil` when `KEEPSAKE_ANALYZER` is `local`.
    package let outside: (any Analyzer)?
    /// The same engine's model, for other tasks than analysing captures; `nil` when `outside` is.
    private let model: (any LanguageModel)?
    /// Reads what is written in pictures. Needs no network, whatever the engine.
    package let pictureText: PictureTextReader
    /// `nil` when transcription is off.
    private let usualTranscriber: (any Transcriber)?
    /// Transcribes for users who refuse outside engines; `nil` when this machine has none.
    private let localTranscriber: (any Transcriber)?

    package init(
        local: any Analyzer, outside: (any Analyzer)?, model: (any LanguageModel)? = nil, pictureText: PictureTextReader,
        transcriber: (any Transcriber)?,
        localTranscriber: (any Transcriber)?
    ) {
        self.local = local
        self.outside = outside
        self.model = model
        self.pictureText = pictureText
        usualTranscriber = transcriber
        self.localTranscriber = localTranscriber
    }

    /// - Parameter allowed: whether the capture's owner allows outside engines.
    package func analyzer(outside allowed: Bool) -> any Analyzer { allowed ? outside ?? local : local }

    /// - Parameter allowed: whether the asking user allows outside engines.
    /// - Returns: `nil` when the local engine must answer.
    package func languageModel(outside allowed: Bool) -> (any LanguageModel)? { allowed ? model : nil }

    /// - Parameter allowed: whether the recording's owner allows outside engines.
    /// - Returns: `nil` when transcription is off, or when only an outside engine could transcribe and the owner refuses those.
    package func transcriber(outside allowed: Bool) -> (any Transcriber)? {
        guard let usualTranscriber else { return nil }
        return usualTranscriber.isOutside && !allowed ? localTranscriber : usualTranscriber
    }

    /// The local analysis that is used after the outside engine has failed permanently.
    /// - Parameter error: the outside engine's last error, stored as `analysis.error`.
    package func fallback(_ input: CaptureInput, error: String) async throws -> CaptureAnalysis {
        var analysis = try await local.analyse(input)
        analysis.error = error
        return analysis
    }
}
