import Core
import KeepsakeWire
import Web

/// `GET /invites`: the open invitations to the caller's phone number, newest first.
struct ListInvites: Sendable {
    let store: InviteStore
    let presenter: CovePresenter

    func handle(_ input: Empty, _ context: WebContext) async throws -> InviteList {
        let account = try context.requireViewer().accountID
        return InviteList(invites: try await store.received(by: account).map { $0.data(presenter) })
    }
}
