import Core
import Database
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/multimedia`: newest first, filtered by category, group or tag.
struct ListMedia: Sendable {
    let store: MediaStore
    let presenter: MediaPresenter
    let cursors: Cursors

    func handle(_ input: ListEntriesInput, _ context: WebContext) async throws -> MediaListResponse {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let filter = try EntryFilter(input)
        let paging = try Paging<TimeKey>("media", of: [owner] + filter.scope, after: input.cursor, limit: limit, cursors)
        let page = try await store.list(owner: owner, filter, paging.request)
        return MediaListResponse(
            files: page.rows.map(presenter.item), pagination: Pagination(nextCursor: paging.cursor(page.next)))
    }
}
