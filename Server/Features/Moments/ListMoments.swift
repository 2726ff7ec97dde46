import Core
import Database
import KeepsakeWire
import Media
import Web

/// `GET /api/users/user/{userId}/moods|memories|events`: the newest first, by category, group or tag.
struct ListMoments: Sendable {
    let store: MomentStore
    let cursors: Cursors

    func handle(_ kind: Moment.Kind, _ input: ListEntriesInput, _ context: WebContext) async throws -> ([Moment], Pagination) {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let filter = try EntryFilter(input)
        let scope = [owner, kind.rawValue] + filter.scope
        let paging = try Paging<TimeKey>("moments", of: scope, after: input.cursor, limit: limit, cursors)
        let page = try await store.list(kind, owner: owner, filter, paging.request)
        return (page.rows, Pagination(nextCursor: paging.cursor(page.next)))
    }
}
