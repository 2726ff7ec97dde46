/// Analyses captures. Each engine has its own file; a setting selects one.
package protocol Analyzer: Sendable {
    /// The engine's name in settings and responses: `local`, `gemini` or `openai`.
    var name: String { get }

    /// Whether the capture's content leaves the installation. Every engine that is called over the network counts as outside, because the
    /// server cannot know who runs it.
    var isOutside: Bool { get }

    /// How many captures it analyses at a time, while others wait; `nil` when it has no such limit.
    var concurrency: Int? { get }

    /// - Throws: `EngineFailure`; `CancellationError`. The content of a capture is never the reason: the local engine leaves out what it
    ///   cannot read.
    func analyse(_ input: CaptureInput) async throws -> CaptureAnalysis

    /// Proves that the engine works, without using a real capture.
    /// - Returns: what was proved, as text for the operator.
    func probe() async throws -> String
}

extension Analyzer {
    package var concurrency: Int? { nil }
}

/// Why an engine gave no answer. The text is stored with the job and shown to the operator and, as `analysis.error`, to the capture's
/// owner: it contains neither the key, nor an address, nor any of the capture.
package enum EngineFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// A retry would fail in the same way until the operator changes something.
    case refused(String)
    /// A retry may succeed, but not before `after`, if that is known.
    case unavailable(String, after: Duration?)

    package var description: String {
        switch self {
        case .refused(let reason), .unavailable(let reason, _): reason
        }
    }
}
