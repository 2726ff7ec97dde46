internal import Foundation

/// Reads a chat request in the form of its provider, and writes the events of a stream in that form. Anything that the provider's
/// documentation does not allow gives no texts.
struct ChatProtocol {
    private enum Provider { case gemini, openai, librechat }

    private let call: ChatStandIn.Call
    private let provider: Provider

    init(_ call: ChatStandIn.Call) {
        self.call = call
        provider =
            call.path.hasPrefix("/v1beta/models/") && call.path.hasSuffix(":streamGenerateContent?alt=sse")
            ? .gemini : call.path.hasPrefix("/api/") ? .librechat : .openai
    }

    var texts: [String] {
        switch provider {
        case .librechat: (call.json["text"] as? String).map { [$0] } ?? []
        case .gemini, .openai: parts.compactMap { $0["text"] as? String }
        }
    }

    var pictures: [Data] {
        if call.path == "/api/files/images" { return multipartPicture.map { [$0] } ?? [] }
        return parts.compactMap { part in
            if let inline = part["inline_data"] as? [String: Any], let text = inline["data"] as? String { return Data(base64Encoded: text) }
            guard let url = (part["image_url"] as? [String: Any])?["url"] as? String, let comma = url.firstIndex(of: ",") else {
                return nil
            }
            return Data(base64Encoded: String(url[url.index(after: comma)...]))
        }
    }

    private var multipartPicture: Data? {
        guard let start = call.body.range(of: Data("Content-Type: image/jpeg\r\n\r\n".utf8)),
            let end = call.body.range(of: Data("\r\n--".utf8), options: .backwards)
        else { return nil }
        return call.body[start.upperBound..<end.lowerBound]
    }

    private var parts: [[String: Any]] {
        let json = call.json
        switch provider {
        case .gemini:
            let instruction = (json["systemInstruction"] as? [String: Any])?["parts"] as? [[String: Any]] ?? []
            let contents = json["contents"] as? [[String: Any]] ?? []
            return instruction + contents.flatMap { $0["parts"] as? [[String: Any]] ?? [] }
        case .openai:
            guard json["stream"] as? Bool == true else { return [] }
            return (json["messages"] as? [[String: Any]] ?? []).flatMap { message -> [[String: Any]] in
                if let text = message["content"] as? String { return [["type": "text", "text": text]] }
                return message["content"] as? [[String: Any]] ?? []
            }
        case .librechat: return []
        }
    }

    /// The stream's events for these pieces.
    /// - Parameter ends: whether the events that end an answer follow.
    func events(_ pieces: [String], ends: Bool) -> [String] {
        switch provider {
        case .gemini:
            var events = pieces.map { gemini($0, finish: nil) }
            if ends { events.append(gemini("", finish: "STOP")) }
            return events
        case .openai:
            var events = [openAI(["role": "assistant", "content": ""], finish: nil)] + pieces.map { openAI(["content": $0], finish: nil) }
            if ends {
                events.append(openAI([:], finish: "stop"))
                events.append(
                    data(["choices": [Any](), "usage": ["prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 46]]))
                events.append("data: [DONE]\n\n")
            }
            return events
        case .librechat:
            var events = [message(["created": true, "message": ["messageId": "m", "text": "…"]])]
            events += pieces.map { piece in
                message([
                    "event": "on_message_delta",
                    "data": ["id": "step_1", "delta": ["content": [["type": "text", "text": piece]]]] as [String: Any],
                ])
            }
            if ends {
                let answer: [String: Any] = ["messageId": "a", "text": "", "content": [["type": "text", "text": pieces.joined()]]]
                events.append(message(["final": true, "responseMessage": answer, "title": "t"]))
            }
            return events
        }
    }

    /// An event that reports an error.
    var failure: String {
        switch provider {
        case .gemini: data(["error": ["code": 503, "status": "UNAVAILABLE", "message": "overloaded"] as [String: Any]])
        case .openai: data(["error": ["type": "server_error", "message": "overloaded"]])
        case .librechat: "event: error\ndata: {\"text\":\"overloaded\"}\n\n"
        }
    }

    /// The body of an error. Its message quotes the key, as real providers do.
    func error(_ status: Int) -> String {
        let key = call.headers["x-goog-api-key"] ?? call.headers["authorization"] ?? "none"
        return switch provider {
        case .gemini:
            text(["error": ["code": status, "message": "API key not valid: \(key)", "status": "RESOURCE_EXHAUSTED"] as [String: Any]])
        case .openai: text(["error": ["message": "Incorrect API key provided: \(key)", "type": "server_error", "code": "server_error"]])
        case .librechat: text(["message": "refused: \(key)"])
        }
    }

    private func gemini(_ piece: String, finish: String?) -> String {
        var candidate: [String: Any] = ["content": ["parts": [["text": piece]], "role": "model"] as [String: Any], "index": 0]
        if let finish { candidate["finishReason"] = finish }
        // Gemini separates lines with CRLF.
        return data([
            "candidates": [candidate],
            "usageMetadata": ["promptTokenCount": 12, "candidatesTokenCount": 34, "totalTokenCount": 46], "modelVersion": "stand-in",
        ]).replacing("\n", with: "\r\n")
    }

    private func openAI(_ delta: [String: Any], finish: String?) -> String {
        let choice: [String: Any] = ["index": 0, "delta": delta, "finish_reason": finish ?? NSNull()]
        return data([
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "stand-in", "choices": [choice],
        ])
    }

    private func message(_ object: [String: Any]) -> String { "event: message\n" + data(object) }

    private func data(_ object: [String: Any]) -> String { "data: \(text(object))\n\n" }

    private func text(_ object: [String: Any]) -> String {
        (try? JSONSerialization.data(withJSONObject: object)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
