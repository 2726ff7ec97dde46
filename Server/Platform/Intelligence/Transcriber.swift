/// Transcribes speech. One file an engine; the settings name the one to use.
package protocol Transcriber: Sendable {
    /// As answers and settings name it.
    var name: String { get }

    /// The longest segment that one call takes.
    var longestSegment: Duration { get }

    /// Transcribes one segment of a recording.
    /// - Throws: `TranscriberFailure`; `CancellationError`.
    func transcribe(_ speech: Speech) async throws -> SegmentTranscript

    /// Proves that it works, without anybody's recording.
    /// - Returns: what was proved, in words.
    func probe() async throws -> String
}

/// 16,000 samples a second of 16 bits, little-endian, one channel.
package struct Speech: Sendable {
    package static let rate = 16_000

    package let samples: [UInt8]

    package init(samples: [UInt8]) { self.samples = samples }

    package var milliseconds: Int64 { Int64(samples.count / 2 * 1_000 / Self.rate) }
}

/// The transcript of one segment. Times count from its beginning.
package struct SegmentTranscript: Sendable, Equatable {
    package struct Word: Sendable, Equatable {
        package var text: String
        /// Seconds.
        package var start: Double
        /// Seconds.
        package var end: Double
        /// 0…1; `nil` where the engine does not say.
        package var confidence: Double?

        package init(text: String, start: Double, end: Double, confidence: Double?) {
            self.text = text
            self.start = start
            self.end = end
            self.confidence = confidence
        }
    }

    /// Where the engine writes no full stops, a line for each stretch between two pauses.
    package var text: String
    /// As the engine names it; `nil` when it does not.
    package var language: String?
    /// Empty where the engine does not tell them apart.
    package var words: [Word]

    package init(text: String, language: String?, words: [Word]) {
        self.text = text
        self.language = language
        self.words = words
    }
}

/// Why a segment was not transcribed. The text is kept beside the job and shown to whoever runs the server: it holds no key and nothing that
/// was said.
package enum TranscriberFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// So it will be the next time.
    case refused(String)
    /// It may go better later, and not before `after` when the engine says so.
    case unavailable(String, after: Duration?)

    package var description: String {
        switch self {
        case .refused(let reason), .unavailable(let reason, _): reason
        }
    }
}
