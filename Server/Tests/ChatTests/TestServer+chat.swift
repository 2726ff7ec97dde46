import AsyncHTTPClient
import Core
import Foundation
import Intelligence
import KeepsakeWire
import NIOCore
import NIOHTTP1
import TestKit
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

/// The requests of a chat client.
extension TestServer {
    /// The body of a request of the existing chat app, including the members that the server ignores.
    static func body(
        _ text: String, id: String? = nil, in conversation: String? = nil, model: String? = nil, files: [ChatFileObject] = []
    ) -> [String: Any] {
        var body: [String: Any] = [
            "text": text, "sender": "User", "clientTimestamp": "2026-11-22T12:00:00Z", "isCreatedByUser": true,
            "parentMessageId": "00000000-0000-0000-0000-000000000000", "messageId": id ?? UUID().uuidString, "error": false,
            "endpoint": "google", "agent_id": "ephemeral", "conversationId": conversation ?? NSNull(), "thinking": false,
            "clientOptions": ["disableStreaming": true], "ocr": NSNull(),
        ]
        if let model { body["model"] = model }
        if !files.isEmpty {
            body["files"] = files.map { file -> [String: Any] in
                ["file_id": file.fileId, "filename": file.filename, "filepath": file.filepath, "type": file.type, "size": file.size]
            }
        }
        return body
    }

    /// Sends a message and waits for the whole answer.
    func post(_ body: [String: Any], endpoint: String = "google", as person: Person) async throws -> Answer {
        try await sendJSON("POST", "/api/chat/agents/chat/\(endpoint)", body, as: person)
    }

    func say(
        _ text: String, id: String? = nil, in conversation: String? = nil, endpoint: String = "google", files: [ChatFileObject] = [],
        as person: Person
    ) async throws -> ChatAnswer {
        let answer = try await post(Self.body(text, id: id, in: conversation, files: files), endpoint: endpoint, as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.chat(ChatAnswer.self)
    }

    func messages(_ conversation: String, as person: Person) async throws -> [ChatMessage] {
        let answer = try await send("GET", "/api/chat/messages?conversationId=\(conversation)", as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.chat([ChatMessage].self)
    }

    func conversations(as person: Person) async throws -> [ChatConversation] {
        try await send("GET", "/api/chat/convos", as: person).chat(ConversationPage.self).conversations
    }

    func uploadChatFile(_ name: String, _ bytes: Data, type: String = "text/plain", as person: Person) async throws -> ChatFileObject {
        var body = MultipartBody()
        body.add("file", fileName: name, type: type, bytes)
        body.close()
        let answer = try await upload(body, to: "/api/chat/files/upload", as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.chat(ChatFileObject.self)
    }

    // MARK: Streams

    /// One event of a stream, as a client reads it.
    struct Frame: Sendable {
        let id: Int64?
        let name: String
        let data: String

        var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]) ?? [:] }
        var isCreated: Bool { object["created"] as? Bool == true }
        var isFinal: Bool { object["final"] as? Bool == true }
        /// The words that the frame adds; `nil` for a frame without words.
        var words: String? {
            guard let data = object["data"] as? [String: Any], let delta = data["delta"] as? [String: Any],
                let content = delta["content"] as? [[String: Any]]
            else { return nil }
            return content.compactMap { $0["text"] as? String }.joined()
        }
        var answer: ChatAnswer? { try? Surface.chat.makeDecoder().decode(ChatAnswer.self, from: Data(data.utf8)) }
        var conversation: String? {
            (object["message"] as? [String: Any])?["conversationId"] as? String ?? answer?.conversation.conversationId
        }
    }

    struct Stream: Sendable {
        var status = 0
        var frames: [Frame] = []
        var comments = 0

        var words: String { frames.compactMap(\.words).joined() }
        var numbers: [Int64] { frames.compactMap(\.id) }
        var final: ChatAnswer? { frames.last?.answer }
    }

    /// The frames that are complete.
    static func frames(in bytes: Data) throws -> [Frame] {
        var events = ServerSentEvents()
        return try events.receive(ByteBuffer(bytes: bytes)).map { Frame(id: Int64($0.id), name: $0.name, data: $0.data) }
    }

    /// Reads a stream until it ends, or until `count` frames have come. Then drops the connection.
    func stream(
        _ method: String, _ path: String, _ body: [String: Any]? = nil, after last: Int64? = nil, frames count: Int = .max,
        as person: Person
    ) async throws -> Stream {
        var request = HTTPClientRequest(url: url + path)
        request.method = HTTPMethod(rawValue: method)
        request.headers.add(name: "Accept", value: "text/event-stream")
        request.headers.add(name: person.bearer.0, value: person.bearer.1)
        if let last { request.headers.add(name: "Last-Event-ID", value: String(last)) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        var stream = Stream(status: Int(response.status.code))
        guard response.status == .ok else { return stream }
        var events = ServerSentEvents()
        do {
            for try await bytes in response.body {
                if String(buffer: bytes).hasPrefix(": ") { stream.comments += 1 }
                for event in try events.receive(bytes) {
                    stream.frames.append(Frame(id: Int64(event.id), name: event.name, data: event.data))
                    // Leaving the loop drops the connection.
                    if stream.frames.count >= count { return stream }
                }
            }
        } catch {
            // The server or the network broke the stream off; the caller resumes.
        }
        return stream
    }

    func resume(_ conversation: String, after last: Int64?, frames count: Int = .max, as person: Person) async throws -> Stream {
        try await stream(
            "GET", "/api/chat/agents/chat/stream/\(conversation)?resume=true", after: last, frames: count, as: person)
    }
}

extension TestServer.Answer {
    /// Decodes as a client of this surface: ISO 8601 without fractions of a second.
    func chat<T: Decodable>(_ type: T.Type) throws -> T {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: body)
    }
}

extension Settings {
    /// Makes a stand-in the default provider.
    mutating func answer(by standIn: String, _ engine: ChatSettings.Named = .openai, models: [String] = ["m-1"]) {
        chat.providers = [.init(engine: engine, base: standIn, key: Secret("key-canary"), models: models)]
        chat.limits.pause = .milliseconds(20)
        // A busy machine can take seconds for a word. Tests of models that hang wait for less.
        chat.limits.silence = .seconds(10)
    }
}
