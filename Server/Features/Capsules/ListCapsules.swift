import Core
import Database
import KeepsakeWire
import Web

/// `GET /v0/capsules`: newest first.
struct ListCapsules: Sendable {
    let store: CapsuleStore
    let presenter: CapsulePresenter
    let cursors: Cursors

    func handle(_ input: ListCapsulesInput, _ context: WebContext) async throws -> CapsuleList {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let paging = try Paging<TimeKey>("capsules", of: [owner], after: input.cursor, limit: limit, cursors)
        let page = try await store.page(owner: owner, paging.request)
        return CapsuleList(capsules: page.rows.map(presenter.capsule), nextCursor: paging.cursor(page.next))
    }
}
