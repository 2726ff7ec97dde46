/// Hears what is said. One file an engine; which one, the settings name.
package protocol Transcriber: Sendable {
    /// As answers and settings name it.
    var name: String { get }

    /// The longest piece it is given at once.
    var longestPiece: Duration { get }

    /// What is said in one piece of a recording.
    /// - Throws: `TranscriberFailure`; `CancellationError`.
    func hear(_ speech: Speech) async throws -> Hearing

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

/// What was heard in one piece. Times count from its beginning.
package struct Hearing: Sendable, Equatable {
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

/// Why a piece was not heard. The text is kept beside the job and shown to whoever runs the server: it holds no key and nothing that
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
