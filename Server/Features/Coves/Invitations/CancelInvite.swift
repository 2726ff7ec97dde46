import Core
import KeepsakeWire
import Web

/// `DELETE /cancel-invite`: takes back an invitation that the caller sent.
struct CancelInvite: Sendable {
    let store: InviteStore

    func handle(_ input: InviteInput, _ context: WebContext) async throws -> MessageResponse {
        let account = try context.requireViewer().accountID
        try await store.cancel(CoveRules.id(input.inviteId, field: "inviteId"), by: account)
        return MessageResponse(message: "The invitation was cancelled.")
    }
}
