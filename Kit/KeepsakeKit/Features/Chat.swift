public import Foundation
public import KeepsakeWire

/// Conversations with a model, with attached files.
public struct Chat: Sendable {
    let client: Client

    /// How long a call waits for a whole answer.
    static let answerTimeout: Duration = .seconds(320)

    /// Sends a message and waits for the whole answer. `stream` returns the words while the model writes them.
    ///
    /// If the connection breaks, the call sends the message again with the same id and gets the same answer. If the answer failed, the
    /// server keeps the message: call again with its `messageID` to get an answer.
    /// - Parameters:
    ///   - conversation: the id of a conversation; `nil` starts a new one.
    ///   - files: ids of uploaded files; at most 20.
    ///   - endpoint: the name of a provider; see `models()`. If the server has no provider of this name, its default provider answers. The
    ///     conversation and its messages keep the name that was sent; `model` and `sender` of the answer say who wrote it.
    ///   - messageID: chosen by the client; if it is `nil`, the library generates one.
    public func send(
        _ text: String, in conversation: String? = nil, files: [String] = [], endpoint: String = "default", model: String? = nil,
        messageID: String? = nil
    ) async throws -> ChatAnswer {
        let input = Self.input(text, conversation, files, endpoint, model, messageID ?? client.randomness.id())
        // The message id makes it safe to repeat the call.
        return try await client.send(ChatEndpoints.send, .init(deadline: Self.answerTimeout, repeats: true)) { _ in input }
    }

    /// Sends a message and returns its answer while the model writes it. The parameters are those of `send`.
    ///
    /// The message is sent when the first element is read. If the connection breaks, the stream continues where it was: no word is lost or
    /// repeated, and the server answers the message once. The stream ends with an error after `RetryPolicy.maxAttempts` failures in a row,
    /// or when failures last for `RetryPolicy.deadline`. When the app leaves the loop, the request ends, but the server completes the
    /// answer. To end the answer itself, call `stop`.
    ///
    /// If no model answers, the stream ends with the error code `answer_failed`. The server keeps the message: call again with its
    /// `messageID` to get an answer.
    public func stream(
        _ text: String, in conversation: String? = nil, files: [String] = [], endpoint: String = "default", model: String? = nil,
        messageID: String? = nil
    ) -> ChatStream {
        let id = messageID ?? client.randomness.id()
        return ChatStream(client: client, input: Self.input(text, conversation, files, endpoint, model, id), messageID: id)
    }

    private static func input(
        _ text: String, _ conversation: String?, _ files: [String], _ endpoint: String, _ model: String?, _ messageID: String
    ) -> SendChatMessageInput {
        SendChatMessageInput(
            endpoint: endpoint, text: text.isEmpty ? " " : text, messageId: messageID, conversationId: conversation, model: model,
            files: files.isEmpty ? nil : files.map { .init(fileId: $0) })
    }

    /// Ends the answers that are being written in a conversation. The words written so far stay.
    @discardableResult
    public func stop(_ conversation: String) async throws -> Int {
        try await client.send(ChatEndpoints.abort, .init(repeats: true)) { _ in ConversationInput(conversationId: conversation) }.count
    }

    // MARK: Conversations

    /// The account's conversations, the one with the latest message first.
    /// - Parameter limit: the most items on a page, 1…100; 25 by default.
    public func conversations(limit: Int? = nil) -> Pages<ChatConversation> {
        Pages { [client] cursor in
            let page = try await client.send(ChatEndpoints.conversations) { _ in ListConversationsInput(cursor: cursor, limit: limit) }
            return Pages.Page(items: page.conversations, nextCursor: page.nextCursor)
        }
    }

    /// The latest messages of a conversation, oldest first.
    /// - Parameters:
    ///   - before: the id of a message; returns only messages before it.
    ///   - limit: 1…500; 500 by default. A response also ends when its texts reach 2 MB.
    public func messages(of conversation: String, before: String? = nil, limit: Int? = nil) async throws -> [ChatMessage] {
        try await client.send(ChatEndpoints.messages) { _ in
            ListChatMessagesInput(conversationId: conversation, before: before, limit: limit)
        }
    }

    /// Renames a conversation.
    /// - Parameter title: 1…200 characters.
    @discardableResult
    public func rename(_ conversation: String, to title: String) async throws -> ChatConversation {
        try await client.send(ChatEndpoints.rename, .init(repeats: true)) { _ in
            RenameConversationInput(conversationId: conversation, title: title)
        }
    }

    /// Deletes a conversation, its messages, and the files that only its messages contain.
    public func delete(_ conversation: String) async throws {
        _ = try await client.send(ChatEndpoints.delete) { _ in
            DeleteConversationInput(arg: .init(conversationId: conversation))
        }
    }

    /// Saves a conversation as Markdown.
    public func export(_ conversation: String, to file: URL) async throws {
        try await client.download(ChatEndpoints.export, to: file) { _ in ItemPath(id: conversation) }
    }

    /// Messages that contain all words of `query`, or that have a file whose text contains them; the best match first.
    /// - Parameter limit: the most items on a page, 1…100; 25 by default.
    public func search(_ query: String, limit: Int? = nil) -> Pages<ChatMessage> {
        Pages { [client] cursor in
            let page = try await client.send(ChatEndpoints.search) { _ in SearchChatInput(q: query, cursor: cursor, limit: limit) }
            return Pages.Page(items: page.messages, nextCursor: page.nextCursor)
        }
    }

    // MARK: Files

    /// Uploads a file. Attach it to a message with its id.
    /// - Parameters:
    ///   - type: the media type; the server detects it from the content.
    ///   - width: pixels; required for a picture.
    ///   - height: as `width`.
    ///   - key: as in `Keepsake.send`.
    public func upload(
        _ file: URL, type: String = "application/octet-stream", width: Int? = nil, height: Int? = nil, key: String? = nil,
        progress: ProgressHandler? = nil
    ) async throws -> ChatFileObject {
        var form = MultipartForm()
        form.add("width", width.map(String.init))
        form.add("height", height.map(String.init))
        form.files = [.init(name: "file", fileName: file.lastPathComponent, type: type, content: .file(file))]
        return try await client.send(ChatFileEndpoints.upload, .init(key: key, progress: ProgressReport(progress)), form: form) { _ in
            Empty()
        }
    }

    public func deleteFile(_ id: String) async throws {
        _ = try await client.send(ChatFileEndpoints.delete) { _ in ChatFileID(fileId: id) }
    }

    // MARK: Engines

    /// The models that can answer; the first is the default.
    public func models() async throws -> [ChatModels.Model] {
        try await client.send(ChatEndpoints.models) { _ in Empty() }.models
    }

    /// How much of the account's data the server sent to services outside the installation.
    /// - Parameters:
    ///   - from: a day in UTC; by default 29 days before `to`.
    ///   - to: a day in UTC, which is included; by default today.
    public func usage(from: CalendarDay? = nil, to: CalendarDay? = nil) async throws -> [ChatUsage.Row] {
        try await client.send(ChatEndpoints.usage) { _ in ChatUsageInput(from: from?.text, to: to?.text) }.usage
    }
}
