import Core
import Database
import KeepsakeWire
import Media
import Web

/// `GET /api/users/user/{userId}/moods|memories|events`: newest first, filtered by category, group or tag.
struct ListMoments<Output: Sendable>: Sendable {
    let store: MomentStore
    let kind: Moment.Kind
    let cursors: Cursors
    let render: @Sendable (_ page: [Moment], _ owner: String, Pagination) -> Output

    func handle(_ input: ListEntriesInput, _ context: WebContext) async throws -> Output {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let filter = try EntryFilter(input)
        let scope = [owner, kind.rawValue] + filter.scope
        let paging = try Paging<TimeKey>("moments", of: scope, after: input.cursor, limit: limit, cursors)
        let page = try await store.list(kind, owner: owner, filter, paging.request)
        return render(page.rows, owner, Pagination(nextCursor: paging.cursor(page.next)))
    }
}
