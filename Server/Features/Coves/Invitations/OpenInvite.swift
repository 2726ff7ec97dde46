import Core
import KeepsakeWire
import Web

/// `PUT /open-invite`
struct OpenInvite: Sendable {
    let store: InviteStore
    let presenter: CovePresenter

    func handle(_ input: InviteInput, _ context: WebContext) async throws -> InviteResponse {
        let account = try context.requireViewer().accountID
        let invite = try await store.open(CoveRules.id(input.inviteId, field: "inviteId"), by: account)
        return InviteResponse(message: "The invitation was opened.", invite: invite.data(presenter))
    }
}
