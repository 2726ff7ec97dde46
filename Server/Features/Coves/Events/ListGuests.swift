import Core
import Database
import KeepsakeWire
import Web

/// `GET /event-members`: who has answered the invitation to an event, newest first.
struct ListGuests: Sendable {
    let store: EventStore
    let presenter: EventPresenter
    let cursors: Cursors

    func handle(_ input: CoveGuestsInput, _ context: WebContext) async throws -> CoveGuestsResponse {
        let account = try context.requireViewer().accountID
        let event = try CoveRules.id(input.eventId, field: "eventId")
        let limit = try PageSize.readUpTo50(input.limit)
        let scope = [account, event, input.status?.rawValue ?? ""]
        let paging = try await Paging<TimeKey>("event-members", of: scope, after: input.cursor, limit: limit, cursors) { row in
            try await store.position(of: row, inGuestsOf: event, input.status, seenBy: account)
        }
        let page = try await store.guests(of: event, input.status, seenBy: account, paging.request)
        return CoveGuestsResponse(members: page.rows.map(presenter.guest), nextCursor: paging.cursor(page.next))
    }
}
