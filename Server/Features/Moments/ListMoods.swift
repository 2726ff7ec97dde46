import Core
import Database
import KeepsakeWire
import Media
import Web

/// `GET /api/users/user/{userId}/moods`: newest first, filtered by category, group or tag. As `ListMoments`, but rows write their own JSON.
struct ListMoods: Sendable {
    let store: MomentStore
    let cursors: Cursors
    let library: MediaLibrary

    func handle(_ input: ListEntriesInput, _ context: WebContext) async throws -> MoodPage {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let filter = try EntryFilter(input)
        let scope = [owner, Moment.Kind.mood.rawValue] + filter.scope
        let paging = try Paging<TimeKey>("moments", of: scope, after: input.cursor, limit: limit, cursors)
        let page = try await store.moods(owner: owner, filter, paging.request, library.links(of: owner))
        return MoodPage(rows: page.rows, pagination: Pagination(nextCursor: paging.cursor(page.next)))
    }
}
