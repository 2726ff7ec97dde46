internal import Foundation

/// Reads a request to a model in the form of its provider, and writes responses in that form. Anything that the provider's documentation
/// does not allow gives no texts.
struct ModelRequest {
    private let call: ModelStandIn.Call
    private let isGemini: Bool

    init(_ call: ModelStandIn.Call) {
        self.call = call
        isGemini = call.path.hasPrefix("/v1beta/models/") && call.path.hasSuffix(":generateContent")
    }

    var texts: [String] { parts.compactMap { $0["text"] as? String } }

    var files: [(type: String, bytes: Data)] {
        parts.compactMap { part in
            if let inline = part["inline_data"] as? [String: Any], let type = inline["mime_type"] as? String,
                let text = inline["data"] as? String, let bytes = Data(base64Encoded: text)
            {
                return (type, bytes)
            }
            guard let url = (part["image_url"] as? [String: Any])?["url"] as? String, url.hasPrefix("data:"),
                let comma = url.firstIndex(of: ","), let bytes = Data(base64Encoded: String(url[url.index(after: comma)...]))
            else { return nil }
            return (String(url[..<comma].dropFirst(5).prefix { $0 != ";" }), bytes)
        }
    }

    private var parts: [[String: Any]] {
        let json = call.json
        if isGemini {
            let instruction = (json["systemInstruction"] as? [String: Any])?["parts"] as? [[String: Any]] ?? []
            let contents = json["contents"] as? [[String: Any]] ?? []
            return instruction + contents.flatMap { $0["parts"] as? [[String: Any]] ?? [] }
        }
        let messages = json["messages"] as? [[String: Any]] ?? []
        return messages.flatMap { message -> [[String: Any]] in
            if let text = message["content"] as? String { return [["type": "text", "text": text]] }
            return message["content"] as? [[String: Any]] ?? []
        }
    }

    /// The body of a response in which the model writes `text`.
    func response(_ text: String) -> String {
        let object: [String: Any] =
            isGemini
            ? [
                "candidates": [
                    ["content": ["parts": [["text": text]], "role": "model"] as [String: Any], "finishReason": "STOP", "index": 0]
                        as [String: Any]
                ], "usageMetadata": ["promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20], "modelVersion": "stand-in",
            ]
            : [
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": call.json["model"] as? String ?? "",
                "choices": [
                    [
                        "index": 0, "message": ["role": "assistant", "content": text, "refusal": NSNull()] as [String: Any],
                        "finish_reason": "stop",
                    ] as [String: Any]
                ], "usage": ["prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20],
            ]
        return Self.text(object)
    }

    /// The body of an error. Its message quotes the key, as real providers do.
    func error(_ status: Int) -> String {
        let key = call.headers["x-goog-api-key"] ?? call.headers["authorization"] ?? "none"
        return Self.text(
            isGemini
                ? ["error": ["code": status, "message": "API key not valid: \(key)", "status": "RESOURCE_EXHAUSTED"] as [String: Any]]
                : [
                    "error": ["message": "Incorrect API key provided: \(key)", "type": "server_error", "code": "server_error"]
                        as [String: Any]
                ])
    }

    private static func text(_ object: [String: Any]) -> String {
        (try? JSONSerialization.data(withJSONObject: object)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
