package import Core
internal import Foundation
internal import NIOFoundationCompat
package import Outbound
internal import Synchronization

/// An upstream LibreChat: `POST /api/agents/chat/{endpoint}` with its server-sent events. Recent versions answer that request with the id
/// of a stream, which is then read from `GET /api/agents/chat/stream/{id}`.
///
/// Each question starts a temporary conversation there, and its text contains the whole history. This server keeps the conversation and
/// does not depend on what the upstream remembers.
package struct LibreChatModel: ChatModel {
    private let client: ProviderClient
    private let endpoint: String
    private let limits: ChatCallLimits

    /// - Parameter endpoint: the upstream's endpoint, for example `google`.
    package init(_ client: ProviderClient, endpoint: String, limits: ChatCallLimits = ChatCallLimits()) {
        self.client = client
        self.endpoint = endpoint
        self.limits = limits
    }

    /// - Parameters:
    ///   - base: for example `https://librechat.example.org`.
    ///   - key: the upstream's access token.
    package static func address(base: String, key: Secret<String>?, model: String, timeout: Duration) -> ProviderClient.Address {
        ProviderClient.Address(
            engine: "librechat", base: base, model: model, keyHeader: "Authorization", key: key.map { Secret("Bearer " + $0.exposed) },
            timeout: timeout)
    }

    package let provider = "librechat"
    package var model: String { client.address.model }

    package func answer(_ prompt: ChatPrompt, _ write: @escaping @Sendable (String) async throws -> Void) async throws -> ChatEnding {
        var files: [[String: Any]] = []
        for picture in prompt.turns.flatMap(\.pictures) {
            do { files.append(try await upload(picture, owner: prompt.owner)) } catch is UnreadablePicture {}
        }
        var body: [String: Any] = [
            "text": Self.transcript(of: prompt), "sender": "User", "clientTimestamp": ISO8601DateFormatter().string(from: Date()),
            "isCreatedByUser": true, "parentMessageId": "00000000-0000-0000-0000-000000000000", "messageId": UUID().uuidString.lowercased(),
            "error": false, "endpoint": endpoint, "model": model, "agent_id": "ephemeral", "thinking": false, "isTemporary": true,
            "maxOutputTokens": prompt.tokenLimit, "conversationId": NSNull(),
        ]
        if !files.isEmpty { body["files"] = files }
        let json = try [UInt8](JSONSerialization.data(withJSONObject: body, options: [.withoutEscapingSlashes]))
        let answer = Answer(write)
        let path = "/api/agents/chat/\(endpoint)"
        let message = ProviderClient.Body { PiecewiseBody([.plain(json)]) }
        try await client.events(message, path: path, owner: prompt.owner, limits) { event, _ in try await answer.read(event) }
        if let stream = answer.stream {
            try await client.events(nil, path: "/api/agents/chat/stream/\(stream)", owner: prompt.owner, limits) { event, _ in
                try await answer.read(event)
            }
        }
        guard answer.hasEnded else { throw ChatFailure("librechat broke off its answer", isRefusal: false) }
        return answer.isUnfinished ? .cutShort : .complete
    }

    private static func transcript(of prompt: ChatPrompt) -> String {
        let turns = prompt.turns
        let said = turns.dropLast().map { ($0.isByUser ? "User: " : "Assistant: ") + $0.text }
        let history = said.isEmpty ? [] : ["The conversation so far:"] + said + ["The message to answer:"]
        return ([prompt.instruction] + history + [turns.last?.text ?? ""]).joined(separator: "\n\n")
    }

    /// Thrown when the picture was deleted meanwhile, or cannot be decoded.
    private struct UnreadablePicture: Error {}

    /// Uploads a picture, to which the message then refers.
    /// - Throws: `UnreadablePicture`; as `answer`.
    private func upload(_ picture: ChatPrompt.Picture, owner: String?) async throws -> [String: Any] {
        let boundary = "keepsake-" + UUID().uuidString
        let id = UUID().uuidString.lowercased()
        let fields =
            [
                ("endpoint", Self.field(picture.endpoint) ?? endpoint), ("file_id", id), ("width", String(picture.width)),
                ("height", String(picture.height)),
            ] + (Self.field(picture.toolResource).map { [("tool_resource", $0)] } ?? [])
        var text = ""
        for (name, value) in fields {
            text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"picture.jpg\"\r\n"
        text += "Content-Type: \(picture.type)\r\n\r\n"
        let (head, end) = (Array(text.utf8), Array("\r\n--\(boundary)--\r\n".utf8))
        let body = ProviderClient.Body(hasFiles: true) {
            guard let bytes = try await picture.read() else { throw UnreadablePicture() }
            return PiecewiseBody([.plain(head), .plain(bytes), .plain(end)])
        }
        let request = ProviderClient.Request(
            path: "/api/files/images", contentType: "multipart/form-data; boundary=\(boundary)", body: body, purpose: "chat", owner: owner)
        let response = try await client.retrying(limits) { [client] in try await client.post(request) }
        guard let uploaded = try? JSONDecoder().decode(Uploaded.self, from: Data(buffer: response)) else {
            throw ChatFailure("librechat's response does not follow the protocol", isRefusal: false)
        }
        var file: [String: Any] = [
            "file_id": uploaded.fileID, "type": picture.type, "width": picture.width, "height": picture.height,
        ]
        if let path = uploaded.filepath { file["filepath"] = path }
        return file
    }

    /// The value; `nil` when it is empty or could end its part of the form.
    private static func field(_ value: String?) -> String? {
        value.flatMap { $0.isEmpty || $0.contains(where: \.isNewline) ? nil : $0 }
    }

    private struct Uploaded: Decodable {
        let fileID: String
        let filepath: String?

        enum CodingKeys: String, CodingKey {
            case fileID = "file_id"
            case filepath
        }
    }

    /// What has been read of an answer.
    private final class Answer: Sendable {
        private struct State {
            var hasEnded = false
            var isUnfinished = false
            var hasText = false
            /// A stream to read, as the response to the message names it.
            var stream: String?
        }
        private let state = Mutex(State())
        private let write: @Sendable (String) async throws -> Void

        init(_ write: @escaping @Sendable (String) async throws -> Void) { self.write = write }

        var hasEnded: Bool { state.withLock { $0.hasEnded } }
        var isUnfinished: Bool { state.withLock { $0.isUnfinished } }
        var stream: String? { state.withLock { $0.hasEnded ? nil : $0.stream } }

        func read(_ event: ServerSentEvents.Event) async throws {
            guard event.name == "message" else {
                guard event.name == "error" else { return }
                throw ProviderFailure.unusable("librechat ends with an error")
            }
            guard let frame = try? JSONDecoder().decode(Frame.self, from: Data(event.data.utf8)) else {
                throw ProviderFailure.unusable("librechat's response does not follow the protocol")
            }
            if let stream = frame.streamId, stream.utf8.allSatisfy({ Self.isOfID($0) }) { state.withLock { $0.stream = stream } }
            if frame.event == "on_message_delta" {
                let text = (frame.data?.delta?.content ?? []).filter { $0.type == "text" }.compactMap(\.text).joined()
                if !text.isEmpty {
                    state.withLock { $0.hasText = true }
                    try await write(text)
                }
            }
            guard frame.final == true else { return }
            if frame.responseMessage?.error == true { throw ProviderFailure.unusable("librechat ends with an error") }
            let hadText = state.withLock { state in
                state.hasEnded = true
                state.isUnfinished = frame.responseMessage?.unfinished == true
                return state.hasText
            }
            // An endpoint that does not stream sends the whole answer at the end.
            if !hadText, let text = frame.responseMessage?.whole, !text.isEmpty { try await write(text) }
        }

        private static func isOfID(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x5F
        }
    }

    private struct Frame: Decodable {
        struct Content: Decodable {
            let type: String?
            let text: String?

            init(from decoder: any Decoder) throws {
                let members = try decoder.container(keyedBy: CodingKeys.self)
                type = try? members.decode(String.self, forKey: .type)
                // Some versions wrap the text in an object.
                text =
                    (try? members.decode(String.self, forKey: .text))
                    ?? (try? members.decode([String: String].self, forKey: .text))?["value"]
            }

            enum CodingKeys: String, CodingKey { case type, text }
        }
        struct Delta: Decodable { let content: [Content]? }
        struct Payload: Decodable { let delta: Delta? }
        struct Message: Decodable {
            let text: String?
            let content: [Content]?
            let unfinished: Bool?
            let error: Bool?

            var whole: String? {
                if let text, !text.isEmpty { return text }
                return content?.filter { $0.type == "text" }.compactMap(\.text).joined()
            }
        }
        let event: String?
        let data: Payload?
        let final: Bool?
        let responseMessage: Message?
        let streamId: String?
    }
}
