import Core
import Database
import KeepsakeWire
import Web

/// `GET /sent-invites`: the caller's invitations that nobody has used, newest first.
struct ListSentInvites: Sendable {
    let store: InviteStore
    let cursors: Cursors

    func handle(_ input: SentInvitesInput, _ context: WebContext) async throws -> SentInvitesPage {
        let account = try context.requireViewer().accountID
        let cove = try input.coveId.map { try CoveRules.id($0, field: "coveId") }
        let limit = try PageSize.readUpTo50(input.limit)
        let paging = try await Paging<TimeKey>(
            "sent-invites", of: [account, cove ?? ""], after: input.cursor, limit: limit, cursors
        ) { id in
            try await store.position(of: id, sentBy: account, cove: cove)
        }
        let page = try await store.sent(by: account, cove: cove, paging.request)
        return SentInvitesPage(
            invites: page.rows.map {
                SentInvitesPage.Sent(id: $0.id, phone: $0.phone, createdAt: $0.createdAt.date, isOpened: $0.isOpened)
            }, pagination: Pagination(nextCursor: paging.cursor(page.next)))
    }
}
