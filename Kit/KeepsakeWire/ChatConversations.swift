public struct ListConversationsInput: Codable, Sendable {
    public var cursor: String?
    /// 1…100, default 25.
    public var limit: Int?

    public init(cursor: String? = nil, limit: Int? = nil) {
        self.cursor = cursor
        self.limit = limit
    }
}

public struct ConversationPage: Codable, Sendable, Equatable {
    public var conversations: [ChatConversation]
    /// Always 1, because the list uses cursors.
    public var pageNumber: Int
    /// Always 1.
    public var pages: Int
    /// `nil` on the last page.
    @OrNull public var nextCursor: String?

    public init(conversations: [ChatConversation], nextCursor: String?) {
        self.conversations = conversations
        pageNumber = 1
        pages = 1
        self.nextCursor = nextCursor
    }
}

public struct RenameConversationInput: Codable, Sendable {
    public var conversationId: String
    /// 1…200 characters.
    public var title: String

    public init(conversationId: String, title: String) {
        self.conversationId = conversationId
        self.title = title
    }
}

public struct DeleteConversationInput: Codable, Sendable {
    public struct Argument: Codable, Sendable {
        public var conversationId: String
        /// The control that the user pressed. The server ignores it.
        public var source: String?

        public init(conversationId: String, source: String? = nil) {
            self.conversationId = conversationId
            self.source = source
        }
    }

    public var arg: Argument

    public init(arg: Argument) { self.arg = arg }
}

public struct ConversationDeleted: Codable, Sendable, Equatable {
    public struct Messages: Codable, Sendable, Equatable {
        public var acknowledged: Bool
        public var deletedCount: Int

        public init(deletedCount: Int) {
            acknowledged = true
            self.deletedCount = deletedCount
        }
    }

    public var acknowledged: Bool
    /// Always 1.
    public var deletedCount: Int
    public var messages: Messages

    public init(messages: Int) {
        acknowledged = true
        deletedCount = 1
        self.messages = Messages(deletedCount: messages)
    }
}

public struct ListChatMessagesInput: Codable, Sendable {
    public var conversationId: String
    /// The id of a message: the response contains only messages before it. A client uses it for conversations that are longer than one
    /// response.
    public var before: String?
    /// The most messages, 1…500; default 500. A response also ends when its texts reach 2 MB; each file counts as 1 KB.
    public var limit: Int?

    public init(conversationId: String, before: String? = nil, limit: Int? = nil) {
        self.conversationId = conversationId
        self.before = before
        self.limit = limit
    }
}

public struct SearchChatInput: Codable, Sendable {
    /// At most 256 characters. A message matches if all the words are in it, or in a file that it has.
    public var q: String
    public var cursor: String?
    /// 1…100, default 25.
    public var limit: Int?

    public init(q: String, cursor: String? = nil, limit: Int? = nil) {
        self.q = q
        self.cursor = cursor
        self.limit = limit
    }
}

public struct ChatSearchPage: Codable, Sendable, Equatable {
    /// The messages, the best match first. Each has `conversationTitle`.
    public var messages: [ChatMessage]
    /// `nil` on the last page.
    @OrNull public var nextCursor: String?

    public init(messages: [ChatMessage], nextCursor: String?) {
        self.messages = messages
        self.nextCursor = nextCursor
    }
}
