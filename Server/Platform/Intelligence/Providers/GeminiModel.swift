package import Core
package import Foundation
internal import NIOFoundationCompat
package import Outbound

/// Google's Gemini API: `POST /v1beta/models/{model}:generateContent`.
package struct GeminiModel: LanguageModel {
    private let client: ProviderClient

    package init(_ client: ProviderClient) { self.client = client }

    /// - Parameter base: for example `https://generativelanguage.googleapis.com`.
    package static func address(base: String, key: Secret<String>?, model: String, timeout: Duration) -> ProviderClient.Address {
        ProviderClient.Address(engine: "gemini", base: base, model: model, keyHeader: "x-goog-api-key", key: key, timeout: timeout)
    }

    package let name = "gemini"
    package var model: String { client.address.model }
    package let takesSound = true

    package func answer(_ prompt: ModelPrompt) async throws -> Data {
        let body = ProviderClient.Body(hasFiles: prompt.hasFiles) { try await Self.body(prompt) }
        let response = try await client.answer(
            body, path: "/v1beta/models/\(client.address.model):generateContent", purpose: prompt.purpose, owner: prompt.owner)
        guard let answer = try? JSONDecoder().decode(Answer.self, from: response) else {
            throw EngineFailure.unavailable("gemini's response does not follow the protocol", after: nil)
        }
        guard let candidate = answer.candidates?.first else {
            // The model refuses to answer at all, for example because of its safety settings: it would refuse again.
            throw EngineFailure.refused("gemini gives no answer" + Self.word(answer.promptFeedback?.blockReason))
        }
        guard candidate.finishReason == nil || candidate.finishReason == "STOP" else {
            throw EngineFailure.unavailable("gemini stopped before its answer was complete" + Self.word(candidate.finishReason), after: nil)
        }
        let text = candidate.content?.parts?.compactMap(\.text).joined() ?? ""
        guard !text.isEmpty else { throw EngineFailure.unavailable("gemini's answer is empty", after: nil) }
        return Data(text.utf8)
    }

    private static func body(_ prompt: ModelPrompt) async throws -> PiecewiseBody {
        var upload = JSONUpload()
        var parts: [[String: Any]] = [["text": prompt.text]]
        for (type, file) in [("image/jpeg", prompt.picture), ("audio/wav", prompt.sound)] {
            guard let bytes = try await file?() else { continue }
            parts.append(["inline_data": ["mime_type": type, "data": upload.add(bytes)]])
        }
        return try upload.body([
            "systemInstruction": ["parts": [["text": prompt.instruction]]],
            "contents": [["role": "user", "parts": parts] as [String: Any]],
            "generationConfig": [
                "temperature": 0, "responseMimeType": "application/json", "responseSchema": prompt.schema.geminiSchema,
            ] as [String: Any],
        ])
    }

    /// A reason that consists of capital letters only, in parentheses: anything else could be part of the capture.
    private static func word(_ reason: String?) -> String {
        guard let reason, reason.utf8.count <= 40, reason.utf8.allSatisfy({ (0x41...0x5A).contains($0) || $0 == 0x5F }) else { return "" }
        return " (\(reason))"
    }

    private struct Answer: Decodable {
        struct Part: Decodable { let text: String? }
        struct Content: Decodable { let parts: [Part]? }
        struct Candidate: Decodable {
            let content: Content?
            let finishReason: String?
        }
        struct Feedback: Decodable { let blockReason: String? }
        let candidates: [Candidate]?
        let promptFeedback: Feedback?
    }
}

extension ProviderClient {
    /// Sends JSON and returns the body of the response.
    /// - Throws: `EngineFailure`; the errors of `body`; `CancellationError`.
    func answer(_ body: Body, path: String, purpose: String, owner: String?) async throws -> Data {
        do {
            return Data(
                buffer: try await post(
                    .init(path: path, contentType: "application/json", body: body, purpose: purpose, owner: owner)))
        } catch let failure as ProviderFailure {
            throw failure.isPermanent
                ? EngineFailure.refused(failure.description) : EngineFailure.unavailable(failure.description, after: failure.after)
        }
    }
}
