internal import Foundation
package import Outbound
internal import Synchronization

/// Any server with OpenAI's `POST /v1/chat/completions`: OpenAI's own, or a self-hosted llama.cpp, vLLM or Ollama.
package struct OpenAIChat: ChatModel {
    private let client: ProviderClient
    private let limits: ChatCallLimits

    /// - Parameter client: calls an address that `OpenAIAddress.make` returned.
    package init(_ client: ProviderClient, limits: ChatCallLimits = ChatCallLimits()) {
        self.client = client
        self.limits = limits
    }

    package let provider = "openai"
    package var model: String { client.address.model }

    package func answer(_ prompt: ChatPrompt, _ write: @escaping @Sendable (String) async throws -> Void) async throws -> ChatEnding {
        let body = ProviderClient.Body(hasFiles: prompt.hasPictures) { [model] in try await Self.body(prompt, model) }
        let ending = Mutex<ChatEnding?>(nil)
        try await client.events(body, path: "/v1/chat/completions", owner: prompt.owner, limits) { event, received in
            guard event.data != "[DONE]" else { return }
            guard let chunk = try? JSONDecoder().decode(Chunk.self, from: Data(event.data.utf8)) else {
                throw ProviderFailure.unusable("openai's response does not follow the protocol")
            }
            if let error = chunk.error { throw ProviderFailure.unusable("openai ends with an error" + ChatFailure.word(error.type)) }
            if let usage = chunk.usage { received.tokens = .init(input: usage.promptTokens ?? 0, output: usage.completionTokens ?? 0) }
            guard let choice = chunk.choices?.first else { return }
            if let text = choice.delta?.content, !text.isEmpty { try await write(text) }
            if choice.delta?.refusal?.isEmpty == false { throw ProviderFailure.refusal("openai refuses to answer") }
            switch choice.finishReason {
            case nil: break
            case "stop": ending.withLock { $0 = .complete }
            case "length": ending.withLock { $0 = .cutShort }
            case let reason: throw ProviderFailure.refusal("openai stopped its answer" + ChatFailure.word(reason))
            }
        }
        guard let ending = ending.withLock({ $0 }) else { throw ChatFailure("openai broke off its answer", isRefusal: false) }
        return ending
    }

    private static func body(_ prompt: ChatPrompt, _ model: String) async throws -> PiecewiseBody {
        var upload = JSONUpload()
        var messages: [[String: Any]] = [["role": "system", "content": prompt.instruction]]
        for turn in prompt.turns {
            var parts: [[String: Any]] = [["type": "text", "text": turn.text]]
            for picture in turn.pictures {
                guard let bytes = try await picture.read() else { continue }
                parts.append(["type": "image_url", "image_url": ["url": "data:\(picture.type);base64,\(upload.add(bytes))"]])
            }
            // A message without pictures is a plain text: some servers accept no list of parts.
            let content: Any = if parts.count == 1 { turn.text } else { parts }
            messages.append(["role": turn.isByUser ? "user" : "assistant", "content": content])
        }
        return try upload.body([
            "model": model, "messages": messages, "stream": true, "stream_options": ["include_usage": true],
            "max_tokens": prompt.tokenLimit,
        ])
    }

    private struct Chunk: Decodable {
        struct Delta: Decodable {
            let content: String?
            let refusal: String?
        }
        struct Choice: Decodable {
            let delta: Delta?
            let finishReason: String?

            enum CodingKeys: String, CodingKey {
                case delta
                case finishReason = "finish_reason"
            }
        }
        struct Usage: Decodable {
            let promptTokens: Int64?
            let completionTokens: Int64?

            enum CodingKeys: String, CodingKey {
                case promptTokens = "prompt_tokens"
                case completionTokens = "completion_tokens"
            }
        }
        struct Failure: Decodable { let type: String? }
        let choices: [Choice]?
        let usage: Usage?
        let error: Failure?
    }
}
