import Core
import Database
import KeepsakeWire
import Web

/// `GET /blocks`: the people whom the caller has blocked, the newest first.
struct ListBlocks: Sendable {
    let store: BlockStore
    let cursors: Cursors

    func handle(_ input: ListFriendsInput, _ context: WebContext) async throws -> BlockList {
        let viewer = try context.requireViewer().accountID
        let limit = try PageSize.readUpTo50(input.limit)
        // A cursor may also be a plain id; here that is the id of a blocked person.
        let paging = try await Paging<TimeKey>("blocks", of: [viewer], after: input.cursor, limit: limit, cursors) { id in
            try await store.key(of: id, of: viewer)
        }
        let page = try await store.page(of: viewer, paging.request)
        return BlockList(
            blocks: page.rows.map { BlockList.Block(id: $0.person, name: $0.name, createdAt: $0.at.date) },
            pagination: Pagination(nextCursor: paging.cursor(page.next)))
    }
}
