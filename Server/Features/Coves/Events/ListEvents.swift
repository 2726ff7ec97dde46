import Core
import Database
import KeepsakeWire
import Web

/// `GET /cove-events`: a cove's events, soonest first.
struct ListEvents: Sendable {
    let store: EventStore
    let presenter: EventPresenter
    let cursors: Cursors

    func handle(_ input: CoveEventsInput, _ context: WebContext) async throws -> CoveEventsResponse {
        let account = try context.requireViewer().accountID
        let cove = try CoveRules.id(input.coveId, field: "coveId")
        let limit = try PageSize.readUpTo50(input.limit)
        let paging = try await Paging<TimeKey>("cove-events", of: [account, cove], after: input.cursor, limit: limit, cursors) { id in
            try await store.position(of: id, in: cove, seenBy: account)
        }
        let page = try await store.events(of: cove, seenBy: account, paging.request)
        return CoveEventsResponse(events: presenter.page(page.rows), pagination: Pagination(nextCursor: paging.cursor(page.next)))
    }
}
