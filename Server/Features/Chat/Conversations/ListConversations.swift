import Core
import Database
import KeepsakeWire
import Web

/// `GET /api/chat/convos`: the caller's conversations. The one with the latest message comes first.
struct ListConversations: Sendable {
    let store: ChatStore
    let cursors: Cursors
    let presenter = ChatPresenter()

    func handle(_ input: ListConversationsInput, _ context: WebContext) async throws -> ConversationPage {
        let owner = try context.requireViewer().accountID
        let limit = try ChatRules.limit(input.limit, usual: 25, most: 100)
        let paging = try Paging<TimeKey>("chat-conversations", of: [owner], after: input.cursor, limit: limit, cursors)
        let page = try await store.conversations(owner: owner, paging.request)
        return ConversationPage(conversations: page.rows.map(presenter.conversation), nextCursor: paging.cursor(page.next))
    }
}

/// `GET /api/chat/messages?conversationId=` and `GET /api/chat/messages/{conversationId}`: the latest messages, oldest first.
struct ListMessages: Sendable {
    let store: ChatStore
    let presenter = ChatPresenter()

    func handle(_ input: ListChatMessagesInput, _ context: WebContext) async throws -> [ChatMessage] {
        let owner = try context.requireViewer().accountID
        let limit = try ChatRules.limit(input.limit, usual: 500, most: 500)
        let (conversation, before) = (TextRules.trimmed(input.conversationId), input.before.map(TextRules.trimmed))
        guard let latest = try await store.latest(in: conversation, owner: owner, before: before, limit: limit) else {
            throw Problem.noSuchConversation
        }
        if latest.byteCount > LongWork.byteCount { try await context.waitForTurn() }
        let messages = try await store.messages(latest)
        PageSize.note(byteCount: latest.byteCount, rowCount: messages.count)
        return messages.map { presenter.message($0) }
    }
}

/// `POST /api/chat/convos/update`: renames a conversation.
struct RenameConversation: Sendable {
    let store: ChatStore
    let presenter = ChatPresenter()

    func handle(_ input: RenameConversationInput, _ context: WebContext) async throws -> ChatConversation {
        let owner = try context.requireViewer().accountID
        let conversation = TextRules.trimmed(input.conversationId)
        guard let renamed = try await store.rename(conversation, to: ChatRules.title(input.title), owner: owner) else {
            throw Problem.noSuchConversation
        }
        return presenter.conversation(renamed)
    }
}

/// `DELETE /api/chat/convos`: deletes a conversation with its messages, and the files that no other message holds.
struct DeleteConversation: Sendable {
    let store: ChatStore

    func handle(_ input: DeleteConversationInput, _ context: WebContext) async throws -> ConversationDeleted {
        let owner = try context.requireViewer().accountID
        let conversation = TextRules.trimmed(input.arg.conversationId)
        guard let count = try await store.delete(conversation, owner: owner) else { throw Problem.noSuchConversation }
        return ConversationDeleted(messages: count)
    }
}
