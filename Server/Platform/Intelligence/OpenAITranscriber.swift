package import Core
internal import Foundation
internal import NIOCore
internal import NIOFoundationCompat
internal import NIOHTTP1
package import Outbound

/// Uses any server with OpenAI's `POST /v1/audio/transcriptions`: OpenAI's own, or a self-hosted whisper.cpp or faster-whisper.
package struct OpenAITranscriber: Transcriber {
    /// The part of the URL before `/v1/audio/transcriptions`.
    private let base: String
    /// `nil` when the server requires no key.
    private let key: Secret<String>?
    private let model: String
    private let timeout: Duration
    private let outbound: OutboundHTTP

    /// - Parameters:
    ///   - base: for example `https://api.openai.com`, with or without `/v1`.
    ///   - timeout: for one segment, from connecting to the last byte of the response.
    package init(base: String, key: Secret<String>?, model: String, timeout: Duration, outbound: OutboundHTTP) {
        self.outbound = outbound
        var base = base
        while base.hasSuffix("/") { base.removeLast() }
        if base.hasSuffix("/v1") { base.removeLast(3) }
        self.base = base
        self.key = key
        self.model = model
        self.timeout = timeout
    }

    package let name = "openai"
    /// This is about 8 MB of audio; OpenAI accepts 25 MB.
    package var longestSegment: Duration { .seconds(240) }

    package func transcribe(_ speech: Speech) async throws -> SegmentTranscript {
        let form = Form(speech: speech, model: model)
        var headers: HTTPHeaders = ["Content-Type": form.contentType]
        if let key { headers.add(name: "Authorization", value: "Bearer " + key.exposed) }
        let response: OutboundHTTP.Response
        do {
            response = try await outbound.send(
                .init(
                    .POST, base + "/v1/audio/transcriptions", headers: headers, body: ByteBuffer(bytes: form.bytes), timeout: timeout,
                    maxByteCount: Self.answerByteCount))
        } catch let failure as OutboundHTTP.Failure {
            switch failure {
            case .addressNotAllowed: throw TranscriberFailure.refused("the transcriber's address must be https, or http on this machine")
            case .timedOut: throw TranscriberFailure.unavailable("the transcriber took longer than \(timeout) for one segment", after: nil)
            case .tooLarge:
                throw TranscriberFailure.unavailable("the transcriber's response exceeds \(Self.answerByteCount >> 20) MB", after: nil)
            case .unreachable: throw TranscriberFailure.unavailable("the transcriber cannot be reached", after: nil)
            }
        }
        guard response.status == 200 else { throw Self.failure(response) }
        return try Self.segment(response.body, of: speech)
    }

    package func probe() async throws -> String {
        _ = try await transcribe(Speech(samples: [UInt8](repeating: 0, count: 2 * Speech.rate)))
        return "\(model) transcribed one second of silence"
    }

    private static let answerByteCount = 16 << 20

    // MARK: Refusals

    /// Keeps only the short error code of the response: error messages may quote parts of the key.
    static func failure(_ response: OutboundHTTP.Response) -> TranscriberFailure {
        let status = response.status
        let code = (try? JSONDecoder().decode(Refusal.self, from: Data(buffer: response.body)))?.error?.code
            .flatMap { $0.utf8.count <= 64 && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F } ? $0 : nil }
        let reason = "the transcriber answers \(status)" + (code.map { " (\($0))" } ?? "")
        // 401 and 403: the key stays wrong until an operator changes it and restarts. 404: the same applies to the address or the model.
        switch status {
        case 400, 401, 403, 404, 405, 413, 415, 422: return .refused(reason)
        default: return .unavailable(reason, after: response.retryAfter)
        }
    }

    private struct Refusal: Decodable {
        struct Body: Decodable { let code: String? }
        let error: Body?
    }

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
    private struct Form {
        let contentType: String
        let bytes: [UInt8]

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
            bytes = Array(text.utf8) + WaveFile.bytes(speech) + Array("\r\n--\(boundary)--\r\n".utf8)
        }
    }
}
