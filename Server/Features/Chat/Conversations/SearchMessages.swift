import Core
import KeepsakeWire
import Search
import Web

/// `GET /api/chat/search`: messages that contain the words, and messages with an attached file whose name or text contains them.
struct SearchMessages: Sendable {
    let store: ChatStore
    let search: SeparateSearch
    let presenter = ChatPresenter()

    func handle(_ input: SearchChatInput, _ context: WebContext) async throws -> ChatSearchPage {
        let owner = try context.requireViewer().accountID
        let limit = try ChatRules.limit(input.limit, usual: 25, most: 100)
        // A search that waits for its turn holds no admission slot, so other requests can use the slot.
        let (page, byteCount) = try await context.withoutSlot {
            let page = try await search.hits(input.q, in: "chat-search", owner: owner, after: input.cursor, limit: limit)
            let fitting = try await store.fitting(page.hits, owner: owner)
            guard fitting.count < page.hits.count else { return (page, fitting.byteCount) }
            // The texts are too long for one response, so return a shorter page, with its own cursor.
            let shorter = try await search.hits(input.q, in: "chat-search", owner: owner, after: input.cursor, limit: fitting.count)
            return (shorter, fitting.byteCount)
        }
        if byteCount ?? Int64.max > LongWork.byteCount { try await context.waitForTurn() }
        let found = try await store.found(page.hits, owner: owner)
        // With a lower limit, a file that was found would show fewer of its messages, and no other page would show the rest.
        if page.hits.allSatisfy({ $0.kind == StoredMessage.kind }) {
            PageSize.note(byteCount: found.reduce(0) { $0 + Int64($1.0.message.text.utf8.count) }, rowCount: found.count)
        }
        return ChatSearchPage(
            messages: found.map { whole, title in presenter.message(whole, title: title) }, nextCursor: page.nextCursor)
    }
}
