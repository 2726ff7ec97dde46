public import Foundation
import HTTPTypes

/// Surface 2: conversations with a model, with attached files. `ChatFileEndpoints` has the endpoints for the files.
public enum ChatEndpoints {
    /// The most bytes of a message's body. It is large because clients also send the texts of attached documents, which the server ignores.
    public static let messageByteCount = 8_388_608

    /// Sends a message. The response is one JSON object or, with `Accept: text/event-stream`, a stream of `ChatFrame`s.
    public static let send = Endpoint<SendChatMessageInput, ChatAnswer>(
        .post, "/api/chat/agents/chat/{endpoint}", surface: .chat, body: .json(maxByteCount: messageByteCount))
    /// Resumes an interrupted stream. The response is always a stream.
    public static let resume = Endpoint<ResumeChatInput, ChatAnswer>(
        .get, "/api/chat/agents/chat/stream/{conversationId}", surface: .chat)
    /// Ends the answers that are being written in a conversation. The words written so far stay.
    public static let abort = Endpoint<ConversationInput, ChatAborted>(
        .post, "/api/chat/agents/chat/abort", surface: .chat, body: .json(maxByteCount: 16_384))

    public static let conversations = Endpoint<ListConversationsInput, ConversationPage>(.get, "/api/chat/convos", surface: .chat)
    public static let rename = Endpoint<RenameConversationInput, ChatConversation>(
        .post, "/api/chat/convos/update", surface: .chat, body: .json(maxByteCount: 65_536))
    public static let delete = Endpoint<DeleteConversationInput, ConversationDeleted>(
        .delete, "/api/chat/convos", surface: .chat, body: .json(maxByteCount: 65_536))
    /// The conversation as Markdown.
    public static let export = Endpoint<ItemPath, FileContent>(.get, "/api/chat/convos/{id}/export", surface: .chat)

    /// The latest messages of a conversation, oldest first.
    public static let messages = Endpoint<ListChatMessagesInput, [ChatMessage]>(.get, "/api/chat/messages", surface: .chat)
    public static let messagesByPath = Endpoint<ListChatMessagesInput, [ChatMessage]>(
        .get, "/api/chat/messages/{conversationId}", surface: .chat)
    public static let search = Endpoint<SearchChatInput, ChatSearchPage>(.get, "/api/chat/search", surface: .chat)

    /// How much data all features sent to outside services.
    public static let usage = Endpoint<ChatUsageInput, ChatUsage>(.get, "/api/chat/usage", surface: .chat)
    public static let models = Endpoint<Empty, ChatModels>(.get, "/api/chat/models", surface: .chat)
}

public struct SendChatMessageInput: Codable, Sendable {
    /// A file of a message. The server uses only the id, and ignores the other members that clients copy from the upload's response.
    public struct File: Codable, Sendable {
        public var fileId: String

        public init(fileId: String) { self.fileId = fileId }

        enum CodingKeys: String, CodingKey { case fileId = "file_id" }
    }

    /// The name of a provider, for example `google` or `openAI`. If the server has no such provider, its default provider answers.
    public var endpoint: String
    /// At most 100,000 characters. If the text is blank, the message needs a file.
    public var text: String
    /// An id that the client chooses: 1…128 ASCII letters, digits, `.`, `_` or `-`. The server answers a repeated message only once.
    public var messageId: String?
    /// If it is absent, `null` or `new`, the message starts a conversation.
    public var conversationId: String?
    /// One of the provider's models. If it is another name or absent, the provider's default model answers.
    public var model: String?
    /// At most 20.
    public var files: [File]?

    public init(
        endpoint: String, text: String, messageId: String? = nil, conversationId: String? = nil, model: String? = nil,
        files: [File]? = nil
    ) {
        self.endpoint = endpoint
        self.text = text
        self.messageId = messageId
        self.conversationId = conversationId
        self.model = model
        self.files = files
    }
}

/// A message of a conversation.
public struct ChatMessage: Codable, Sendable, Equatable {
    public struct Content: Codable, Sendable, Equatable {
        /// `text`.
        public var type: String
        public var text: String

        public init(text: String) {
            type = "text"
            self.text = text
        }
    }

