import Core
import Database
import Foundation
import KeepsakeWire
import Media
import Web

/// `GET /api/users/user/{userId}/moods|memories|events`: lists entries, by default newest first. Filters select them by category, group,
/// tag and time.
struct ListMoments<Output: Sendable>: Sendable {
    let store: MomentStore
    let kind: Moment.Kind
    let cursors: Cursors
    /// Reads the time zone of an account, in which its days begin.
    let timeZone: @Sendable (_ account: String) async throws -> TimeZone
    let render: @Sendable (_ page: [Moment], _ owner: String, Pagination) -> Output

    func handle(_ input: ListEntriesInput, _ context: WebContext) async throws -> Output {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let order = try PageOrder.read(input.order)
        let filter = try EntryFilter(input)
        let range = try await TimeRange.read(from: input.from, to: input.to) { try await timeZone(owner) }
        let scope = [owner, kind.rawValue] + filter.scope + range.scope + PageOrder.scope(order)
        let paging = try Paging<TimeKey>("moments", of: scope, after: input.cursor, limit: limit, cursors)
        let page = try await store.list(kind, owner: owner, filter, in: range, order: order, paging.request) {
            try await context.waitForTurn(toMake: $0)
        }
        return render(page.rows, owner, Pagination(nextCursor: paging.cursor(page.next)))
    }
}
