import Core
import Database
import KeepsakeWire
import Web

/// `GET /calendar-events` and `GET /upcoming-events`: the events of all the caller's coves, soonest first.
struct ListCalendar: Sendable {
    let store: CalendarStore
    let presenter: EventPresenter
    let cursors: Cursors
    let clock: WallClock
    /// Whether events before now are left out.
    let isUpcoming: Bool

    func handle(_ input: CalendarInput, _ context: WebContext) async throws -> CoveEventsResponse {
        let account = try context.requireViewer().accountID
        let limit = try PageSize.readUpTo50(input.limit)
        let list = isUpcoming ? "upcoming-events" : "calendar-events"
        let paging = try await Paging<TimeKey>(list, of: [account], after: input.cursor, limit: limit, cursors) { id in
            try await store.position(of: id, in: account)
        }
        let page = try await store.events(of: account, from: isUpcoming ? clock.now : nil, paging.request)
        return CoveEventsResponse(events: presenter.page(page.rows), pagination: Pagination(nextCursor: paging.cursor(page.next)))
    }
}