    public var messageId: String
    public var conversationId: String
    /// The id of the message before this one; all zeros for the first message.
    public var parentMessageId: String
    public var text: String
    /// `User`, or the name of the model or provider that answered.
    public var sender: String
    public var isCreatedByUser: Bool
    public var createdAt: Date
    public var updatedAt: Date
    /// Whether the answer failed. The same message can be sent again.
    public var error: Bool
    /// Whether the answer was stopped, cut off or failed. It is also true while the answer is being written.
    public var unfinished: Bool
    public var endpoint: String
    /// The model that answered; absent for a message of the user.
    public var model: String?
    public var content: [Content]
    public var files: [ChatFileObject]
    /// Present only in search results.
    public var conversationTitle: String?

    public init(
        messageId: String, conversationId: String, parentMessageId: String, text: String, sender: String, isCreatedByUser: Bool,
        createdAt: Date, updatedAt: Date, error: Bool, unfinished: Bool, endpoint: String, model: String?, files: [ChatFileObject],
        conversationTitle: String? = nil
    ) {
        self.messageId = messageId
        self.conversationId = conversationId
        self.parentMessageId = parentMessageId
        self.text = text
        self.sender = sender
        self.isCreatedByUser = isCreatedByUser
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.error = error
        self.unfinished = unfinished
        self.endpoint = endpoint
        self.model = model
        content = [Content(text: text)]
        self.files = files
        self.conversationTitle = conversationTitle
    }
}

public struct ChatConversation: Codable, Sendable, Equatable {
    public var conversationId: String
    public var title: String
    public var createdAt: Date
    public var updatedAt: Date
    public var endpoint: String

    public init(conversationId: String, title: String, createdAt: Date, updatedAt: Date, endpoint: String) {
        self.conversationId = conversationId
        self.title = title
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.endpoint = endpoint
    }
}

/// A message and its answer.
public struct ChatAnswer: Codable, Sendable, Equatable {
    public var requestMessage: ChatMessage
    public var responseMessage: ChatMessage
    public var conversation: ChatConversation
    public var title: String
    /// Always `true`.
    public var final: Bool

    public init(requestMessage: ChatMessage, responseMessage: ChatMessage, conversation: ChatConversation) {
        self.requestMessage = requestMessage
        self.responseMessage = responseMessage
        self.conversation = conversation
        title = conversation.title
        final = true
    }
}

/// The frames of a stream. The first is `Created`, then any number of `Delta`s, and the last is a `ChatAnswer`.
public enum ChatFrame {
    public struct Created: Codable, Sendable, Equatable {
        /// Always `true`.
        public var created: Bool
        /// The user's message.
        public var message: ChatMessage

        public init(message: ChatMessage) {
            created = true
            self.message = message
        }
    }

    public struct Delta: Codable, Sendable, Equatable {
        public struct Payload: Codable, Sendable, Equatable {
            public struct Change: Codable, Sendable, Equatable {
                public var content: [ChatMessage.Content]

                public init(content: [ChatMessage.Content]) { self.content = content }
            }

            /// The id of the answer.
            public var id: String
            public var delta: Change

            public init(id: String, delta: Change) {
                self.id = id
                self.delta = delta
            }
        }

        /// `on_message_delta`.
        public var event: String
        public var data: Payload

        public init(id: String, text: String) {
            event = "on_message_delta"
            data = Payload(id: id, delta: Payload.Change(content: [ChatMessage.Content(text: text)]))
        }

        /// The words that the frame adds to the answer.
        public var text: String { data.delta.content.map(\.text).joined() }
    }
}

public struct ResumeChatInput: Codable, Sendable {
    public var conversationId: String
    /// Clients send `true`. The server ignores it.
    public var resume: String?

    public init(conversationId: String, resume: String? = "true") {
        self.conversationId = conversationId
        self.resume = resume
    }
}

public struct ConversationInput: Codable, Sendable {
    public var conversationId: String

    public init(conversationId: String) { self.conversationId = conversationId }
}

public struct ChatAborted: Codable, Sendable, Equatable {
    public var success: Bool
    /// The id of the conversation.
    public var aborted: String
    /// The number of answers that were being written.
    public var count: Int

    public init(aborted: String, count: Int) {
        success = true
        self.aborted = aborted
        self.count = count
    }
}
