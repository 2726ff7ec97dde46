package import Foundation
package import Outbound

/// Any server with OpenAI's `POST /v1/chat/completions`: OpenAI's own, or a self-hosted llama.cpp, vLLM or Ollama.
package struct OpenAIModel: LanguageModel {
    private let client: ProviderClient

    /// - Parameter client: calls an address that `OpenAIAddress.make` returned.
    package init(_ client: ProviderClient) { self.client = client }

    package let name = "openai"
    package var model: String { client.address.model }
    /// The chat completions of most servers accept no sound; recordings are transcribed before they are analysed.
    package let takesSound = false

    package func answer(_ prompt: ModelPrompt) async throws -> Data {
        let body = ProviderClient.Body(hasFiles: prompt.hasFiles) { [model] in try await Self.body(prompt, model) }
        let response = try await client.answer(body, path: "/v1/chat/completions", purpose: prompt.purpose, owner: prompt.owner)
        guard let choice = (try? JSONDecoder().decode(Answer.self, from: response))?.choices.first else {
            throw EngineFailure.unavailable("openai's response does not follow the protocol", after: nil)
        }
        if choice.message.refusal != nil { throw EngineFailure.refused("openai refuses to answer") }
        guard choice.finishReason == nil || choice.finishReason == "stop" else {
            throw EngineFailure.unavailable("openai stopped before its answer was complete", after: nil)
        }
        guard let text = choice.message.content, !text.isEmpty else {
            throw EngineFailure.unavailable("openai's answer is empty", after: nil)
        }
        return Data(text.utf8)
    }

    private static func body(_ prompt: ModelPrompt, _ model: String) async throws -> PiecewiseBody {
        var upload = JSONUpload()
        var parts: [[String: Any]] = [["type": "text", "text": prompt.text]]
        if let bytes = try await prompt.picture?() {
            parts.append(["type": "image_url", "image_url": ["url": "data:image/jpeg;base64,\(upload.add(bytes))"]])
        }
        return try upload.body([
            "model": model,
            "messages": [
                ["role": "system", "content": prompt.instruction] as [String: Any],
                ["role": "user", "content": parts] as [String: Any],
            ],
            "response_format": [
                "type": "json_schema",
                "json_schema": ["name": prompt.schemaName, "strict": true, "schema": prompt.schema.jsonSchema] as [String: Any],
            ] as [String: Any],
            "temperature": 0,
        ])
    }

    private struct Answer: Decodable {
        struct Message: Decodable {
            let content: String?
            let refusal: String?
        }
        struct Choice: Decodable {
            let message: Message
            let finishReason: String?

            enum CodingKeys: String, CodingKey {
                case message
                case finishReason = "finish_reason"
            }
        }
        let choices: [Choice]
    }
}
