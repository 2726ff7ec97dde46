import Live

/// The payload of events about a conversation. It holds no content; clients read that from the lists.
struct ChatEvent: Codable, Sendable {
    let conversationId: String
    /// The message that was added or has ended; absent when the event is about the conversation itself.
    var messageId: String?
}

extension Event.Kind {
    /// A message was sent, or an answer began, ended or failed.
    static let chatMessage: Event.Kind = "chat.message"
    /// A conversation began or was renamed.
    static let chatConversation: Event.Kind = "chat.conversation"
    static let chatDeleted: Event.Kind = "chat.deleted"
}
