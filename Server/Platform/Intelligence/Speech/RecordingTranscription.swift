internal import Core
internal import MediaFrames
package import MediaTools

/// Transcribes whole recordings: decodes five minutes at a time, cuts the sound into segments where it is silent, and transcribes each
/// segment.
package struct RecordingTranscription: Sendable {
    private let workers: MediaWorkers

    /// How much of a recording is decoded at a time: 10 MB of samples.
    private static let decodedLength: Duration = .seconds(300)

    package init(workers: MediaWorkers) { self.workers = workers }

    /// - Parameters:
    ///   - descriptor: the recording; it still belongs to the caller.
    ///   - owner: the account that the recording belongs to. The worker queue is fair among accounts.
    ///   - start: milliseconds that are transcribed already.
    ///   - keep: receives each segment's transcript, with its beginning and end in milliseconds. A silent segment has an empty text.
    /// - Throws: `TranscriberFailure`, `MediaFailure`, the errors of `keep`, `CancellationError`.
    package func transcribe(
        _ descriptor: CInt, of owner: String, from start: Int64 = 0, by transcriber: any Transcriber,
        keep: (_ segment: SegmentTranscript, _ start: Int64, _ end: Int64) async throws -> Void
    ) async throws {
        var at = start
        let segmenter = SpeechSegmenter(longest: transcriber.longestSegment)
        while true {
            let samples = try await Requester(account: owner, network: nil).run { [at] in
                try await workers.speech(descriptor, from: .milliseconds(at), lasting: Self.decodedLength)
            }
            // If there are fewer samples than requested, the recording has ended.
            let isEnd = Speech(samples: samples, owner: owner).milliseconds < Self.decodedLength.wholeMicroseconds / 1_000
            for piece in segmenter.cut(samples, isEnd: isEnd) {
                try Task.checkCancellation()
                let speech = Speech(samples: Array(samples[piece.bytes]), owner: owner)
                guard speech.milliseconds > 0 else { continue }
                let segment =
                    piece.isSilent ? SegmentTranscript(text: "", language: nil, words: []) : try await transcriber.transcribe(speech)
                try await keep(segment, at, at + speech.milliseconds)
                at += speech.milliseconds
            }
            if isEnd { return }
        }
    }

    /// Joins the texts of segments. Where an engine wrote no punctuation, a pause becomes a line break.
    package static func joined(_ texts: some Sequence<String>) -> String {
        var text = ""
        for piece in texts where !piece.isEmpty {
            if let last = text.last { text += ".!?…。！？,;:".contains(last) ? " " : "\n" }
            text += piece
        }
        return text
    }
}
