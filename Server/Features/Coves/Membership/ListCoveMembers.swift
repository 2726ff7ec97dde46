import Core
import Database
import KeepsakeWire
import Web

/// `GET /cove-members`: only for members, newest first.
struct ListCoveMembers: Sendable {
    let store: CoveStore
    let presenter: CovePresenter
    let cursors: Cursors

    func handle(_ input: CoveMembersInput, _ context: WebContext) async throws -> CoveMembersResponse {
        let account = try context.requireViewer().accountID
        let cove = try CoveRules.id(input.coveId, field: "coveId")
        let limit = try PageSize.readUpTo50(input.limit)
        let paging = try await Paging<TimeKey>("cove-members", of: [account, cove], after: input.cursor, limit: limit, cursors) { id in
            try await store.position(of: id, in: cove, seenBy: account)
        }
        let page = try await store.members(of: cove, seenBy: account, paging.request)
        return CoveMembersResponse(
            members: page.rows.map(presenter.member), pagination: Pagination(nextCursor: paging.cursor(page.next)))
    }
}
