import Core
import Database
import Foundation
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/multimedia`: by default newest first.
struct ListMedia: Sendable {
    let store: MediaStore
    let presenter: MediaPresenter
    let cursors: Cursors
    /// Reads the time zone of an account, in which its days begin.
    let timeZone: @Sendable (_ account: String) async throws -> TimeZone

    func handle(_ input: ListMediaInput, _ context: WebContext) async throws -> MediaListResponse {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let range = try await TimeRange.read(from: input.from, to: input.to) { try await timeZone(owner) }
        let selection = try MediaSelection(input, range: range)
        let paging = try Paging<TimeKey>("media", of: [owner] + selection.scope, after: input.cursor, limit: limit, cursors)
        let page = try await store.list(owner: owner, selection, paging.request, waitForTurn: context.waitForTurn)
        return MediaListResponse(
            files: page.rows.map(presenter.item), pagination: Pagination(nextCursor: paging.cursor(page.next)))
    }
}
