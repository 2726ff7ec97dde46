/// Transcribes speech. Each engine has its own file; a setting selects one.
package protocol Transcriber: Sendable {
    /// The engine's name in settings and responses.
    var name: String { get }

    /// Whether the speech leaves the installation, which means that it is sent over the network, no matter to which server.
    var isOutside: Bool { get }

    /// The longest segment that one call takes.
    var longestSegment: Duration { get }

    /// Transcribes one segment of a recording.
    /// - Throws: `TranscriberFailure`; `CancellationError`.
    func transcribe(_ speech: Speech) async throws -> SegmentTranscript

    /// Proves that the engine works, without using a real recording.
    /// - Returns: what was proved, as text for the operator.
    func probe() async throws -> String
}

/// Audio of 16,000 samples a second, 16 bits little-endian, one channel.
package struct Speech: Sendable {
    package static let rate = 16_000

    package let samples: [UInt8]
    /// The account that the recording belongs to, which the ledger of calls to outside engines names; `nil` for a probe.
    package let owner: String?

    package init(samples: [UInt8], owner: String? = nil) {
        self.samples = samples
        self.owner = owner
    }

    package var milliseconds: Int64 { Int64(samples.count / 2 * 1_000 / Self.rate) }
}

/// The transcript of one segment. Times are relative to its beginning.
package struct SegmentTranscript: Sendable, Equatable {
    package struct Word: Sendable, Equatable {
        package var text: String
        /// Seconds.
        package var start: Double
        /// Seconds.
        package var end: Double
        /// 0…1; `nil` when the engine does not report it.
        package var confidence: Double?

        package init(text: String, start: Double, end: Double, confidence: Double?) {
            self.text = text
            self.start = start
            self.end = end
            self.confidence = confidence
        }
    }

    /// If the engine writes no punctuation, each stretch between two pauses is a line.
    package var text: String
    /// The engine's name for the language; `nil` when it reports none.
    package var language: String?
    /// Empty when the engine reports no single words.
    package var words: [Word]

    package init(text: String, language: String?, words: [Word]) {
        self.text = text
        self.language = language
        self.words = words
    }
}

/// Why a segment was not transcribed. The text is stored with the job and shown to the operator: it contains neither the key nor any of the
/// speech.
package enum TranscriberFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// A retry would fail in the same way.
    case refused(String)
    /// A retry may succeed, but not before `after`, if the engine sent that.
    case unavailable(String, after: Duration?)

    package var description: String {
        switch self {
        case .refused(let reason), .unavailable(let reason, _): reason
        }
    }
}
