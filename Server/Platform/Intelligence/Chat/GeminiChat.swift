internal import Foundation
package import Outbound
internal import Synchronization

/// Google's Gemini API: `POST /v1beta/models/{model}:streamGenerateContent?alt=sse`.
package struct GeminiChat: ChatModel {
    private let client: ProviderClient
    private let limits: ChatCallLimits

    /// - Parameter client: calls an address that `GeminiModel.address` returned.
    package init(_ client: ProviderClient, limits: ChatCallLimits = ChatCallLimits()) {
        self.client = client
        self.limits = limits
    }

    package let provider = "gemini"
    package var model: String { client.address.model }

    package func answer(_ prompt: ChatPrompt, _ write: @escaping @Sendable (String) async throws -> Void) async throws -> ChatEnding {
        let body = ProviderClient.Body(hasFiles: prompt.hasPictures) { try await Self.body(prompt) }
        let ending = Mutex<ChatEnding?>(nil)
        try await client.events(
            body, path: "/v1beta/models/\(model):streamGenerateContent?alt=sse", owner: prompt.owner, limits
        ) { event, received in
            guard let chunk = try? JSONDecoder().decode(Chunk.self, from: Data(event.data.utf8)) else {
                throw ProviderFailure.unusable("gemini's response does not follow the protocol")
            }
            if let error = chunk.error { throw ProviderFailure.unusable("gemini ends with an error" + ChatFailure.word(error.status)) }
            if let usage = chunk.usageMetadata {
                received.tokens = .init(input: usage.promptTokenCount ?? 0, output: usage.candidatesTokenCount ?? 0)
            }
            if let reason = chunk.promptFeedback?.blockReason {
                throw ProviderFailure.refusal("gemini gives no answer" + ChatFailure.word(reason))
            }
            guard let candidate = chunk.candidates?.first else { return }
            let text = (candidate.content?.parts ?? []).filter { $0.thought != true }.compactMap(\.text).joined()
            if !text.isEmpty { try await write(text) }
            switch candidate.finishReason {
            case nil: break
            case "STOP": ending.withLock { $0 = .complete }
            case "MAX_TOKENS": ending.withLock { $0 = .cutShort }
            case let reason: throw ProviderFailure.refusal("gemini stopped its answer" + ChatFailure.word(reason))
            }
        }
        guard let ending = ending.withLock({ $0 }) else { throw ChatFailure("gemini broke off its answer", isRefusal: false) }
        return ending
    }

    private static func body(_ prompt: ChatPrompt) async throws -> PiecewiseBody {
        var upload = JSONUpload()
        var contents: [[String: Any]] = []
        for turn in prompt.turns {
            var parts: [[String: Any]] = [["text": turn.text]]
            for picture in turn.pictures {
                guard let bytes = try await picture.read() else { continue }
                parts.append(["inline_data": ["mime_type": picture.type, "data": upload.add(bytes)]])
            }
            contents.append(["role": turn.isByUser ? "user" : "model", "parts": parts])
        }
        return try upload.body([
            "systemInstruction": ["parts": [["text": prompt.instruction]]], "contents": contents,
            "generationConfig": ["maxOutputTokens": prompt.tokenLimit],
        ])
    }

    private struct Chunk: Decodable {
        struct Part: Decodable {
            let text: String?
            /// Whether the text is what the model thinks, not what it answers.
            let thought: Bool?
        }
        struct Content: Decodable { let parts: [Part]? }
        struct Candidate: Decodable {
            let content: Content?
            let finishReason: String?
        }
        struct Feedback: Decodable { let blockReason: String? }
        struct Usage: Decodable {
            let promptTokenCount: Int64?
            let candidatesTokenCount: Int64?
        }
        struct Failure: Decodable { let status: String? }
        let candidates: [Candidate]?
        let promptFeedback: Feedback?
        let usageMetadata: Usage?
        let error: Failure?
    }
}
