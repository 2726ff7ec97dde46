import Core
import Database
import Foundation
import KeepsakeWire
import Media
import Web

/// `GET /api/users/user/{userId}/moods`: lists moods, by default newest first. Filters select them by category, group, tag and time. It
/// differs from `ListMoments` in that each row is rendered as JSON while it is read.
struct ListMoods: Sendable {
    let store: MomentStore
    let cursors: Cursors
    /// Reads the time zone of an account, in which its days begin.
    let timeZone: @Sendable (_ account: String) async throws -> TimeZone
    let library: MediaLibrary

    func handle(_ input: ListEntriesInput, _ context: WebContext) async throws -> MoodPage {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let order = try PageOrder.read(input.order)
        let filter = try EntryFilter(input)
        let range = try await TimeRange.read(from: input.from, to: input.to) { try await timeZone(owner) }
        let scope = [owner, Moment.Kind.mood.rawValue] + filter.scope + range.scope + PageOrder.scope(order)
        let paging = try Paging<TimeKey>("moments", of: scope, after: input.cursor, limit: limit, cursors)
        let links = library.links(of: owner)
        let page = try await store.moods(owner: owner, filter, in: range, order: order, paging.request, links) {
            try await context.waitForTurn(toMake: $0)
        }
        return MoodPage(rows: page.rows, pagination: Pagination(nextCursor: paging.cursor(page.next)))
    }
}
