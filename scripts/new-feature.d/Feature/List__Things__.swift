import Core
import Database
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/__things__`: lists the __things__, newest first.
struct List__Things__: Sendable {
    let store: __Thing__Store
    let presenter: __Thing__Presenter
    let cursors: Cursors

    func handle(_ input: List__Things__Input, _ context: WebContext) async throws -> __Thing__ListResponse {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let paging = try Paging<TimeKey>("__things__", of: [owner], after: input.cursor, limit: limit, cursors)
        let page = try await store.list(owner: owner, paging.request)
        return __Thing__ListResponse(
            __things__: page.rows.map(presenter.data), pagination: Pagination(nextCursor: paging.cursor(page.next)))
    }
}
