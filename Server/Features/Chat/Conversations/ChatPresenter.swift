import Core
import KeepsakeWire

/// Renders conversations and messages as surface 2's JSON.
struct ChatPresenter: Sendable {
    func conversation(_ row: StoredConversation) -> ChatConversation {
        ChatConversation(
            conversationId: row.id, title: row.title, createdAt: row.createdAt.date, updatedAt: row.updatedAt.date, endpoint: row.endpoint)
    }

    func message(_ whole: ChatStore.Whole, title: String? = nil) -> ChatMessage {
        let row = whole.message
        return ChatMessage(
            messageId: row.id, conversationId: row.conversation, parentMessageId: row.parent ?? ChatRules.noParent,
            // An answer that failed at once shows why.
            text: row.text.isEmpty ? row.error ?? "" : row.text, sender: row.isByUser ? "User" : Self.sender(row.provider),
            isCreatedByUser: row.isByUser, createdAt: row.createdAt.date, updatedAt: row.updatedAt.date, error: row.state == .failed,
            unfinished: row.isUnfinished, endpoint: row.endpoint, model: row.model, files: whole.files.map { $0.wire(text: nil) },
            conversationTitle: title)
    }

    func answer(_ exchange: ChatStore.Exchange) -> ChatAnswer {
        ChatAnswer(
            requestMessage: message(exchange.question), responseMessage: message(.init(message: exchange.answer, files: [])),
            conversation: conversation(exchange.conversation))
    }

    static func sender(_ provider: String?) -> String {
        switch provider {
        case "gemini": "Gemini"
        case "openai": "OpenAI"
        case "librechat": "LibreChat"
        default: "Keepsake"
        }
    }
}
