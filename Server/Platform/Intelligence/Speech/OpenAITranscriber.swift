package import Core
internal import Foundation
internal import NIOCore
internal import NIOFoundationCompat
package import Outbound

/// Uses any server with OpenAI's `POST /v1/audio/transcriptions`: OpenAI's own, or a self-hosted whisper.cpp or faster-whisper.
package struct OpenAITranscriber: Transcriber {
    private let client: ProviderClient

    /// - Parameter client: calls an address that `OpenAITranscriber.address` returned.
    package init(_ client: ProviderClient) { self.client = client }

    /// - Parameters:
    ///   - base: for example `https://api.openai.com`, with or without `/v1`.
    ///   - timeout: for one segment, from connecting to the last byte of the response.
    package static func address(base: String, key: Secret<String>?, model: String, timeout: Duration) -> ProviderClient.Address {
        OpenAIAddress.make(base: base, key: key, model: model, timeout: timeout)
    }

    package let name = "openai"
    package let isOutside = true
    /// This is about 8 MB of audio; OpenAI accepts 25 MB.
    package var longestSegment: Duration { .seconds(240) }

    package func transcribe(_ speech: Speech) async throws -> SegmentTranscript {
        let form = Form(speech: speech, model: client.address.model)
        let body: ByteBuffer
        do {
            body = try await client.post(
                .init(
                    path: "/v1/audio/transcriptions", contentType: form.contentType,
                    body: ProviderClient.Body(hasFiles: true) { form.body },
                    purpose: speech.owner == nil ? "probe" : "transcribe", owner: speech.owner, maxByteCount: Self.answerByteCount))
        } catch let failure as ProviderFailure {
            throw failure.isPermanent
                ? TranscriberFailure.refused(failure.description)
                : TranscriberFailure.unavailable(failure.description, after: failure.after)
        }
        return try Self.segment(body, of: speech)
    }

    package func probe() async throws -> String {
        _ = try await transcribe(Speech(samples: [UInt8](repeating: 0, count: 2 * Speech.rate)))
        return "\(client.address.model) transcribed one second of silence"
    }

    private static let answerByteCount = 16 << 20

    // MARK: The transcript

    /// OpenAI's `verbose_json` format. Some servers also send each word's probability.
    private struct Answer: Decodable {
        struct Word: Decodable {
            let word: String
            let start: Double
            let end: Double
            let probability: Double?
        }
        struct Segment: Decodable { let words: [Word]? }
        let text: String
        let language: String?
        let words: [Word]?
        let segments: [Segment]?
    }

    static func segment(_ body: ByteBuffer, of speech: Speech) throws -> SegmentTranscript {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(buffer: body)) else {
            throw TranscriberFailure.unavailable("the transcriber's response does not follow the protocol", after: nil)
        }
        let length = Double(speech.milliseconds) / 1_000
        let words = (answer.words ?? answer.segments?.flatMap { $0.words ?? [] } ?? []).compactMap { word -> SegmentTranscript.Word? in
            let text = word.word.trimmingCharacters(in: .whitespacesAndNewlines).replacing("\0", with: "")
            guard !text.isEmpty, word.start.isFinite, word.end.isFinite else { return nil }
            let start = min(max(0, word.start), length)
            return SegmentTranscript.Word(
                text: text, start: start, end: min(max(start, word.end), length), confidence: word.probability.map { min(1, max(0, $0)) })
        }
        let text = answer.text.trimmingCharacters(in: .whitespacesAndNewlines).replacing("\0", with: "")
        let language = answer.language.flatMap { $0.isEmpty || $0.utf8.count > 32 || $0.utf8.contains(0) ? nil : $0 }
        return SegmentTranscript(text: text, language: language, words: words)
    }

    /// multipart/form-data (RFC 7578).
    private struct Form: Sendable {
        let contentType: String
        private let parts: [PiecewiseBody.Part]

        var body: PiecewiseBody { PiecewiseBody(parts) }

        init(speech: Speech, model: String) {
            let boundary = "keepsake-" + UUID().uuidString
            contentType = "multipart/form-data; boundary=\(boundary)"
            var text = ""
            for (name, value) in [
                ("model", model), ("response_format", "verbose_json"), ("timestamp_granularities[]", "word"),
                ("timestamp_granularities[]", "segment"),
            ] {
                text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
            }
            text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"speech.wav\"\r\n"
            text += "Content-Type: audio/wav\r\n\r\n"
            // The samples are not copied: the caller holds them.
            parts = [
                .plain(Array(text.utf8) + WaveFile.header(speech)), .plain(speech.samples),
                .plain(Array("\r\n--\(boundary)--\r\n".utf8)),
            ]
        }
    }
}
