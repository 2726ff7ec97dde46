import Core
import Database
import KeepsakeWire
import Web

/// `GET /captures`: the latest first.
struct ListCaptures: Sendable {
    let store: CaptureStore
    let presenter: CapturePresenter
    let cursors: Cursors

    func handle(_ input: ListCapturesInput, _ context: WebContext) async throws -> ItemPage<Capture> {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        if let date = input.date { _ = try SummaryRules.day(date, field: "date") }
        var filter = CaptureStore.Filter(day: input.date)
        if let id = input.contact {
            guard let contact = try await store.contact(id, owner: owner) else { throw Problem.unknownContact(in: "contact") }
            filter.contact = contact.id
        }
        let paging = try Paging<TimeKey>(
            "captures", of: [owner, filter.day ?? "", filter.contact ?? ""], after: input.cursor, limit: limit, cursors)
        var listed = try await store.page(owner: owner, filter, paging.request)
        if listed.captures == nil {
            try await context.waitForTurn(toMake: listed.page.rows.reduce(0) { $0 + $1.byteCount })
            listed = try await store.page(owner: owner, filter, paging.request, isInTurn: true)
        }
        return ItemPage(items: (listed.captures ?? []).map(presenter.capture), nextCursor: paging.cursor(listed.page.next))
    }
}
